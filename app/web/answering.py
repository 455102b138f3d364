"""An answer as HTML: its outcome, its statements, its options, and further information."""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from app.web.markup import Markup, html, joined, link, notice, percent
from app.web.running import Run
from app.web.statements import (
    alternatives_html,
    nearest_html,
    source_link,
    statements_html,
    warnings_html,
)
from nodes.checking.subject import only_another_subject
from nodes.fields.codes import Reason
from nodes.fields.passages import Near
from nodes.parts import EXTRACTIVE
from nodes.state import Answer
from nodes.writing.notes import answer_notes
from nodes.writing.render import (
    SEE_SOMEONE,
    advice_lines,
    chosen_line,
    clarifying_lines,
    memory_line,
    verdict_line,
    why_nothing,
)

_OUTCOME_WORDS: dict[Reason, tuple[str, str]] = {
    "supported": ("Answered", "Every statement is supported by its source."),
    "unchecked": ("Answered, not checked", "No critic is set: the statements are unchecked."),
    "some_unsupported": ("Answered in part", "Only the statements that were supported are shown."),
    "part_unanswered": (
        "Answered in part",
        "No answer was found to at least one of the questions.",
    ),
}


def conversation_html(last: Sequence[Run], earlier: Sequence[Run]) -> Markup:
    """The last answer, if any, and below it the earlier ones, newest first."""
    turns = joined(
        html(
            '<details class="turn"><summary>{}</summary>{}</details>',
            run["question"],
            answer_html(run["answer"], run["other_passages"], f"-{number}"),
        )
        for number, run in reversed([*enumerate(earlier, 1)])
    )
    heading = Markup("<h3>Earlier in this conversation</h3>")
    return joined(
        [
            *(answer_html(run["answer"], run["other_passages"]) for run in last),
            html('<section class="earlier">{}{}</section>', heading, turns) if turns else "",
        ]
    )


def answer_html(answer: Answer, others: Sequence[Passage] = (), turn: str = "") -> Markup:
    """The whole answer. A statement's button shows the section with its evidence.

    ``others`` are found passages that it does not cite. ``turn`` makes element ids unique if more
    than one answer is on the page.
    """
    if answer["outcome"] == "urgent":
        return notice("urgent", "Get help now", answer["text"])
    if answer["outcome"] == "abstained":
        body = notice("quiet", "No answer", "\n\n".join([*_notes(answer), why_nothing(answer)]))
    else:
        title, explanation = _outcome_words(answer)
        body = html(
            '<p class="outcome {}"><strong>{}.</strong> {}</p>{}{}{}{}',
            "quoted" if answer.get("quoted_instead") else answer["reason"],
            title,
            explanation,
            joined(html('<p class="note" role="note">{}</p>', note) for note in _notes(answer)),
            _choice(answer),
            html('<p class="direct">{}</p>', verdict_line(answer)) if answer["verdict"] else "",
            statements_html(answer, turn),
        )
    return html(
        '<article class="answer" aria-label="Answer"><h2>{}</h2>{}{}{}{}{}{}{}{}{}</article>',
        answer["question"],
        html('<p class="understood">Understood as: {}</p>', answer["query"])
        if answer["query"] != answer["question"]
        else "",
        _urgency(answer),
        warnings_html(answer.get("warnings", [])),
        body,
        joined(
            [
                _unconfirmed(answer),
                nearest_html(answer["nearest"]),
                alternatives_html(answer.get("alternatives", [])),
                _advice(answer),
            ]
        ),
        _confidence(answer) if answer["statements"] else "",
        _memories(answer),
        _closing(answer),
        _other_documents(others),
    )


def _urgency(answer: Answer) -> Markup | str:
    """The panel above an answer to a message that should not wait."""
    if calls := [item.text for item in answer_notes(answer) if item.code == "emergency"]:
        return notice("urgent", "Get help now", "\n\n".join(calls))
    if answer["urgency"] == "urgent":
        return notice("urgent", "See a doctor today", SEE_SOMEONE)
    return ""


def _notes(answer: Answer) -> list[str]:
    """The notes, without the one about an emergency, which has a panel."""
    return [item.text for item in answer_notes(answer) if item.code != "emergency"]


def _outcome_words(answer: Answer) -> tuple[str, str]:
    """The heading of the answer; for an unchecked option it says only that."""
    if answer["reason"] in ("supported", "some_unsupported") and answer.get("quoted_instead"):
        return (
            "Quoted from the documents",
            "The statements are quoted, because the model's answer cannot be used.",
        )
    if (
        answer["reason"] != "unchecked"
        and answer["choice"] is not None
        and not _is_supported(answer)
    ):
        return (
            "Answered, not checked",
            "It was not checked whether the sources support the option.",
        )
    return _OUTCOME_WORDS[answer["reason"]]


