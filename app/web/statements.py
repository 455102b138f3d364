"""The statements of an answer as HTML."""

from collections.abc import Mapping, Sequence

from anamnesis.memory.profile import Warned
from app.web.markup import Markup, html, joined, link, marked, percent
from nodes.fields.passages import Near
from nodes.state import Answer, Evidence, Part, Source, Statement
from nodes.writing.render import ABOVE, UNANSWERED, by_question, verdict_line, with_topics
from nodes.writing.streamed import Streamed

_VERDICTS = {
    "supported": ("✓", "Supported"),
    "conflict": ("≠", "Sources disagree"),
    "unchecked": ("?", "Not checked"),
    "unsupported": ("✕", "Not supported"),
    "contradicted": ("✕", "Contradicted"),
}


def statements_html(answer: Answer, turn: str) -> Markup:
    """The statements with their verdicts, and the evidence of each.

    ``turn`` is the suffix of the elements' ids, which must be unique on the page.
    """
    numbers = {source["id"]: place for place, source in enumerate(answer["sources"], 1)}
    sources = {source["id"]: source for source in answer["sources"]}
    made = [html('<p class="hint">Select a statement to see the sentence that supports it.</p>')]
    place = 0
    for part, entry in by_question(answer):
        items = []
        for item, topic in with_topics(entry):
            place += 1
            shown = place == 1
            items.append(_statement(f"{place}{turn}", item, numbers, sources, topic, shown=shown))
        made.append(_heading(part) if part else Markup(""))
        if part and part["answered"] and not items:
            made.append(html('<p class="note" role="note">{}</p>', ABOVE))
        if items:
            made.append(html('<ol class="statements">{}</ol>', joined(items)))
    return joined(made)


def _heading(part: Part) -> Markup:
    """The heading above the statements on one of several questions; without any, the text."""
    explanation = part.get("note")
    note = html('<p class="note" role="note">{}</p>', explanation) if explanation else ""
    if part["answered"]:
        verdict = html('<p class="direct">{}</p>', verdict_line(part)) if part["verdict"] else ""
        return html('<h3 class="part">{}</h3>{}{}', part["question"], note, verdict)
    named = html('<h3 class="part">{} {}</h3>', UNANSWERED, part["question"])
    return html("{}{}{}", named, note, nearest_html(part["nearest"], "h4"))


def nearest_html(pages: Sequence[Near], heading: str = "h3") -> Markup:
    """Pages to read if there are no statements."""
    if not pages:
        return Markup("")
    title = Markup(f"<{heading}>Pages to read</{heading}>")
    return html(
        '<section class="nearest">{}<p>These pages are related, but do not answer this '
        "directly.</p><ul>{}</ul></section>",
        title,
        _listed(pages),
    )


def alternatives_html(pages: Sequence[Near]) -> Markup:
    """Pages that may answer the question too [R9]."""
    if not pages:
        return Markup("")
    return html(
        '<section class="alternatives"><h3>Other pages that may answer this</h3><p>No statement '
        "above is based on them.</p><ul>{}</ul></section>",
        _listed(pages),
    )


def _listed(pages: Sequence[Near]) -> Markup:
    return joined(
        html(
            "<li>{}{}{}{}</li>",
            link(page["url"], page["title"] or page["id"]),
            page["source"] and f", {page['source']}",
            html("<blockquote>{}</blockquote>", page["sentence"]) if page["sentence"] else "",
            warnings_html(page.get("warnings", [])),
        )
        for page in pages
    )


def streamed_html(item: Streamed) -> Markup:
    """A statement that is streamed before the answer is complete, with its sources."""
    sign, word = _VERDICTS["conflict" if item["conflict"] else item["verdict"]]
    return html(
        '<li>{} <span class="verdict"><span aria-hidden="true">{}</span> {}</span> '
        '<small class="from">{}</small></li>',
        item["text"],
        sign,
        word,
        joined(
            html("{} ", link(entry["url"], entry["title"] or entry["id"]))
            for entry in item["evidence"]
        ),
    )


def _statement(
    place: str,
    item: Statement,
    numbers: Mapping[str, int],
    sources: Mapping[str, Source],
    topic: str,
    *,
    shown: bool,
) -> Markup:
    kind = "conflict" if item["conflict"] else item["verdict"]
    sign, word = _VERDICTS[kind]
    chance = "" if item["probability"] is None else f", {percent(item['probability'])}"
    return html(
        '<li>{topic}<button type="button" class="statement {kind}" aria-expanded="{expanded}" '
        'aria-controls="evidence-{place}"><span class="text">{text}&nbsp;<span class="cites">'
        '{cites}</span></span><span class="verdict"><span aria-hidden="true">{sign}</span> {word}'
        '{chance}</span></button>{warnings}<section class="evidence" id="evidence-{place}" '
        'aria-label="Evidence for this statement"{hidden}>{passages}{against}{by}</section></li>',
        topic=html('<p class="source">{}</p>', topic) if topic else "",
        kind=kind,
        place=place,
        text=item["text"],
        cites="".join(f"[{numbers[cited]}]" for cited in item["citations"]),
        sign=sign,
        word=word,
        chance=chance,
        expanded="true" if shown else "false",
        hidden="" if shown else Markup(" hidden"),
        passages=_rests_on(item, numbers, sources),
        against=_passage(_against(item), item["conflict"], numbers, sources)
        if item["conflict"]
        else "",
        warnings=warnings_html(item.get("warnings", [])),
        by=html('<p class="by">Checked by {}</p>', by) if (by := item.get("checked_by")) else "",
    )


def warnings_html(found: Sequence[Warned]) -> Markup:
    """The warnings below the text that they concern."""
    return joined(
        html('<p class="warning" role="note"><strong>Warning:</strong> {}</p>', item["text"])
        for item in found
    )


def _against(item: Statement) -> str:
    """The heading for a source that disagrees."""
    which = "A stronger or newer" if item.get("outweighed") else "Another"
    return f"{which} source contradicts this"


def _rests_on(item: Statement, numbers: Mapping[str, int], sources: Mapping[str, Source]) -> Markup:
    """The span in a source or, without one, the sources as they were used."""
    if item["evidence"]:
        title = "Cited source" if item["verdict"] == "unchecked" else "Supported by"
        return _passage(title, item["evidence"], numbers, sources)
    whole: list[Evidence] = [
        {"document": entry, "start": 0, "end": 0} for entry in item["citations"]
    ]
    return joined(_passage("Cited source", place, numbers, sources) for place in whole) or html(
        "<p>No source is cited.</p>"
    )


def _passage(
    title: str, place: Evidence, numbers: Mapping[str, int], sources: Mapping[str, Source]
) -> Markup:
    source = sources[place["document"]]
    return html(
        '<h4>{}</h4><p class="source">[{}] {}</p>'
        '<blockquote tabindex="0" aria-label="Text of source {}">{}</blockquote>',
        title,
        numbers[source["id"]],
        source_link(source),
        numbers[source["id"]],
        marked(source["text"], place["start"], place["end"]),
    )


def source_link(source: Source) -> Markup:
    """A source by its title, with a link and its origin."""
    title = source["title"] or source["id"]
    stated = (source["source"], source.get("type"), source.get("date"))
    return html("{}{}", link(source["url"], title), "".join(f", {item}" for item in stated if item))
