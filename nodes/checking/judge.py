"""Have the critic judge statements against passages, and find contradictions [S4].

``nodes.checking.verdicts`` turns its scores and the checks into verdicts.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import is_about_myths
from anamnesis.language.text import Span, sentences
from anamnesis.language.topic import overlap
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
same thing: a critic finds contradictions between any two topics."""

_NEAR = 3
"""Maximum number of sentences of other sources that are compared with a statement."""

_CONFLICT = 0.9
"""Minimum probability of a contradiction between sources. A false one would discredit a source."""

_NONE: Mapping[int, str] = MappingProxyType({})


def judge(
    statements: Sequence[Statement],
    passages: Sequence[Passage],
    critic: Critic,
    threshold: float,
    not_chosen: Sequence[Passage] = (),
    questions: Mapping[int, str] = _NONE,
) -> list[Statement]:
    """The statements with probability, verdict, evidence, citations and conflicts [S4].

    A statement that consists of whole sentences copied from a passage has probability 1. The
    sentences of any other statement are compared with every passage. For each sentence, the passage
    counts that supports it most among those with which it passes the checks (``CHECKS``); the
    probability of a statement is that of its least supported sentence. Its citations become the
    passages that count. A statement that refers to the one before it is supported only if that one
    is. A statement that one passage supports and another contradicts is supported and has a
    ``conflict``. ``threshold`` is the minimum probability of a supported statement.

    Passages in ``not_chosen`` cannot support a statement. They cause a conflict if one of their
    sentences differs from the statement only in a detail, gives another dose, or says to continue a
    treatment that the statement says to stop. ``questions`` has the question that a statement is
    to answer, by the statement's ``part`` (0 if there is only one question): a statement about
    another kind or medicine is unsupported (``nodes.checking.subject``). Text that is not safe to
    quote supports nothing. A statement that already has a verdict is left unchanged.
    """
    unchecked = [item["verdict"] == "unchecked" for item in statements]
    passages = _usable([safe(entry) for entry in passages])
    if not passages:
        return [
            turned_down(with_verdict(item, [], passages, threshold)) if is_unchecked else item
            for item, is_unchecked in zip(statements, unchecked, strict=True)
        ]
    asked = [questions.get(item.get("part", 0), "") for item in statements]
    on_it = {
        own: [page for page in passages if not on_another_subject(own, page)] for own in set(asked)
    }
    quotations = [
        quotation(item, on_it[own]) or quotation(item, passages)
        for item, own in zip(statements, asked, strict=True)
    ]
    to_compare = [
        item if is_unchecked and quoted is None else None
        for item, is_unchecked, quoted in zip(statements, unchecked, quotations, strict=True)
    ]
    fitting = [
        [place for place, page in enumerate(passages) if page in on_it[own]] for own in asked
    ]
    by_sentence = _sentence_judgements(to_compare, passages, critic, threshold, fitting)
    judged: list[Statement] = []
    for item, is_unchecked, quoted, own, question in zip(
        statements, unchecked, quotations, by_sentence, asked, strict=True
    ):
        if not is_unchecked:
            judged.append(item)
            continue
        judgement = quoted or with_verdict(item, own, passages, threshold)
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
    fitting: Sequence[Sequence[int]],
) -> list[list[Judged]]:
    """For each statement, how the passages support each of its sentences; empty for None.

    ``fitting`` are the positions of the passages on what each statement's question is about, which
    count first. The critic judges the sentences of all statements in one call.
    """
    claims = [
        (place, item["text"][span.start : span.end])
        for place, item in enumerate(statements)
        if item is not None
        for span in sentences(item["text"])
    ]
    texts = [passage.text for passage in passages]
    supports = critic.judge([claim for _, claim in claims], [texts] * len(claims))
    judgements: list[list[Judged]] = [[] for _ in statements]
    for (place, claim), support in zip(claims, supports, strict=True):
        judgements[place].append(_best(claim, support, passages, threshold, fitting[place]))
    return judgements


def _best(
    claim: str,
    supports: Sequence[Support],
    passages: Sequence[Passage],
    threshold: float,
    fitting: Sequence[int],
) -> Judged:
    """The best judgement by the passages at ``fitting`` if one of them supports, else by all."""
    if len(fitting) == len(passages) or not any(
        supports[place].probability >= threshold for place in fitting
    ):
        return best_judgement(claim, supports, passages, threshold)
    own = best_judgement(
        claim,
        [supports[place] for place in fitting],
        [passages[place] for place in fitting],
        threshold,
    )
    conflict = own.conflict and (fitting[own.conflict[0]], own.conflict[1])
    return own._replace(passage_position=fitting[own.passage_position], conflict=conflict)


def _with_conflicts(
    judged: list[Statement],
    unchecked: Sequence[bool],
    passages: Sequence[Passage],
    critic: Critic,
    not_chosen: Sequence[Passage],
) -> list[Statement]:
    """The statements, each ``unchecked`` one with the place in another passage that contradicts it.

    The critic is asked only about sentences on the subject of the statement: those that share the
    most words with it, in passages on the same topic. Two kinds of contradiction need no critic: a
    sentence that differs only in a number, a negation or an opposite, in a passage on the same
    known topic, and one that gives another dose or says to continue a treatment.
    """
    by_id = {entry.id: entry for entry in passages}
    pairs: list[tuple[int, Passage, Span]] = []  # a statement, and a sentence of a passage
    for place, item in enumerate(judged):
        if unchecked[place] and item["verdict"] == "supported" and not item["conflict"]:
            cited = by_id[item["citations"][0]]
            others = [
                entry
                for entry in passages
                if entry.id not in item["citations"] and _same_topic(entry, cited)
            ]
            near = [*others, *(entry for entry in not_chosen if _same_topic(entry, cited))]
            by_rule = _denial(item["text"], cited, near)
            by_rule = by_rule or disagreeing_evidence(item["text"], cited, near)
            if by_rule:
                judged[place] = {**item, "conflict": by_rule}
            else:
                similar = _similar_sentences(item["text"], others)
                pairs += [(place, entry, span) for entry, span in similar]
    # Only the first critic judges here: a contradiction counts only if that critic is sure.
    supports = first_of(critic).judge(
        [judged[place]["text"] for place, *_ in pairs],
        [[entry.text[span.start : span.end]] for _, entry, span in pairs],
    )
    highest = dict.fromkeys(range(len(judged)), _CONFLICT)
    for (place, entry, span), [support] in zip(pairs, supports, strict=True):
        against = support.contradiction or 0.0
        if against >= highest[place]:
            highest[place] = against
            conflict: Evidence = {"document": entry.id, "start": span.start, "end": span.end}
            judged[place] = {**judged[place], "conflict": conflict}
    return judged


def _denial(statement: str, cited: Passage, others: Sequence[Passage]) -> Evidence | None:
    """The place where another record has a sentence that differs from the statement only in a
    number, a negation or an opposite; ``others`` may be on the same topic, which must be known.
    """
    for item in others:
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
    """The sentences most similar to the statement, by shared words; equal ones are left out."""
    found = [
        (overlap(statement, text), entry, span)
        for entry in passages
        for span in sentences(entry.text)
        if (text := entry.text[span.start : span.end]) != statement
        and len(text.split()) > MOST_FRAGMENT_WORDS
    ]
    near = sorted((item for item in found if item[0] >= _ALIKE), key=lambda item: -item[0])
    return [(entry, span) for _, entry, span in near[:_NEAR]]
