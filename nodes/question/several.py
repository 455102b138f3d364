"""Several questions in one message: finding them, and the state reduced to each."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from anamnesis.corpus.cautions import condition_names, medicine_names
from anamnesis.language.lexicon import any_of
from anamnesis.models.question_sentences import (
    QuestionSentences,
    joined_questions,
    marked_sentences,
)
from nodes.fields.codes import Problem
from nodes.fields.queries import SubQuestion
from nodes.question.circumstances import names_in
from nodes.question.followup import names_topic, stand_alone, topic_of
from nodes.state import Draft, Round, State, Statement

LEAST_ASKING = 0.8
"""Minimum probability that a sentence asks a question.

Of the held-out messages with at most one question mark, 8 % are split into several questions
(`python -m benchmarks.several --data DIR`), in most cases rightly.
"""
LEAST_ASKING_JOINED = 0.5
"""Minimum probability that a part of a sentence asks a question, if 'and' or 'also' joins the parts
and they begin like questions.

It is lower than ``LEAST_ASKING``, because such a sentence nearly always asks several questions: all
of 30 such sentences do that were drawn at random from MeQSum's one-line summaries.
"""
LEAST_SAME_QUESTION = 0.7
"""Minimum cosine of two questions that count as one, such as a subject line and its repetition."""
# 'What treatments are there for asthma?', 'how is asthma diagnosed?': the disease is the topic.
_TREATED = re.compile(
    rf"\b(?:(?:treat|cure|{any_of('remedy', without='test')})s?|therapy|therapies|treatments?)\b"
    r".{0,60}?\b(?:for|against) (?P<what>.{1,100})"
    rf"|\bhow (?:{any_of('be', 'modal')}) (?P<whose>.{{1,60}}?)"
    r" (?:be )?(?:treated|cured|diagnosed|prevented)\b",
    re.IGNORECASE,
)
# A complaint is rather a part of the topic: 'what can I take for pain?'.
_COMPLAINT = re.compile(rf"\b(?:{any_of('complaint')})\b", re.IGNORECASE)
# 'What causes asthma?' names its topic, 'what causes flare-ups?' does not: the name must be known.
_CAUSED = re.compile(
    rf"\b(?:causes?|(?:{any_of('about_a_disease', without='complications risk_factors triggers')})"
    r" of) (?P<what>.{1,100})",
    re.IGNORECASE,
)
MOST_QUESTIONS = 5
"""Maximum number of questions that are answered separately, because each needs its own search and
reading. If a message has more, the last one contains all remaining questions."""


def sub_questions(
    message: str, classify_sentences: Callable[[Sequence[str]], QuestionSentences]
) -> list[SubQuestion]:
    """The questions of a message that has several, in order; empty for any other message.

    The text that is searched for and read for a question is the message without the other
    questions: the remaining sentences may name the topic. From the second question on, the text is
    completed by the topic of the question before it if it refers back or names no topic
    (``stand_alone``), or if it follows 'and' or 'also' and does not name the disease or medicine
    that it is about.
    """
    sentence_parts = [joined_questions(sentence) for sentence in marked_sentences(message)]
    sentences = [part for parts in sentence_parts for part in parts]
    if len(sentences) < 2:
        return []
    thresholds = [
        LEAST_ASKING_JOINED if len(parts) > 1 else LEAST_ASKING
        for parts in sentence_parts
        for _ in parts
    ]
    classified = classify_sentences(sentences)
    asking = [n for n, chance in enumerate(classified.chances) if chance >= thresholds[n]]
    if asking[:1] == [0] and _has_subject(message):
        # A subject line that asks is no question of its own: it stays in the text of each question.
        asking = asking[1:]
    groups = _same_question_groups(asking, classified)
    if len(groups) < 2:
        return []
    question_texts = [max((sentences[n] for n in group), key=len) for group in groups]
    if len(groups) > MOST_QUESTIONS:
        first, rest = groups[: MOST_QUESTIONS - 1], groups[MOST_QUESTIONS - 1 :]
        groups = [*first, [position for group in rest for position in group]]
        question_texts = [*question_texts[: len(first)], " ".join(question_texts[len(first) :])]
    questions: list[SubQuestion] = []
    for question_text, own_group in zip(question_texts, groups, strict=True):
        others = {position for group in groups if group is not own_group for position in group}
        query = " ".join(text for n, text in enumerate(sentences) if n not in others)
        if questions:
            query = _completed(query, questions[-1]["query"], message)
        questions.append({"question": question_text, "query": query})
    return questions


def _same_question_groups(asking: Sequence[int], classified: QuestionSentences) -> list[list[int]]:
    """The positions of the sentences that ask, those that ask the same question together."""
    groups: list[list[int]] = []
    for position in asking:
        vector = classified.vectors[position]
        for group in groups:
            if vector @ classified.vectors[group[0]] >= LEAST_SAME_QUESTION:
                group.append(position)
                break
        else:
            groups.append([position])
    return groups


def _completed(query: str, previous_query: str, message: str) -> str:
    """The query of a question, with the topic of the question before it if it needs it."""
    topic = topic_of(previous_query, [])
    completed = stand_alone(query, previous_query, topic)
    if completed != query or not topic or _names_own_topic(query):
        return completed
    # In 'What causes gout and what treatments are there?' the second question is about the topic of
    # the first, so the topic is put before it.
    follows_and = re.search(rf"\b(?:and|also)\s{re.escape(query)}", message, re.IGNORECASE)
    return f"{topic}: {query}" if follows_and else query


def _names_own_topic(query: str) -> bool:
    """Whether a question names the disease or medicine that it is about."""
    if treated := _TREATED.search(query):
        named = treated["what"] or treated["whose"]
        if names_topic(named) and not _COMPLAINT.search(named):
            return True
    caused = _CAUSED.search(query)
    known = condition_names() | medicine_names()
    return caused is not None and bool(names_in(caused["what"], known))


def _has_subject(message: str) -> bool:
    """Whether the first line is a subject line that names the topic of the message."""
    first, _, rest = message.strip().partition("\n")
    return bool(rest) and first.rstrip()[-1:] not in ".?!…"


def question_states(state: State) -> Iterator[tuple[int, State]]:
    """For each question its number (from 1) and the state reduced to this question.

    A reduced state has the queries, hits and passages of the question, and of each round the
    results for it. If the message has only one question, the number is 0 and the state unchanged.
    """
    if not state.get("sub_questions"):
        yield 0, state
        return
    for number, part in enumerate(state["sub_questions"], 1):
        reduced: State = {
            **state,
            "queries": [part["query"], *part.get("later_queries", [])],
            "hits": [item for item in state["hits"] if item.get("part") == number],
            "read": [item for item in state["read"] if item.get("part") == number],
            "selected": [item for item in state["selected"] if item.get("part") == number],
            "rounds": [_round_of(item, number) for item in state["rounds"]],
        }
        yield number, reduced


def is_open(state: State, number: int) -> bool:
    """Whether this round searches for a question and writes a draft for it.

    Any other question keeps its earlier results.
    """
    return not number or not state["sub_questions"][number - 1].get("closed")


def _round_of(whole: Round, number: int) -> Round:
    """The result of a round for one of several questions."""
    statements = [item for item in whole["statements"] if item.get("part") == number]
    return {
        **whole,
        "statements": statements,
        "score": round(supported_share(statements), 4),
        "problem": whole.get("problems", {}).get(str(number)),
        "cited": [item for item in whole.get("cited", []) if item.get("part") == number],
    }


def supported_share(statements: Sequence[Statement]) -> float:
    """The share of the statements that are supported; 0 if there are none."""
    supported = sum(item["verdict"] == "supported" for item in statements)
    return supported / len(statements) if statements else 0.0


def best_round(rounds: Sequence[Round]) -> Round | None:
    """The round with the largest share of supported statements [S7]; None if there is no round.

    On a tie, the one with the most supported statements, then one that has statements at all.
    """
    return max(
        rounds,
        key=lambda item: (
            item["score"],
            sum(statement["verdict"] == "supported" for statement in item["statements"]),
            bool(item["statements"]),
        ),
        default=None,
    )


def best_rounds(state: State) -> dict[int, Round]:
    """The best round of each question, by its number."""
    found = {number: best_round(item["rounds"]) for number, item in question_states(state)}
    return {number: item for number, item in found.items() if item}


def rounds_for_answer(state: State) -> dict[int, Round]:
    """The rounds that provide the statements of the answer, by the number of the question.

    If there are several, they are the best round of each; otherwise the last round (number 0).
    """
    return best_rounds(state) if state.get("sub_questions") else {0: state["rounds"][-1]}


def problems_by_question(rounds: Mapping[int, Round]) -> dict[str, Problem]:
    """The problems of the drafts of these rounds, by the number of the question as a string.

    The number 0 is left out: its problem is ``draft["problem"]``.
    """
    found = {str(number): item.get("problem") for number, item in rounds.items() if number}
    return {number: problem for number, problem in found.items() if problem}


def merged_draft(drafts: Sequence[tuple[int, Draft]]) -> Draft:
    """The drafts for the questions, merged; each statement says which question it is for.

    A problem with the draft for one question is reported for that question.
    """
    number, first = drafts[0]
    if not number:
        return first
    prompts = [item["prompt"] for _, item in drafts if item["prompt"]]
    whole = dict(prompts[0]) if prompts else {}
    for name in ("tokens", "documents", "memories", "left_out"):
        for prompt in prompts[1:]:
            whole[name] += prompt[name]
    return {
        **first,
        "statements": [
            {**item, "part": number} for number, draft in drafts for item in draft["statements"]
        ],
        "found": any(item["found"] for _, item in drafts),
        "prompt": whole,
        "problem": None,
        "problems": {str(number): draft["problem"] for number, draft in drafts if draft["problem"]},
    }


def common_problem(problems: Mapping[str, Problem], parts: Collection[int]) -> Problem | None:
    """The problem that all these questions have in common, or None."""
    common = {problems.get(str(number)) for number in parts} | {*problems.values()}
    return common.pop() if len(common) == 1 else None


def unanswered(state: State, statements: Sequence[Statement]) -> list[int]:
    """The numbers of the questions without a statement."""
    answered_numbers = {item.get("part") for item in statements}
    return [
        number
        for number, _ in enumerate(state.get("sub_questions") or [], 1)
        if number not in answered_numbers
    ]
