"""Have the critic judge statements against passages, and find contradictions [S4].

``nodes.checking.verdicts`` turns its scores and the checks into verdicts.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import is_about_myths
from anamnesis.language.text import Span, sentences
from anamnesis.language.words import overlap
from anamnesis.models.cascade import first_of
from anamnesis.models.critic import Critic, Support
from nodes.checking.differing import differs_in_detail
from nodes.checking.disagreeing import disagreeing_evidence
from nodes.checking.subject import on_another_subject, on_subject
from nodes.checking.verdicts import (
    MOST_FRAGMENT_WORDS,
    Judged,
    best_judgement,
    quotation,
    require_antecedent,
    with_verdict,
)
from nodes.evidence.safety import quotable, safe, turned_down
from nodes.state import Evidence, Statement

_ALIKE = 0.6
"""Minimum share of common words for a statement and a sentence of another source to be about the
same thing. Without it, a critic would find contradictions between unrelated topics."""

_MOST_COMPARED = 3
"""Maximum number of sentences of other sources that are compared with a statement."""

_CONFLICT = 0.9
"""Minimum probability of a contradiction between sources. A false one would discredit a source."""

_NO_QUESTIONS: Mapping[int, str] = MappingProxyType({})


def judge(
    statements: Sequence[Statement],
    passages: Sequence[Passage],
    critic: Critic,
    threshold: float,
    not_chosen: Sequence[Passage] = (),
    questions: Mapping[int, str] = _NO_QUESTIONS,
) -> list[Statement]:
    """The statements with probability, verdict, evidence, citations and conflicts [S4].

    A statement that consists of whole sentences copied from a passage has probability 1. The
    sentences of any other statement are compared with every passage. For each sentence one passage
    counts: among those with which the sentence passes the checks (``CHECKS``), the one that
    supports it most. The probability of a statement is that of its least supported sentence. Its
    citations become the passages that count. A statement that refers to the one before it is
    supported only if that one is. A statement that one passage supports and another contradicts is
    supported and has a ``conflict``. ``threshold`` is the minimum probability of a supported
    statement.

    Passages in ``not_chosen`` cannot support a statement. They cause a conflict if one of their
    sentences differs from the statement only in a detail, gives another dose, or says to continue a
    treatment that the statement says to stop. ``questions`` has the questions by number: the
    ``part`` of the statements that answer it, or 0 if there is only one question. A statement about
    a different kind or medicine than its question is unsupported (``nodes.checking.subject``). Text
    that is not safe to quote supports nothing. A statement that already has a verdict is left
    unchanged.
    """
    unchecked = [item["verdict"] == "unchecked" for item in statements]
    passages = _usable([safe(entry) for entry in passages])
    if not passages:
        return [
            turned_down(with_verdict(item, [], passages, threshold)) if is_unchecked else item
            for item, is_unchecked in zip(statements, unchecked, strict=True)
        ]
    asked = [questions.get(item.get("part", 0), "") for item in statements]
    by_question = {
        question: [page for page in passages if not on_another_subject(question, page)]
        for question in set(asked)
    }
    quotations = [
        quotation(item, by_question[question]) or quotation(item, passages)
        for item, question in zip(statements, asked, strict=True)
    ]
    to_compare = [
        item if is_unchecked and quoted is None else None
        for item, is_unchecked, quoted in zip(statements, unchecked, quotations, strict=True)
    ]
    preferred = [
        [position for position, page in enumerate(passages) if page in by_question[question]]
        for question in asked
    ]
    sentence_judgements = _sentence_judgements(to_compare, passages, critic, threshold, preferred)
    judged: list[Statement] = []
    for item, is_unchecked, quoted, by_sentence, question in zip(
        statements, unchecked, quotations, sentence_judgements, asked, strict=True
    ):
        if not is_unchecked:
            judged.append(item)
            continue
        judgement = quoted or with_verdict(item, by_sentence, passages, threshold)
        judgement = turned_down(
            judgement, [page.heading for page in passages if page.id in item["citations"]]
        )
        judgement = on_subject(judgement, question, passages)
        before = judged[-1] if judged and judged[-1].get("part") == item.get("part") else None
        judged.append(require_antecedent(judgement, before, quoted is not None))
    return _with_conflicts(judged, unchecked, passages, critic, _usable(not_chosen))


def _usable(passages: Sequence[Passage]) -> list[Passage]:
    """The passages that have text and are not about myths."""
    return [
        entry
        for entry in passages
        if entry.text.strip() and not is_about_myths(entry.heading, entry.text)
    ]


def _sentence_judgements(
    statements: Sequence[Statement | None],
    passages: Sequence[Passage],
    critic: Critic,
    threshold: float,
    preferred: Sequence[Sequence[int]],
) -> list[list[Judged]]:
    """For each statement, how the passages support each of its sentences; empty for None.

    ``preferred`` has for each statement the positions of the passages that are about the subject of
    its question; the others count only if none of these supports a sentence. The critic judges the
    sentences of all statements in one call.
    """
    claims = [
        (number, item["text"][span.start : span.end])
        for number, item in enumerate(statements)
        if item is not None
        for span in sentences(item["text"])
    ]
    texts = [passage.text for passage in passages]
    supports = critic.judge([claim for _, claim in claims], [texts] * len(claims))
    judgements: list[list[Judged]] = [[] for _ in statements]
    for (number, claim), support in zip(claims, supports, strict=True):
        judgements[number].append(_best(claim, support, passages, threshold, preferred[number]))
    return judgements


def _best(
    claim: str,
    supports: Sequence[Support],
    passages: Sequence[Passage],
    threshold: float,
    preferred: Sequence[int],
) -> Judged:
    """How the passages at the positions ``preferred`` support a claim; if none does, how all do."""
    if len(preferred) == len(passages) or not any(
        supports[position].probability >= threshold for position in preferred
    ):
        return best_judgement(claim, supports, passages, threshold)
    best = best_judgement(
        claim,
        [supports[position] for position in preferred],
        [passages[position] for position in preferred],
        threshold,
    )
    # The positions among the preferred passages become positions among all passages.
    conflict = best.conflict and (preferred[best.conflict[0]], best.conflict[1])
    return best._replace(passage_position=preferred[best.passage_position], conflict=conflict)


def _with_conflicts(
    judged: list[Statement],
    is_new: Sequence[bool],
    passages: Sequence[Passage],
    critic: Critic,
    not_chosen: Sequence[Passage],
) -> list[Statement]:
    """The statements; one that another passage contradicts gets this evidence as its ``conflict``.

    Only statements that were judged just now (``is_new``) are compared with other passages. The
    critic is asked only about sentences on the subject of the statement: those that share the most
    words with it, in passages on the same topic. Two kinds of contradiction need no critic: a
    sentence that differs only in a number, a negation or an opposite, in a passage on the same
    known topic, and one that gives another dose or says to continue a treatment.
    """
    by_id = {entry.id: entry for entry in passages}
    pairs: list[tuple[int, Passage, Span]] = []  # a statement, and a sentence of a passage
    for number, item in enumerate(judged):
        if is_new[number] and item["verdict"] == "supported" and not item["conflict"]:
            cited = by_id[item["citations"][0]]
            others = [
                entry
                for entry in passages
                if entry.id not in item["citations"] and _same_topic(entry, cited)
            ]
            on_topic = [*others, *(entry for entry in not_chosen if _same_topic(entry, cited))]
            by_rule = _differing_sentence(item["text"], cited, on_topic)
            by_rule = by_rule or disagreeing_evidence(item["text"], cited, on_topic)
            if by_rule:
                judged[number] = {**item, "conflict": by_rule}
            else:
                similar = _similar_sentences(item["text"], others)
                pairs += [(number, entry, span) for entry, span in similar]
    # Only the first critic judges here: a contradiction counts only if that critic is sure.
    supports = first_of(critic).judge(
        [judged[number]["text"] for number, *_ in pairs],
        [[entry.text[span.start : span.end]] for _, entry, span in pairs],
    )
    highest = dict.fromkeys(range(len(judged)), _CONFLICT)
    for (number, entry, span), [support] in zip(pairs, supports, strict=True):
        contradiction = support.contradiction or 0.0
        if contradiction >= highest[number]:
            highest[number] = contradiction
            conflict: Evidence = {"document": entry.id, "start": span.start, "end": span.end}
            judged[number] = {**judged[number], "conflict": conflict}
    return judged


def _differing_sentence(
    statement: str, cited: Passage, on_topic: Sequence[Passage]
) -> Evidence | None:
    """A sentence of another record that differs from the statement only in a number, a negation or
    an opposite.

    The topics of both passages must be known, because passages without one count as ``on_topic``.
    """
    for item in on_topic:
        if item.record_id == cited.record_id or not (item.focus and cited.focus):
            continue
        for span in sentences(item.text):
            text = item.text[span.start : span.end]
            if differs_in_detail(statement, text) and quotable(item, span):
                return {"document": item.id, "start": span.start, "end": span.end}
    return None


def _same_topic(one: Passage, other: Passage) -> bool:
    """Whether two passages may be about the same thing; False if their topics differ."""
    return not (one.focus and other.focus) or one.focus.casefold() == other.focus.casefold()


def _similar_sentences(statement: str, passages: Sequence[Passage]) -> list[tuple[Passage, Span]]:
    """The sentences most similar to the statement, by shared words; the same one is left out."""
    found = [
        (overlap(statement, text), entry, span)
        for entry in passages
        for span in sentences(entry.text)
        if (text := entry.text[span.start : span.end]) != statement
        and len(text.split()) > MOST_FRAGMENT_WORDS
    ]
    alike = sorted((item for item in found if item[0] >= _ALIKE), key=lambda item: -item[0])
    return [(entry, span) for _, entry, span in alike[:_MOST_COMPARED]]
