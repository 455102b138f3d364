"""Statements and sources in the form of an answer: by record, with offsets in a source's text."""

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.weight import date_of, type_of
from nodes.checking.assumed import premise_with_verdict
from nodes.evidence.safety import safe
from nodes.fields.codes import failed_check_text
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import Evidence, Outcome, Premise, Source, State, Statement
from nodes.writing.weighing import SourceRank, source_ranks


class CitedAnswer(NamedTuple):
    """The premise, statements and sources of an answer, as it shows them.

    ``passages`` are the ids of the passages of the index of which the sources consist.
    """

    premise: Premise | None
    statements: list[Statement]
    sources: list[Source]
    passages: list[str]


def cited_answer(
    state: State,
    statements: Sequence[Statement],
    extra: Sequence[Passage],
    outcome: Outcome,
    context: Context,
    parts: Parts,
) -> CitedAnswer:
    """The premise and the statements with their sources; a contradicted premise cites one too."""
    checked = premise_with_verdict(state, context, parts) if outcome != "urgent" else None
    premise = _reported(checked)
    against = premise["evidence"] if premise else None
    ids = [key for item in statements for key in _documents(item)]
    ids += [against["document"]] if against else []
    passages = {passage.id: passage for passage in extra}
    indexed = [key for key in dict.fromkeys(ids) if key not in passages]
    # Text that must not be quoted is blanked in sources too, to keep the offsets valid.
    passages |= {item.id: safe(item) for item in parts.passages(indexed, context)}
    sources, offsets = cite(list(passages.values()))
    records = {offsets[key][0]: item.record_id for key, item in passages.items()}
    # Pages that come with the program need no index.
    known = parts.index(context).provenance([*dict.fromkeys(records.values())]) if indexed else {}
    weigh = source_ranks(context)
    return CitedAnswer(
        {**premise, "evidence": span_in_source(against, offsets)} if premise else None,
        [shown_as(item, passages, offsets, weigh) for item in statements],
        [{**item, "provenance": known.get(records[item["id"]])} for item in sources],
        [key for key in indexed if key in passages],
    )


def cite(passages: Sequence[Passage]) -> tuple[list[Source], dict[str, tuple[str, int]]]:
    """The sources of the passages, one per record, in order of first citation.

    A source's text consists of the cited passages of its record, in reading order; a gap is shown
    as […]. The second value maps a passage id to the id of its source and its offset in that text.

    A retriever may give several documents with one id. Those with different metadata, such as the
    page in a book, are sources of their own, with the passage's id.
    """
    groups: dict[str, list[Passage]] = {}
    for passage in passages:
        groups.setdefault(passage.record_id, []).append(passage)
    sources: list[Source] = []
    offsets: dict[str, tuple[str, int]] = {}
    for source_id, group in [source for item in groups.values() for source in _separated(item)]:
        text, end = "", 0
        for passage in sorted(group, key=lambda item: item.start):
            if text:
                text += " " if passage.start and passage.start - end <= 2 else " […] "
            offsets[passage.id] = (source_id, len(text))
            text, end = text + passage.text, passage.end
        first = group[0]
        # mypy: a page could have further keys.
        source: Source = {**first.page, "id": source_id, "text": text, "provenance": None}  # type: ignore[typeddict-item]
        if type_ := type_of(first.metadata, first.kind):
            source["type"] = type_
        if date := date_of(first.metadata):
            source["date"] = date
        if first.metadata:
            source["metadata"] = dict(first.metadata)
        sources.append(source)
    return sources, offsets


def _separated(group: list[Passage]) -> list[tuple[str, list[Passage]]]:
    """The passages with one record id by source: its id, and its passages."""
    first = group[0]
    apart = len({item.start for item in group}) < len(group)
    if apart and any(item.page != first.page or item.metadata != first.metadata for item in group):
        return [(item.id, [item]) for item in group]
    return [(first.record_id, group)]


def shown_as(
    item: Statement,
    passages: dict[str, Passage],
    offsets: dict[str, tuple[str, int]],
    weigh: SourceRank,
) -> Statement:
    """The statement with citations, the strongest first, evidence and conflict by source."""
    cited = sorted((passages[key] for key in item["citations"] if key in passages), key=weigh)
    shown: Statement = {
        **item,
        "citations": list(dict.fromkeys(offsets[entry.id][0] for entry in cited)),
        "evidence": span_in_source(item["evidence"], offsets),
        "conflict": span_in_source(item["conflict"], offsets),
        "failed_checks": [failed_check_text(failed) for failed in item["failed"]],
    }
    against = passages.get(item["conflict"]["document"]) if item["conflict"] else None
    if against and cited and weigh(against) < weigh(cited[0]):
        shown["outweighed"] = True
    return shown


def span_in_source(place: Evidence | None, offsets: dict[str, tuple[str, int]]) -> Evidence | None:
    """A span of a passage, converted to a span of its source."""
    if place is None or place["document"] not in offsets:
        return None
    source_id, offset = offsets[place["document"]]
    return {"document": source_id, "start": place["start"] + offset, "end": place["end"] + offset}


def _reported(premise: Premise | None) -> Premise | None:
    """The premise to report; None if it is not certain to be one and nothing contradicts it."""
    if premise is None:
        return None
    # A state that was stored by an earlier version may lack these keys.
    whole: Premise = {"certain": True, "evidence": None, **premise}
    return whole if whole["certain"] or whole["evidence"] else None


def _documents(item: Statement) -> list[str]:
    """The passages that a statement cites, and the one that contradicts it."""
    return [*item["citations"], *([item["conflict"]["document"]] if item["conflict"] else [])]
