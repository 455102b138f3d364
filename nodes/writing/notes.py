"""The notes that come before the statements of an answer."""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

from anamnesis.corpus.cautions import families_named
from anamnesis.corpus.everyday_names import OTHER
from anamnesis.corpus.medicines import other_products
from anamnesis.language.text import comma_list, tokenize
from nodes.fields.codes import NoteCode, Problem
from nodes.question.person import unmentioned, unmentioned_contents
from nodes.question.siblings import left_open
from nodes.settings.context import Context
from nodes.state import Answer, Evidence, Premise, Source, State, Statement
from nodes.writing.draft import problem_text
from nodes.writing.render import (
    DRAFTED,
    NEAREST,
    QUOTED_USER,
    SILENT,
    UNSURE,
    UNUSED,
    WITHHELD,
    crisis_comes_first,
    crisis_text,
    possible_text,
)
from retrievers.aliases import Renamed
from retrievers.spelling import Respelt

Unchecked = Literal["option_nearest", "option_drafted"]
"""The codes of the notes on an option that was not checked."""

LABEL = "If it is a product, check on its label what it contains."
"""The text after the last note on a name: products with the same name differ."""


class AnswerNote(NamedTuple):
    """A note for the user: what it is about, and its text."""

    code: NoteCode
    text: str


def notes(
    state: State,
    context: Context,
    statements: Sequence[Statement],
    sources: Sequence[Source],
    premise: Premise | None,
    problem: Problem | None,
    unchecked: Unchecked | None,
    *,
    unsure: bool,
) -> list[AnswerNote]:
    """The notes, in the order in which they are shown.

    ``problem`` is what is wrong with the draft of a chat model, ``unchecked`` the code of the note
    on an option that was not checked, and ``unsure`` whether the statements may not answer.
    """
    urgent, country = state["urgency"], context.triage.country
    message, query = state["original_question"], state["queries"][0]
    of_user = state["user_quotes"] if state["reason"] == "remembered" else []
    texts: dict[NoteCode, Iterable[str]] = {
        "emergency": [possible_text(urgent["kind"], country)] if urgent.get("possible") else [],
        "crisis": [crisis_text(country)] if crisis_comes_first(urgent) else [],
        "condensed": [f"Your message was read as: “{query}”"] if state.get("condensed") else [],
        "spelling": respelt(state.get("spelling") or []),
        "alias": notes_on_names(state.get("aliases") or []),
        "premise": _assumed(premise, sources),
        "problem": [note_on(problem, state["keyed_options"])] if problem else [],
        "option_nearest": [NEAREST] if unchecked == "option_nearest" else [],
        "option_drafted": [DRAFTED] if unchecked == "option_drafted" else [],
        "unmentioned": [
            *_unmentioned_contents(f"{message}\n{query}", statements),
            *_unmentioned_of_person(f"{message}\n{query}", sources),
        ]
        if statements
        else [],
        "topics": left_open(state, statements),
        "uncertain": [UNSURE] if unsure and statements else [],
        "conflicting_words": [note for item in of_user for note in item["notes"]],
        "own_words": [QUOTED_USER] if state["reason"] == "remembered" else [],
        "notice": [item["note"] for item in state.get("notices") or []],
    }
    return [AnswerNote(code, text) for code, found in texts.items() for text in found]


def answer_notes(answer: Answer) -> list[AnswerNote]:
    """The notes of an answer, each with its code."""
    return [*map(AnswerNote, answer["note_codes"], answer["notes"])]


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
    """Notes on names in the question that were replaced by what the documents call it.

    A name whose words are all in the other name ('HbA1c', 'HbA1c test') needs no note, nor does an
    everyday word for the same thing that no record lists ('jab', 'vaccine'). The last note warns of
    products, unless every name is known to be none of a medicine.
    """
    words = [
        item
        for item in words
        if {*tokenize(item["written"])} - {*tokenize(item["searched"])}
        and (item["title"] or item["source"] or item.get("category", "") != OTHER)
    ]
    notes = [
        f"“{item['written']}” was read as {item['searched']}{_because(item)}." for item in words
    ]
    may_be_product = any(item.get("category", "") in ("", "medicine") for item in words)
    return [*notes[:-1], f"{notes[-1]} {LABEL}"] if may_be_product else notes


def _because(renamed: Renamed) -> str:
    """Why a name was replaced: a record lists it, or the program knows it
    (``retrievers.terms``)."""
    said = comma_list(renamed["title"], renamed["source"])
    if not said:
        return ", the term that the documents use"
    return f": the documents list it as another name for {renamed['searched']} ({said})"


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


def note_on(problem: Problem, options: Collection[str]) -> str:
    """The note for the user if the documents are quoted in place of a chat model's answer.

    ``options`` are the keys of the options, if there are any.
    """
    if problem == "silent":
        return SILENT
    return WITHHELD if problem == "withheld" else UNUSED + problem_text(problem, options)


def _unmentioned_contents(question: str, statements: Sequence[Statement]) -> list[str]:
    """Notes on what a product in the question contains and no statement mentions."""
    found = []
    for product, missing in unmentioned_contents(question, [s["text"] for s in statements]).items():
        contents = other_products().get(product)  # a name that lists its contents needs no more
        contains = f"“{product}” contains {_series(contents, 'and')}. " if contents else ""
        found.append(f"{contains}The answer below does not speak of {_series(missing, 'or')}.")
    return found


def _series(names: Sequence[str], last: str) -> str:
    """'a, b and c'."""
    return f" {last} ".join([", ".join(names[:-1]), *names[-1:]] if len(names) > 1 else names)


def _unmentioned_of_person(question: str, sources: Sequence[Source]) -> list[str]:
    """A note on what the question says about a person, if no shown source mentions it."""
    texts = [f"{item['title']} {item['text']}" for item in sources]
    missing = unmentioned(question, texts)
    if not missing:
        return []
    found = [f"The sources shown do not mention {' or '.join(missing)}."]
    for name in missing:
        found += [
            f"{name.capitalize()} belongs to the {item.name}, which they mention "
            f"({item.reference})."
            for item in families_named([name], " ".join(texts))[:1]
        ]
    return [" ".join(found)]


def _quotation(place: Evidence | None, sources: Sequence[Source]) -> str:
    """The quoted text of a span and the title of its source, for a note."""
    for source in sources:
        if place and source["id"] == place["document"]:
            quote = " ".join(source["text"][place["start"] : place["end"]].split())
            named = comma_list(source["title"], source["source"])
            return f" – “{quote}” ({named or source['id']})"
    return ""
