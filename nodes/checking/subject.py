"""Checks that need the question: is a statement about the kind and the medicine asked about?

A *kind* is a numbered or lettered type: type 1 and type 2 diabetes, hepatitis A and hepatitis B. A
page on type 1 diabetes, or on a different medicine, may read like an answer to a question about
type 2. What is quoted from it has the support of its source, and the user may take it for an
answer. A page on a maximum dose may read like an answer to any question on the medicine, so it is
used only where that dose is asked for.

The checks only turn statements down. The extractive generator applies them to each sentence before
it quotes it, so that the next sentences take its place: if it quoted first and checked afterwards,
"how is type 2 diabetes treated" would get no answer, because pages on type 1 come first. What a
chat model writes is checked afterwards.
"""

import re
from collections.abc import Sequence

from anamnesis.corpus.cautions import families_named
from anamnesis.corpus.doses import doses
from anamnesis.corpus.medicines import (
    is_mentioned,
    medicines_in,
    other_medicines,
    products_in,
)
from anamnesis.corpus.passage import Passage
from anamnesis.corpus.result_values import opposite_result
from anamnesis.language.lexicon import any_of
from anamnesis.language.text import sentences, tokenize, well_formed
from anamnesis.language.variants import other_kinds
from anamnesis.memory.reading import read_profile
from anamnesis.memory.record import now
from anamnesis.models.dose_mishap import LEAST, about_dose_mishap, is_mishap_page
from nodes.checking.question_warning import mentioned_entries, question_warnings
from nodes.evidence.safety import failing
from nodes.fields.codes import FailedCheck
from nodes.question.circumstances import ages
from nodes.question.several import question_states
from nodes.state import State, Statement

KIND = "kind"
"""The failed check of a statement that is only about a different kind than the question."""

MEDICINE = "medicine"
"""The failed check of a statement from a page on a different medicine than the question."""

RESULT = "opposite result"
"""The failed check of a statement from a page on a low result of a test, if the question is about a
high one, or the reverse.
"""

DOSE = "dose not asked for"
"""The failed check of a statement from a page on a maximum dose, or on a missed or repeated one,
that the question does not ask for.
"""

# Pages that say how much of a medicine an adult, or a child, may take at most.
_ADULT = re.compile(r"\badults?\b.{0,80}\bmaximum dose\b", re.IGNORECASE)
_CHILDS = re.compile(r"\bmy child\b.{0,80}\bmaximum dose\b", re.IGNORECASE)
_AMOUNT = re.compile(rf"\b(?:{any_of('asks_for_amount', 'number')})\b|\d", re.IGNORECASE)
# The reader takes the hours between two doses for an answer to 'How long does it take to work?'
_EFFECT = re.compile(
    r"\bhow (?:long|soon|fast|quick\w{0,2}|many (?:hours|minutes))\b.{0,80}?"
    rf"\b(?:{any_of('takes_effect')})\b",
    re.IGNORECASE,
)
# What was swallowed calls for help, not for a limit.
_SWALLOWED = re.compile(
    rf"\b(?:{any_of('swallowed')}|swallow\w*|overdos\w*|accident\w*|by mistake|got into)\b",
    re.IGNORECASE,
)
_CHILD = re.compile(rf"\b(?:{any_of('children')}|son|daughter|give|giving)\b", re.IGNORECASE)
# An amount of something else.
_DRINKS = re.compile(
    r"\bhow (?:much|many) (?:alcohol|wines?|beers?|drinks?|water)\b", re.IGNORECASE
)
_ANIMAL = re.compile(rf"\b(?:{any_of('animals')})\b", re.IGNORECASE)
_CHILD_AGE = 12
"""Packs give a child's dose below this age in years."""


def questions_asked(state: State) -> dict[int, str]:
    """The questions by number, 0 if there is only one; empty if options are to be chosen from.

    The reasons for an option may be about anything that the question names.
    """
    if state["keyed_options"]:
        return {}
    return {number: item["queries"][0] for number, item in question_states(state)}


def on_another_kind(question: str, text: str) -> list[FailedCheck]:
    """The check that a text fails if it names only different kinds than the question."""
    return [{"code": KIND, "found": item} for item in other_kinds(question, text)]


def on_another_subject(question: str, passage: Passage) -> list[FailedCheck]:
    """The checks that a passage fails as a source of an answer."""
    medicines = other_medicines(question, passage.heading, passage.text)
    result = opposite_result(question, passage.heading)
    return [
        *on_another_kind(question, passage.heading),
        *([FailedCheck(code=RESULT, found=result)] if result else []),
        *(
            FailedCheck(code=MEDICINE, found=item)
            for item in [*medicines, *_dosed_alone(question, passage)]
        ),
        *([FailedCheck(code=DOSE, found="")] if is_unasked_dose(question, passage) else []),
    ]