def _is_supported(answer: Answer) -> bool:
    return answer.get("chosen_by") == "sources"


def _choice(answer: Answer) -> Markup:
    """The options, with a label on the chosen one."""
    options, choice = answer["options"], answer["choice"]
    if not options:
        return Markup("")
    sign = "✓" if _is_supported(answer) else "?"
    return html(
        '<ul class="options" aria-label="Options">{}</ul>',
        joined(
            html(
                '<li class="{}"><span aria-hidden="true">{}</span> {}{} <small>{}</small></li>',
                "chosen" if key == choice else "other",
                sign if key == choice else "–",
                "" if text.casefold() == key.casefold() else f"{key}. ",
                text,
                chosen_line(answer) if key == choice else "not confirmed",
            )
            for key, text in options.items()
        ),
    )


def _unconfirmed(answer: Answer) -> Markup:
    count = len(answer["withheld"])
    if not count:
        return Markup("")
    noun = "statement" if count == 1 else "statements"
    other = any(only_another_subject(item["failed"]) for item in answer["withheld"])
    return html(
        '<details class="unconfirmed"><summary><span aria-hidden="true">✕</span> {} {} of the '
        "draft that the sources do not confirm{}</summary><p>Do not rely on these.</p><ul>{}</ul>"
        "</details>",
        count,
        noun,
        ", or about a different type or medicine than the question asks about" if other else "",
        joined(
            html("<li>{}{}</li>", item["text"], _near(item["near"])) for item in answer["withheld"]
        ),
    )


def _near(page: Near | None) -> Markup:
    """The nearest sentence of the evidence to an unconfirmed claim."""
    if page is None:
        return Markup("")
    return html(
        '<p class="near">Nearest in the sources, {}{}:</p><blockquote>{}</blockquote>{}',
        link(page["url"], page["title"] or page["id"]),
        page["source"] and f", {page['source']}",
        page["sentence"],
        warnings_html(page.get("warnings", [])),
    )


def _confidence(answer: Answer) -> Markup:
    support, relevance = answer["confidence"]["support"], answer["confidence"]["relevance"]
    checked = (
        html("No confidence is given, because no entailment model has checked this.")
        if support is None
        else html(
            "{} Probability that the sources support everything that is shown. It does not say "
            "whether the sources are right, or apply to your case.",
            _meter("Support", support),
        )
    )
    lines = [checked]
    if relevance is not None:
        meter = _meter("Relevance", relevance)
        lines.append(html("{} Probability that the sources answer the question.", meter))
    return joined(html('<p class="confidence">{}</p>', line) for line in lines)


def _meter(name: str, value: float) -> Markup:
    shown = percent(value)
    return html(
        '<strong>{} {}</strong> <meter min="0" max="1" value="{}" aria-label="{}">{}</meter>',
        name,
        shown,
        value,
        name,
        shown,
    )


def _advice(answer: Answer) -> Markup:
    lines = [*clarifying_lines(answer), *advice_lines(answer)]
    return joined(html('<p class="advice">{}</p>', line) for line in lines)


def _memories(answer: Answer) -> Markup:
    if not answer["memories"]:
        return Markup("")
    return html(
        '<details class="remembered"><summary>Your memories that were used in this answer ({})'
        "</summary><p>They are not a source of any statement.</p><ul>{}</ul></details>",
        len(answer["memories"]),
        joined(html("<li>{}</li>", memory_line(memory)) for memory in answer["memories"]),
    )


def _other_documents(passages: Sequence[Passage]) -> Markup:
    """Other retrieved documents, which may contain another answer."""
    if not passages:
        return Markup("")
    return html(
        '<details class="others"><summary>Other documents that were found ({})</summary><p>No '
        "statement cites these; it was not checked whether they answer the question.</p>"
        "<ol>{}</ol></details>",
        len(passages),
        joined(
            html(
                "<li>{}{}<blockquote>{}</blockquote></li>",
                link(item.url, item.heading or item.id),
                item.source and f", {item.source}",
                item.text,
            )
            for item in passages
        ),
    )


def _closing(answer: Answer) -> Markup:
    rounds = answer["rounds"]
    made = "No answer was drafted"
    if rounds:
        times = "One round of search" if rounds == 1 else f"{rounds} rounds"
        quoted = answer["generator"] == EXTRACTIVE
        by = "quoting the documents" if quoted else answer["generator"]
        made = f"{times}; drafted by {by}, checked by {answer['critic'] or 'nothing'}"
    seconds = sum(answer["timings"].values()) / 1000
    sources = joined(html("<li>{}</li>", source_link(source)) for source in answer["sources"])
    return html(
        '{}<p class="made">{}; {:.1f} s of work.</p>',
        html('<h3>Sources</h3><ol class="sources">{}</ol>', sources) if sources else "",
        made,
        seconds,
    )
