"""Compose the one answer structure, and render its readable text."""

from collections.abc import Sequence

from corpus.passage import Passage
from nodes.context import Context
from nodes.parts import Parts
from nodes.state import Answer, Evidence, Outcome, Reason, Source, State, Statement
from nodes.urgency import urgency

_FALLBACK: dict[Reason, str] = {
    "no_evidence": "Not found: the documents searched hold nothing on this question.",
    "weak_evidence": "Not found: nothing in the documents searched fits this question well enough "
    "to answer from it.",
    "not_found": "Not found: the documents that come nearest do not hold an answer.",
    "unsupported": "Not found: a draft answer could not be confirmed by the documents searched, "
    "so it is not shown.",
}
_ADVICE = "A pharmacist, nurse or doctor can help with this question."
_URGENT = {
    "medical": "This may be an emergency. Call your local emergency number now (112 in Europe and "
    "many other countries, 999 in the UK, 911 in the US and Canada). Do not wait for an "
    "answer here.",
    "self-harm": "You do not have to go through this alone. If you are in immediate danger, call "
    "your local emergency number now (112, 999 or 911). To talk to someone right away, call or "
    "text 988 in the US and Canada, call 116 123 in the UK and Ireland, or find your country's "
    "line at findahelpline.com.",
}


def compose(
    state: State,
    context: Context,
    parts: Parts,
    outcome: Outcome,
    statements: Sequence[Statement],
    unconfirmed: Sequence[str],
) -> Answer:
    """The answer from the statements to be shown.

    Passage ids become source ids (records) and evidence spans become offsets in the source's
    text. A citation of a passage that is not there cannot pass: sources are made from the
    passages the index returns.
    """
    cited = list(dict.fromkeys(c for item in statements for c in item["citations"]))
    passages = (
        {passage.id: passage for passage in parts.index(context).passages(cited)} if cited else {}
    )
    sources, offsets = cite(list(passages.values()))
    shown = [_shown(item, passages, offsets) for item in statements]
    prompt = state["draft"]["prompt"]
    answer: Answer = {
        "outcome": outcome,
        "reason": state["reason"],
        "question": state["asked"],
        "query": state["queries"][0],
        "text": "",
        "statements": shown,
        "unconfirmed": list(unconfirmed),
        "sources": sources,
        "memories": [
            memory for memory in state["recalled"] if memory["id"] in prompt.get("memories", [])
        ],
        "rounds": len(state["rounds"]),
        "confidence": _confidence(state, statements),
        "generator": parts.generator_name(context),
        "critic": None,
        "timings": {},
    }
    critic = parts.critic(context) if state["rounds"] else None
    answer["critic"] = critic.name if critic else None
    answer["text"] = render(answer)
    return answer


def cite(passages: Sequence[Passage]) -> tuple[list[Source], dict[str, tuple[str, int]]]:
    """The sources of the passages, one a record, in order of first citation.

    A source's text is what was cited of its record, in reading order; a gap shows as […]. The
    second value maps a passage id to its record id and its offset in that text.
    """
    groups: dict[str, list[Passage]] = {}
    for passage in passages:
        groups.setdefault(passage.record_id, []).append(passage)
    sources: list[Source] = []
    offsets: dict[str, tuple[str, int]] = {}
    for record_id, group in groups.items():
        text, end = "", 0
        for passage in sorted(group, key=lambda own: own.start):
            if text:
                text += " " if passage.start - end <= 2 else " […] "
            offsets[passage.id] = (record_id, len(text))
            text, end = text + passage.text, passage.end
        first = group[0]
        sources.append(
            {
                "id": record_id,
                "title": first.question or first.title,
                "url": first.url,
                "source": first.source,
                "text": text,
            }
        )
    return sources, offsets


def _shown(
    item: Statement, passages: dict[str, Passage], offsets: dict[str, tuple[str, int]]
) -> Statement:
    """The statement with citations and evidence in terms of the sources."""
    evidence: Evidence | None = None
    if item["evidence"] and item["evidence"]["document"] in offsets:
        record_id, offset = offsets[item["evidence"]["document"]]
        evidence = {
            "document": record_id,
            "start": item["evidence"]["start"] + offset,
            "end": item["evidence"]["end"] + offset,
        }
    records = [passages[cited].record_id for cited in item["citations"] if cited in passages]
    return {**item, "citations": list(dict.fromkeys(records)), "evidence": evidence}


def _confidence(state: State, statements: Sequence[Statement]) -> float | None:
    """Mean over the statements of support × evidence score of the cited passage, in [0, 1].

    None where nothing is stated or nothing was checked. It orders answers; it is no calibrated
    probability.
    """
    fit = {item["id"]: item["evidence"] for item in state["selected"]}
    scores = [
        item["probability"] * max((fit.get(cited, 0.0) for cited in item["citations"]), default=0.0)
        for item in statements
        if item["probability"] is not None
    ]
    return round(sum(scores) / len(scores), 4) if scores else None


def render(answer: Answer) -> str:
    """The answer for a reader: statements with [1] markers, then the sources."""
    if answer["outcome"] == "urgent":
        return _URGENT[urgency(answer["question"]) or "medical"]
    if answer["outcome"] == "abstained":
        return f"{_FALLBACK.get(answer['reason'], _FALLBACK['not_found'])} {_ADVICE}"
    number = {source["id"]: place for place, source in enumerate(answer["sources"], 1)}
    lines = []
    for item in answer["statements"]:
        markers = "".join(f"[{number[cited]}]" for cited in item["citations"])
        unchecked = " (not checked)" if item["verdict"] == "unchecked" else ""
        lines.append(f"{item['text']} {markers}".rstrip() + unchecked)
    if answer["unconfirmed"]:
        count = len(answer["unconfirmed"])
        noun = "statement" if count == 1 else "statements"
        lines.append(f"\nNot shown: {count} {noun} of the draft that the sources do not confirm.")
    if answer["sources"]:
        lines.append("\nSources")
    for place, source in enumerate(answer["sources"], 1):
        details = ", ".join(part for part in (source["source"], source["url"]) if part)
        lines.append(
            f"[{place}] {source['title'] or source['id']}" + (f" ({details})" if details else "")
        )
    return "\n".join(lines)