def on_unasked_mishap(question: str, passage: Passage) -> list[FailedCheck]:
    """The check that a passage on a missed or repeated dose fails if the question is not about one.

    Raises ModelError if the weights that decide are missing or damaged.
    """
    unasked = (
        is_mishap_page(well_formed(passage.heading))
        and about_dose_mishap(well_formed(question)) < LEAST
    )
    return [{"code": DOSE, "found": ""}] if unasked else []


def on_another_member(question: str, passage: Passage, text: str) -> list[FailedCheck]:
    """The check that a text of a passage fails if it is only about another medicine of a family.

    A page on lisinopril that names ACE inhibitors answers a question about ramipril only where it
    speaks of ACE inhibitors.
    """
    asked, of_heading = medicines_in(question), medicines_in(passage.heading)
    if not asked or not of_heading or asked & medicines_in(f"{passage.heading} {passage.text}"):
        return []
    named = families_named(asked, text)
    return [] if named else [FailedCheck(code=MEDICINE, found=item) for item in sorted(of_heading)]


def dose_not_asked(state: State, passage: Passage) -> bool:
    """Whether a passage is on a maximum dose that must not be shown.

    That is so if no question asks for it, or if self-harm is likely: somebody who may harm
    themselves, or who speaks of such a person, does not see how much of a medicine can be taken.
    """
    questions = [item["queries"][0] for _, item in question_states(state)]
    return _on_maximum_dose(passage) and (
        state["urgency"].get("no_doses", False)
        or all(is_unasked_dose(item, passage) for item in questions)
    )


def _on_maximum_dose(passage: Passage) -> bool:
    return any(found.search(passage.heading) for found in (_ADULT, _CHILDS))


def is_unasked_dose(question: str, passage: Passage) -> bool:
    """Whether a passage is on a maximum dose and the question does not ask for it.

    It asks for it if it names this medicine and no other, asks for an amount, and is about an adult
    for an adult's dose and about a child for a child's. For two medicines together, the maximum of
    either says nothing. Nor does it if the question itself has a reason against the medicine, such
    as a pregnancy.
    """
    if not _on_maximum_dose(passage):
        return False
    adults = _ADULT.search(passage.heading) is not None
    child = _CHILD.search(question) or any(age < _CHILD_AGE for age in ages(question))
    return (
        bool(child) == adults
        or not _named(question, passage)
        or len(medicines_in(question)) > 1
        or not _AMOUNT.search(question)
        or any(found.search(question) for found in (_EFFECT, _SWALLOWED, _DRINKS, _ANIMAL))
        or _is_warned(question)
    )


def _is_warned(question: str) -> bool:
    profile = read_profile(question)
    return bool(
        question_warnings(question, [*profile, *mentioned_entries(question, profile)], now())
    )


def _named(question: str, passage: Passage) -> bool:
    """Whether a question names a passage's topic, or a product that contains it."""
    asked = f" {' '.join(tokenize(question))} "
    names = [" ".join(tokenize(name)) for name in (passage.focus, *passage.aliases)]
    return any(passage.focus.lower() in found for found in products_in(question).values()) or any(
        f" {name} " in asked or f" {name}s " in asked for name in names
    )


def _dosed_alone(question: str, passage: Passage) -> list[str]:
    """The medicines that a passage gives a dose of, if the question names a product with more.

    How much of Tylenol PM may be taken does not follow from the dose of paracetamol.
    """
    said = f"{passage.heading} {passage.text}"
    contents = {item for found in products_in(question).values() for item in found}
    if all(is_mentioned(item, said) for item in contents):
        return []
    parts = (passage.text[span.start : span.end] for span in sentences(passage.text))
    about = (passage.heading, passage.title, passage.focus)
    return sorted({dose.medicine for part in parts for dose in doses(part, about)})


def on_subject(item: Statement, question: str, passages: Sequence[Passage]) -> Statement:
    """The statement; it becomes unsupported if it is not on the question's kind or medicine.

    That is so if its text, or the heading of a passage that it cites, names only different kinds
    than the question; if a passage that it cites is about a different medicine, unless passage and
    statement name the family of the medicine that the question names; or if such a passage is on a
    maximum dose that the question does not ask for. A statement that is not supported (or, without
    a critic, unchecked) is unchanged.
    """
    if item["verdict"] not in ("supported", "unchecked"):
        return item
    cited = [entry for entry in passages if entry.id in item["citations"]]
    failed = on_another_kind(question, item["text"])
    for entry in cited:
        failed += on_another_subject(question, entry)
        failed += on_another_member(question, entry, item["text"])
    once = [found for place, found in enumerate(failed) if found not in failed[:place]]
    return failing(item, once) if once else item


def only_another_subject(failed: Sequence[FailedCheck]) -> bool:
    """Whether a statement fails only these checks: its source supports it, but it answers another
    question.
    """
    return bool(failed) and all(item["code"] in (KIND, MEDICINE, RESULT, DOSE) for item in failed)


def counted_statements(statements: Sequence[Statement]) -> list[Statement]:
    """The statements whose support counts: a further search cannot confirm the others."""
    return [item for item in statements if not only_another_subject(item["failed"])]
