"""Checks that need the question: is a statement about the kind and the medicine asked about?

A page on type 1 diabetes, or on another medicine, may read like an answer to a question about type
2. What is quoted from it has the support of its source, and the user may take it for an answer.
Both checks only turn statements down. The extractive generator applies them to each sentence before
it quotes it, so that the next sentences take its place: if it quoted first and checked afterwards,
"how is type 2 diabetes treated" would get no answer, because pages on type 1 come first. What a
chat model writes is checked afterwards.
"""

from collections.abc import Sequence

from anamnesis.corpus.medicines import other_medicines
from anamnesis.corpus.passage import Passage
from anamnesis.language.variants import other_kinds
from nodes.fields.codes import FailedCheck
from nodes.question.several import question_states
from nodes.state import State, Statement

KIND = "kind"
"""The failed check of a statement about another kind of a thing than the question."""

MEDICINE = "medicine"
"""The failed check of a statement from a page on another medicine than the question."""


def questions_asked(state: State) -> dict[int, str]:
    """The questions by number, 0 if there is only one; empty if options are to be chosen from.

    The reasons for an option may be about anything that the question names.
    """
    if state["keyed_options"]:
        return {}
    return {number: item["queries"][0] for number, item in question_states(state)}


def on_another_kind(question: str, text: str) -> list[FailedCheck]:
    """The check that a text fails if it names only other kinds of a thing than the question."""
    return [{"code": KIND, "found": item} for item in other_kinds(question, text)]


def on_another_subject(question: str, passage: Passage) -> list[FailedCheck]:
    """The checks that a passage fails as a source of an answer."""
    return [
        *on_another_kind(question, passage.heading),
        *(
            FailedCheck(code=MEDICINE, found=item)
            for item in other_medicines(question, passage.heading, passage.text)
        ),
    ]


def on_subject(item: Statement, question: str, passages: Sequence[Passage]) -> Statement:
    """The statement; it becomes unsupported if it is not on the question's kind or medicine.

    That is so if its text, or the heading of a passage that it cites, names only other kinds of a
    thing than the question, or if a passage that it cites is about another medicine. A statement
    that is not supported (or, without a critic, unchecked) is unchanged.
    """
    if item["verdict"] not in ("supported", "unchecked"):
        return item
    cited = [entry for entry in passages if entry.id in item["citations"]]
    failed = on_another_kind(question, item["text"])
    failed += [found for entry in cited for found in on_another_subject(question, entry)]
    if not failed:
        return item
    once = [found for place, found in enumerate(failed) if found not in failed[:place]]
    return {
        **item,
        "verdict": "unsupported",
        "citations": [],
        "evidence": None,
        "failed": [*item["failed"], *once],
        "conflict": None,
    }


def only_another_subject(failed: Sequence[FailedCheck]) -> bool:
    """Whether a statement fails these checks and no other: it is supported, but answers another
    question.
    """
    return bool(failed) and all(item["code"] in (KIND, MEDICINE) for item in failed)


def counted(statements: Sequence[Statement]) -> list[Statement]:
    """The statements whose support counts: a further search cannot confirm the others."""
    return [item for item in statements if not only_another_subject(item["failed"])]
