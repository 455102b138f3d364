"""A user's memories as HTML, with controls to review, correct and delete them [H7]."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from anamnesis.language.text import written_date
from anamnesis.memory.profile import FIELDS
from anamnesis.memory.questions import Question
from anamnesis.memory.record import Memory
from app.web.markup import Markup, html, joined

_KINDS = {
    "exchange": "A question and its answer",
    "question": "From your words",
    "residual": "What you meant",
    "response": "What you were satisfied with",
    "profile": "Your health profile",
}


_NEW = html(
    '<div class="entry" data-id="new"><label>Add to your health profile, as “field: value” '
    "(fields: {})"
    '<textarea rows="1" placeholder="allergy: penicillin"></textarea></label>'
    '<button type="button" data-act="add">Add</button></div>',
    ", ".join(FIELDS),
)


def memories_html(
    memories: Sequence[Memory],
    used: Mapping[str, Mapping[str, float]],
    export: Mapping[str, Any],
    questions: Sequence[Question] = (),
) -> Markup:
    """A user's memories with the buttons to change them, and a file of all of them.

    ``used`` are the scores, by id, of those that shaped the last answer. The file is in the link
    itself: no copy of it is left on the server. ``questions`` are the user's questions for experts.
    """
    if not memories and not questions:
        return html('<p class="none" role="status">Nothing is remembered about you.</p>{}', _NEW)
    noun = "memory" if len(memories) == 1 else "memories"
    file = quote(json.dumps(export, ensure_ascii=False, indent=2))
    return html(
        '<div class="toolbar"><p role="status">{} {}</p>'
        '<a class="button" download="memories.json" href="data:application/json;charset=utf-8,{}">'
        'Export</a><button type="button" class="danger" data-act="delete-all" data-sure="Delete '
        'all {} {}, and all recorded runs, for good?">Delete all</button></div>'
        '{}<ul class="memories">{}</ul>{}',
        len(memories),
        noun,
        file,
        len(memories),
        noun,
        _NEW,
        joined(
            _memory(memory, used.get(memory.id))
            for memory in sorted(memories, key=lambda item: item.kind != "profile")
        ),
        _questions(questions),
    )


def _memory(memory: Memory, score: Mapping[str, float] | None) -> Markup:
    expert = ", shared as an expert's" if memory.scope == "expert" else ""
    replaced = ", inactive: another memory contradicts it" if memory.superseded_by else ""
    if memory.grounds and memory.grounds.unsupported:
        replaced += ", inactive: the documents have changed and no longer support it"
    rated = {"good": ", rated right", "bad": ", rated wrong"}.get(memory.rating, "")
    return html(
        '<li data-id="{id}"><p class="kind">{kind}{expert} · <time datetime="{at}">{day}</time>'
        "</p>{used}{text}{source}"
        '<p class="scores">trust {trust:.2f}, recalled {recalls} times{rated}{replaced}</p>'
        '<div class="actions"><button type="button" data-act="right">Right</button>'
        '<button type="button" data-act="wrong">Wrong</button>'
        '<button type="button" data-act="delete" class="danger" data-sure="Delete this memory for '
        'good?">Delete</button>'
        '<details class="edit"><summary>Edit</summary>'
        '<textarea rows="4" aria-label="New text">{raw}</textarea>'
        '<button type="button" data-act="edit">Save</button></details></div></li>',
        id=memory.id,
        kind=_KINDS[memory.kind],
        expert=expert,
        at=memory.created.isoformat(),
        day=written_date(memory.created),
        used=_used(score),
        text=joined(html('<p class="text">{}</p>', line) for line in memory.text.splitlines()),
        source=_source(memory),
        raw=Markup("\n") + memory.editable,  # HTML drops a textarea's first line break
        trust=memory.trust,
        recalls=memory.recalls,
        rated=rated,
        replaced=replaced,
    )


def _source(memory: Memory) -> Markup:
    """The user's own words that the text does not have; for a profile entry, or entry by hand."""
    if memory.kind != "profile" and memory.words in memory.text:
        return Markup("")
    origin = f"You said: “{memory.words}”" if memory.words else "Entered by hand"
    return html('<p class="said">{}</p>', origin)


def _used(score: Mapping[str, float] | None) -> Markup:
    if score is None:
        return Markup("")
    return html(
        '<p class="used"><span aria-hidden="true">●</span> Shaped the last answer: {}</p>',
        ", ".join(f"{name} {value:.2f}" for name, value in score.items()),
    )


def _questions(questions: Sequence[Question]) -> Markup:
    """A user's questions for experts, with the experts' notes."""
    if not questions:
        return Markup("")
    return html(
        '<h3>Your questions for experts</h3><ul class="memories">{}</ul>',
        joined(_question(item) for item in questions),
    )


def _question(question: Question) -> Markup:
    note = html('<p class="text">An expert wrote: “{}”</p>', question.note) if question.note else ""
    return html(
        '<li data-id="{}"><p class="kind">{}</p><p class="text">{}</p>{}'
        '<div class="actions"><button type="button" data-act="delete-question" class="danger" '
        'data-sure="Delete this question for good?">Delete</button></div></li>',
        question.id,
        {"waiting": "Waits for an expert", "answered": "Answered", "dismissed": "Dismissed"}[
            question.state
        ],
        question.text,
        note,
    )
