"""The notes that come before the statements of an answer."""

from collections.abc import Sequence

from nodes.context import Context
from nodes.question.person import unmentioned
from nodes.question.siblings import left_open
from nodes.state import Evidence, Premise, Source, State, Statement
from nodes.writing.render import (
    QUOTED_USER,
    SILENT,
    UNSURE,
    UNUSED,
    WITHHELD,
    crisis_text,
    possible_text,
)
from retrievers.aliases import Renamed
from retrievers.spelling import Respelt

LABEL = "If it is a product, check on its label what it contains."
"""The text after the last note on a name: products with the same name differ."""


def notes(
    state: State,
    context: Context,
    statements: Sequence[Statement],
    sources: Sequence[Source],
    premise: Premise | None,
    problem: str | None,
    unchecked: str | None,
    *,
    unsure: bool = False,
) -> list[str]:
    """The notes, in the order in which they are shown.

    ``problem`` is what is wrong with the draft of a chat model; ``unchecked`` is the note on an
    option that was not checked; ``unsure``: it is uncertain whether the statements answer.
    """
    urgent, country = state["urgency"], context.triage.country
    return [
        *([possible_text(urgent["kind"], country)] if urgent.get("possible") else []),
        *([crisis_text(country)] if urgent["crisis"] else []),
        *([f"Your message was read as: “{state['queries'][0]}”"] if state.get("condensed") else []),
        *respelt(state.get("spelling") or []),
        *notes_on_names(state.get("aliases") or []),
        *_assumed(premise, sources),
        *([note_on(problem)] if problem else []),
        *([unchecked] if unchecked else []),
        *(
            _unspoken(f"{state['original_question']} {state['queries'][0]}", sources)
            if statements
            else []
        ),
        *left_open(state, statements),
        *([UNSURE] if unsure and statements else []),
        *(_quoted_user(state) if state["reason"] == "remembered" else []),
        *(item["note"] for item in state.get("notices") or []),
    ]


def _quoted_user(state: State) -> list[str]:
    """The notes on quotations of the user's own words."""
    return [*(note for item in state["user_quotes"] for note in item["notes"]), QUOTED_USER]


def respelt(words: Sequence[Respelt]) -> list[str]:
    """A note on words of the question whose spelling was corrected for the search."""
    if not words:
        return []
    searched, written = (
        ", ".join(f"“{word}”" for word in dict.fromkeys(side))
        for side in ([item["searched"] for item in words], [item["written"] for item in words])
    )
    return [f"Searched for {searched}; you wrote {written}."]


def notes_on_names(words: Sequence[Renamed]) -> list[str]:
    """Notes on names in the question that the documents list as other names of something."""
    notes = [
        f"“{item['written']}” was read as {item['searched']}: the documents list it as "
        f"another name for {item['searched']}{_listed_in(item)}."
        for item in words
    ]
    return [*notes[:-1], f"{notes[-1]} {LABEL}"] if notes else []


def _listed_in(renamed: Renamed) -> str:
    """The record that lists a name, in parentheses; nothing if it says neither title nor source."""
    said = ", ".join(part for part in (renamed["title"], renamed["source"]) if part)
    return f" ({said})" if said else ""


def _assumed(premise: Premise | None, sources: Sequence[Source]) -> list[str]:
    """A note on an assumption in the question that no document supports."""
    if premise is None or premise["verdict"] == "supported":
        return []
    if premise["verdict"] == "contradicted":
        found = "The documents searched contradict an assumption in the question"
    elif premise["verdict"] == "unchecked":
        found = "An assumption in the question was not checked against the documents"
    else:
        found = "The documents searched do not confirm an assumption in the question"
    place = _quotation(premise["evidence"], sources) if premise["verdict"] == "contradicted" else ""
    return [f"{found}: “{premise['text']}”{place}"]


def note_on(problem: str) -> str:
    """The note for the user if the documents are quoted in place of a chat model's answer."""
    return problem if problem in (SILENT, WITHHELD) else UNUSED + problem


def _unspoken(question: str, sources: Sequence[Source]) -> list[str]:
    """A note on what the question says about a person, if no shown source mentions it."""
    missing = unmentioned(question, [f"{item['title']} {item['text']}" for item in sources])
    if not missing:
        return []
    return [f"The sources shown do not mention {' or '.join(missing)}."]


def _quotation(place: Evidence | None, sources: Sequence[Source]) -> str:
    """The quoted text of a span and the title of its source, for a note."""
    for source in sources:
        if place and source["id"] == place["document"]:
            quote = " ".join(source["text"][place["start"] : place["end"]].split())
            named = ", ".join(part for part in (source["title"], source["source"]) if part)
            return f" – “{quote}” ({named or source['id']})"
    return ""
