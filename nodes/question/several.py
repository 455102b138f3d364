"""Several questions in one message: finding them, and the view of the state for each."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from anamnesis.models.question_sentences import (
    QuestionSentences,
    joined_questions,
    marked_sentences,
)
from nodes.fields.codes import Problem
from nodes.fields.queries import SubQuestion
from nodes.question.followup import stand_alone, topic_of
from nodes.state import Draft, Round, State, Statement

ASKS = 0.8
"""Minimum probability that a sentence asks a question. Of the held-out messages with at most one
question mark, 8 % are split (`python -m benchmarks.several --data DIR`), most of them rightly."""
JOINED = 0.5
"""The same for each of two parts that 'and' joins in a sentence, if both begin like questions. It
is lower because such a sentence is nearly always two questions: all of 30 that were drawn at random
from MeQSum's lines are."""
SAME_QUESTION = 0.7
"""Minimum cosine similarity of two questions that count as one, such as a subject line and its
repetition."""
MOST = 5
"""Maximum number of questions in a message, because each needs its own search and reading; the last
one takes all that remain."""


def sub_questions(
    message: str, asking: Callable[[Sequence[str]], QuestionSentences]
) -> list[SubQuestion]:
    """The questions of a message that has several, in order; empty for any other message.

    Each is searched for and read together with the other sentences of the message, which name the
    topic, but without the other questions. If there are no other sentences, it is read together
    with the question before it.
    """
    parts = [joined_questions(sentence) for sentence in marked_sentences(message)]
    found = [part for own in parts for part in own]
    if len(found) < 2:
        return []
    least = [JOINED if len(own) > 1 else ASKS for own in parts for _ in own]
    known = asking(found)
    groups: list[list[int]] = []
    asked = [at for at, chance in enumerate(known.chances) if chance >= least[at]]
    for place in asked[1:] if asked[:1] == [0] and _has_subject(message) else asked:
        alike = (
            item
            for item in groups
            if known.vectors[place] @ known.vectors[item[0]] >= SAME_QUESTION
        )
        same = next(alike, None)
        if same is None:
            groups.append([place])
        else:
            same.append(place)
    if len(groups) < 2:
        return []
    names = [max((found[place] for place in item), key=len) for item in groups]
    if len(groups) > MOST:
        groups = [*groups[: MOST - 1], [place for item in groups[MOST - 1 :] for place in item]]
        names = [*names[: MOST - 1], " ".join(names[MOST - 1 :])]
    questions: list[SubQuestion] = []
    for name, group in zip(names, groups, strict=True):
        others = {place for item in groups if item is not group for place in item}
        query = " ".join(item for place, item in enumerate(found) if place not in others)
        if questions:
            before = questions[-1]["query"]
            topic = topic_of(before, [])
            alone = stand_alone(query, before, topic)
            # 'What causes gout and what treatments are there?' is about one topic.
            joined = re.search(rf"\b(?:and|also)\s{re.escape(query)}", message, re.IGNORECASE)
            query = f"{topic}: {query}" if joined and alone == query and topic else alone
        questions.append({"question": name, "query": query})
    return questions


def _has_subject(message: str) -> bool:
    """Whether the first line is a subject line that names the topic of the message."""
    first, _, rest = message.strip().partition("\n")
    return bool(rest) and first.rstrip()[-1:] not in ".?!…"


def question_states(state: State) -> Iterator[tuple[int, State]]:
    """The number of each question (from 1), and its view of the state.

    A view has the question's queries, its hits and passages, and its part of each round. A message
    with one question has the number 0 and the unchanged state.
    """
    if not state.get("sub_questions"):
        yield 0, state
        return
    for number, part in enumerate(state["sub_questions"], 1):
        yield (
            number,
            {
                **state,
                "queries": [part["query"], *part.get("later_queries", [])],
                "hits": [item for item in state["hits"] if item.get("part") == number],
                "read": [item for item in state["read"] if item.get("part") == number],
                "selected": [item for item in state["selected"] if item.get("part") == number],
                "rounds": [_round_of(item, number) for item in state["rounds"]],
            },
        )


def is_open(state: State, number: int) -> bool:
    """Whether a question is searched for and drafted in this round; others keep their results."""
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
    """The round with the largest share of supported statements; on a tie, the most of them [S7]."""
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


def counted_rounds(state: State) -> dict[int, Round]:
    """The rounds whose statements count: the best of each of several questions, or the last one."""
    return best_rounds(state) if state.get("sub_questions") else {0: state["rounds"][-1]}


def problems_by_question(rounds: Mapping[int, Round]) -> dict[str, Problem]:
    """The problems of the drafts of these rounds, by the number of the question."""
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
        "statements": [{**item, "part": n} for n, draft in drafts for item in draft["statements"]],
        "found": any(item["found"] for _, item in drafts),
        "prompt": whole,
        "problem": None,
        "problems": {str(n): item["problem"] for n, item in drafts if item["problem"]},
    }


def common_problem(problems: Mapping[str, Problem], parts: Collection[int]) -> Problem | None:
    """The problem that all these questions have in common, or None."""
    common = {problems.get(str(number)) for number in parts} | {*problems.values()}
    return common.pop() if len(common) == 1 else None


def unanswered(state: State, statements: Sequence[Statement]) -> list[int]:
    """The numbers of the questions without a statement."""
    there = {item.get("part") for item in statements}
    return [
        number
        for number, _ in enumerate(state.get("sub_questions") or [], 1)
        if number not in there
    ]
