"""No function that reads what others wrote is slower than its text is long."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from langchain_core.messages import HumanMessage

from anamnesis.corpus.doses import above_maximum
from anamnesis.corpus.markup import plain_markdown, separate_blocks
from anamnesis.corpus.passage import Passage
from anamnesis.corpus.wrapping import unwrap
from anamnesis.language.quotable import units
from anamnesis.language.text import sentences, tidy
from anamnesis.memory.clauses import clauses
from anamnesis.memory.extract import extract_memories
from anamnesis.memory.record import now
from anamnesis.models.redaction import Redaction
from anamnesis.models.scrub import scrubbed
from app.server.bodies import RefusedError, check_json
from nodes.checking.checks import failed_checks
from nodes.checking.differing import differs_in_detail
from nodes.checking.disagreeing import disagreeing_evidence
from nodes.checking.question_warning import mentioned_entries, question_warnings
from nodes.checking.stopping import stopped_in
from nodes.choosing.declarative import asks_for_exception, hypothesis, statement_of
from nodes.evidence.orders import gives_orders
from nodes.evidence.safety import without_orders
from nodes.fields.options import read_options
from nodes.fields.turns import Offer
from nodes.question.followup import stand_alone
from nodes.question.offers import accepted_offer
from nodes.question.premise import premise_of
from nodes.question.urgency import red_flag
from nodes.writing.draft import Written, WrittenStatement, read_free_text, read_structured
from retrievers.spelling import Speller
from tests.hostile import slowest

SPELLER = Speller({"aspirin": 5, "asthma": 9, "since": 3}, lambda word: False)


def against(text: str) -> object:
    """A dose and a stop, held against the text, and the text held against a dose."""
    passage = Passage("a#0", "a", 0, len(text), text, "Ibuprofen")
    other = replace(passage, id="b#0", record_id="b", text="Take 10 mg of ibuprofen a day.")
    said = "Stop taking ibuprofen.", "Take 900 mg of ibuprofen a day."
    return [
        *(disagreeing_evidence(one, other, [passage]) for one in said),
        disagreeing_evidence(text, passage, [other]),
    ]


def looked_through(text: str) -> None:
    for body in text, json.dumps({"input": {"question": text}}), '{"input": [' + text:
        with suppress(RefusedError):
            check_json(body.encode())


def redacted(text: str) -> object:
    return Redaction().redacted([HumanMessage(text)])


READERS: dict[str, Callable[[str], object]] = {
    "sentences": sentences,
    "tidy": tidy,
    "units": lambda text: units(text),
    "premise_of": premise_of,
    "red_flag": red_flag,
    "failed_checks": lambda text: failed_checks(text, text),
    "statement_of": statement_of,
    "negated": asks_for_exception,
    "hypothesis": lambda text: hypothesis(text, "aspirin"),
    "accepted_offer": lambda text: accepted_offer(text, [Offer("gout", "What is gout?")]),
    "stand_alone": lambda text: stand_alone("and for children?", text, "gout"),
    "above_maximum": lambda text: above_maximum(text),
    "clauses": lambda text: list(clauses(text)),
    "extract_memories": lambda text: extract_memories(text, "what helps?"),
    "redaction": redacted,
    "plain_markdown": plain_markdown,
    "separate_blocks": separate_blocks,
    "unwrap": unwrap,
    "gives_orders": gives_orders,
    "without_orders": without_orders,
    "disagreeing": against,
    "stopped_in": stopped_in,
    "scrubbed": lambda text: scrubbed(text, [text]),
    "differs_in_detail": lambda text: differs_in_detail(text, f"{text} 5"),
    "read_options": lambda text: read_options([f"a{text}", "gout"]),
    "read_free_text": lambda text: read_free_text(text, ["a#0"], {"A": "gout", "B": "asthma"}),
    "read_structured": lambda text: read_structured(
        Written(found=True, statements=[WrittenStatement(text=text, citations=[1])]), ["a#0"], {}
    ),
    "repair": SPELLER.repair,
    "look_through": looked_through,
}
PIECES = [
    ("", piece, "")
    for piece in [
        *("(", ")", " ", "\n", "a", "a ", "A. ", "e.g. ", ". ", "?", "- a ", "1. ", "[", "[1] "),
        *(", ", ": ", "why does ", "since a ", "is it ", "not ", "500 mg ", "I have a ", "Mrs A "),
        *("<p", "<!--", "**a"),
    ]
]


def warned(text: str) -> object:
    return question_warnings(text, mentioned_entries(text, []), now())


MEDICINES = ["warfarin ", "aspirin allergy ", "allergic to aspirin, ", "I am 6 and ", "asthma "]


def test_warnings_on_a_question_take_no_longer_than_it_is_long() -> None:
    assert not slowest(warned, [("", piece, "") for piece in MEDICINES])


@pytest.mark.parametrize("name", READERS)
def test_no_reader_of_words_is_slower_than_they_are_long(name: str) -> None:
    assert not slowest(READERS[name], PIECES)
