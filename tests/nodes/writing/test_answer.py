"""The answer, composed from the state and the statements to show."""

from typing import Any

import pytest

from anamnesis.corpus.passage import Passage
from graph import Context
from nodes.parts import EXTRACTIVE, Parts
from nodes.state import Outcome
from nodes.writing.answer import compose, confirmed_answer
from retrievers.index import Index
from tests.fakes import FakeCritic, NoReranker, silent
from tests.nodes.steps import drafted, judged, round_of, selected, state_of

EVIDENCE = {"document": "asthma#0", "start": 0, "end": 23}
GOOD = judged("Asthma causes wheezing.", evidence=EVIDENCE, probability=0.9)
WRONG = judged("Asthma is cured by honey.", "unsupported", probability=0.1)
READ = [{"id": "gout#0", "relevance": 0.3, "start": 0, "end": 37}]


@pytest.fixture
def parts(small_index: Index) -> Parts:
    return Parts(
        given_index=small_index, given_critic=FakeCritic(silent), given_reranker=NoReranker()
    )


def state(**more: Any) -> Any:
    given = {
        "reason": "supported", "draft": drafted(), "selected": [selected("asthma")], "read": READ,
        "rounds": [round_of(GOOD, WRONG, score=0.5, passages=["asthma#0"])],
    }  # fmt: skip
    return state_of(**{**given, **more})


def answer(parts: Parts, outcome: Outcome, shown: Any, hidden: Any = (), **more: Any) -> Any:
    return compose(state(**more), Context(), parts, outcome, shown, hidden)["answer"]


def test_an_answer_cites_records_and_quotes_their_texts(parts: Parts) -> None:
    update = compose(state(), Context(), parts, "partial", [GOOD], [WRONG])
    answer = update["answer"]
    assert update["cited"] == ["asthma#0"]
    [item], [source] = answer["statements"], answer["sources"]
    assert (item["citations"], source["id"]) == (["asthma"], "asthma")
    span = item["evidence"]
    assert source["text"][span["start"] : span["end"]] == "Asthma causes wheezing."
    assert answer["unconfirmed"] == [WRONG["text"]]
    assert [held["text"] for held in answer["withheld"]] == [WRONG["text"]]
    assert (answer["generator"], answer["critic"], answer["rounds"]) == (EXTRACTIVE, "fake", 1)
    assert answer["confidence"] == {"support": 0.9, "relevance": 0.9}
    assert (answer["nearest"], answer["text"]) == ([], "")


def test_pages_that_are_not_in_the_index_are_given_and_no_passages_of_it(parts: Parts) -> None:
    page = Passage("aid#0", "aid", 0, 9, "Lie down.", title="Fainting")
    said = judged("Lie down.", citations=["aid#0"])
    update = compose(state(), Context(), parts, "urgent", [said], [], [page])
    assert [item["title"] for item in update["answer"]["sources"]] == ["Fainting"]
    assert update["cited"] == []


@pytest.mark.parametrize(("possible", "pages"), [(False, ["gout"]), (True, [])])
def test_pages_to_read_are_listed_if_nothing_is_stated_but_not_in_a_possible_emergency(
    parts: Parts, possible: bool, pages: list[str]
) -> None:
    urgency = {"level": "emergency" if possible else "routine", "kind": "medical" * possible,
               "crisis": False, "why": "", "possible": possible}  # fmt: skip
    result = answer(parts, "abstained", [], reason="not_found", urgency=urgency, selected=[])
    assert [item["id"] for item in result["nearest"]] == pages
    assert result["alternatives"] == result["sources"] == []


def test_an_emergency_has_no_notes_and_only_memories_of_the_prompt_are_named(parts: Parts) -> None:
    memory: Any = {"id": "m1", "text": "I wheeze."}
    draft = {**drafted(), "prompt": {"memories": ["m1"]}, "problem": "silent"}
    recalled = [memory, {**memory, "id": "m2"}]
    result = answer(parts, "answered", [GOOD], draft=draft, recalled=recalled)
    assert result["memories"] == [memory]
    assert result["note_codes"] == ["problem"]
    assert result["quoted_instead"]
    urgent = answer(parts, "urgent", [GOOD], draft=draft, reason="emergency")
    assert (urgent["notes"], urgent["quoted_instead"]) == ([], False)


def test_what_was_confirmed_is_answered_in_whole_or_in_part(parts: Parts) -> None:
    sent: list[Any] = []
    whole = confirmed_answer(state(), Context(), parts, [GOOD], [], sent.append)
    assert (whole["reason"], whole["answer"]["outcome"], sent) == ("supported", "answered", [])
    part = confirmed_answer(state(), Context(), parts, [GOOD], [WRONG], sent.append)
    assert part["answer"]["outcome"] == "partial"


def test_a_question_without_an_answer_among_several_makes_it_partial(parts: Parts) -> None:
    questions = [{"question": text, "query": text} for text in ("What is asthma?", "And gout?")]
    statement = {**GOOD, "part": 1}
    rounds = [round_of(statement, score=1.0)]
    several = state(sub_questions=questions, rounds=rounds, selected=[selected("asthma", part=1)])
    found = confirmed_answer(several, Context(), parts, [statement], [], lambda _: None)
    assert (found["reason"], found["answer"]["outcome"]) == ("part_unanswered", "partial")
    assert [item["answered"] for item in found["answer"]["parts"]] == [True, False]


def test_statements_that_could_not_be_streamed_before_are_sent_with_the_answer(
    parts: Parts,
) -> None:
    sent: list[Any] = []
    streams = Context.model_validate({"generator.stream_statements": True})
    chosen = state(
        keyed_options={"A": "honey", "B": "wheezing"},
        rounds=[round_of(GOOD, score=1.0, choice="B")],
    )
    confirmed_answer(chosen, streams, parts, [GOOD, WRONG], [], sent.append)
    assert sent == [GOOD]
    sent.clear()
    confirmed_answer(state(), streams, parts, [GOOD], [], sent.append)
    assert sent == []
