"""Statements and sources in the form of an answer: by record, with offsets in a source's text."""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.weight import date_of, type_of
from nodes.state import Evidence, Source, Statement
from nodes.writing.weighing import Weigh


def cite(passages: Sequence[Passage]) -> tuple[list[Source], dict[str, tuple[str, int]]]:
    """The sources of the passages, one per record, in order of first citation.

    A source's text consists of the cited passages of its record, in reading order; a gap is shown
    as […]. The second value maps a passage id to its record id and its offset in that text.
    """
    groups: dict[str, list[Passage]] = {}
    for passage in passages:
        groups.setdefault(passage.record_id, []).append(passage)
    sources: list[Source] = []
    offsets: dict[str, tuple[str, int]] = {}
    for record_id, group in groups.items():
        text, end = "", 0
        for passage in sorted(group, key=lambda item: item.start):
            if text:
                text += " " if passage.start - end <= 2 else " […] "
            offsets[passage.id] = (record_id, len(text))
            text, end = text + passage.text, passage.end
        first = group[0]
        source: Source = {
            "id": record_id,
            "title": first.question or first.title,
            "url": first.url,
            "source": first.source,
            "text": text,
            "provenance": None,
        }
        if type_ := type_of(first.metadata, first.kind):
            source["type"] = type_
        if date := date_of(first.metadata):
            source["date"] = date
        if first.metadata:
            source["metadata"] = dict(first.metadata)
        sources.append(source)
    return sources, offsets


def shown_as(
    item: Statement,
    passages: dict[str, Passage],
    offsets: dict[str, tuple[str, int]],
    weigh: Weigh,
) -> Statement:
    """The statement with citations, the strongest first, evidence and conflict by source."""
    cited = sorted((passages[key] for key in item["citations"] if key in passages), key=weigh)
    shown: Statement = {
        **item,
        "citations": list(dict.fromkeys(entry.record_id for entry in cited)),
        "evidence": placed(item["evidence"], offsets),
        "conflict": placed(item["conflict"], offsets),
    }
    against = passages.get(item["conflict"]["document"]) if item["conflict"] else None
    if against and cited and weigh(against) < weigh(cited[0]):
        shown["outweighed"] = True
    return shown


def placed(place: Evidence | None, offsets: dict[str, tuple[str, int]]) -> Evidence | None:
    """A span of a passage, converted to a span of its source."""
    if place is None or place["document"] not in offsets:
        return None
    record_id, offset = offsets[place["document"]]
    return {"document": record_id, "start": place["start"] + offset, "end": place["end"] + offset}
