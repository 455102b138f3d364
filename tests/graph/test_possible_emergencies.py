"""What is probably no emergency: whom to call comes first, and the question is answered too."""

from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.models.reading import URGENCY_KINDS, Triage
from graph import build_graph
from nodes.parts import Parts
from nodes.question.triage import CERTAIN, CERTAIN_SELF_HARM, FIRST_AID
from prompts import NOT_FOUND
from retrievers.index import Index
from tests.graph.conftest import ASK, CHECKED, GOOD, Queue, built, path_of
from tests.graph.test_kept_replies import Kept

Chat = Callable[..., Queue]
BRITISH = CHECKED.changed({"triage.country": "GB"})
POSSIBLE = (
    "If this came on suddenly, is severe or getting worse, or began after a poison or too much "
    "of a medicine was taken, it may be an emergency: call 999 now"
)


CHOKING = "My son is choking on a grape, what should I do?"


@pytest.fixture
def classified(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets the probability of an emergency, and its kind, for every message.

    No page on first aid fits so certainly that nothing is searched for.
    """
    monkeypatch.setattr("nodes.question.triage.FIRST_AID", 1.1)

    def set_to(chance: float, kind: str = "medical", harm: float = 0.0) -> None:
        kinds = {name: float(name == kind) for name in URGENCY_KINDS}
        levels = {"emergency": chance, "urgent": 0.0, "routine": 1 - chance}
        monkeypatch.setattr(Parts, "triage", lambda *_: lambda _: Triage(levels, kinds, harm))

    return set_to


def test_the_note_on_whom_to_call_comes_first_and_the_question_is_answered(
    small_index: Index, queue: Chat, classified: Callable[..., None]
) -> None:
    classified(CERTAIN - 0.1)
    graph = built(small_index, queue(f"{GOOD} [1]"), {GOOD: 0.9})
    answer = graph.invoke(ASK, context=BRITISH)["answer"]
    assert (answer["outcome"], answer["urgency"]) == ("answered", "emergency")
    assert answer["text"].startswith(POSSIBLE)
    assert [item["text"] for item in answer["statements"]] == [GOOD]


def test_first_aid_that_certainly_fits_answers_without_a_search(
    small_index: Index,
    queue: Chat,
    classified: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    classified(CERTAIN - 0.1)
    scald = {"question": "spilled boiling water on my hand, what do i do first"}
    monkeypatch.setattr("nodes.question.triage.FIRST_AID", FIRST_AID)
    graph = built(small_index, queue(NOT_FOUND), {})
    assert path_of(graph, scald, BRITISH) == ["screen", "fallback", "remember"]
    answer = graph.invoke(scald, context=BRITISH)["answer"]
    assert answer["outcome"] == "urgent"
    assert answer["text"].startswith("This may be an emergency. If it is, call 999 now")
    assert "running water" in answer["text"]


def test_the_poison_centre_is_named_too(
    small_index: Index, queue: Chat, classified: Callable[..., None]
) -> None:
    classified(0.5, "poisoning")
    graph = built(small_index, queue(f"{GOOD} [1]"), {GOOD: 0.9})
    assert "poison" in graph.invoke(ASK, context=BRITISH)["answer"]["notes"][0]


def test_first_aid_is_shown_if_the_documents_have_no_answer(
    small_index: Index, queue: Chat, classified: Callable[..., None]
) -> None:
    classified(0.5)
    graph = built(small_index, queue(NOT_FOUND), {})
    answer = graph.invoke({"question": CHOKING}, context=BRITISH)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("urgent", "emergency")
    assert "Until help comes:" in answer["text"]


def test_a_reader_that_cannot_be_loaded_does_not_hide_whom_to_call(
    small_index: Index, classified: Callable[..., None], tmp_path: Path
) -> None:
    classified(CERTAIN)
    context = BRITISH.changed({"retrieval.reranker": str(tmp_path / "none")})
    graph = build_graph(index=small_index)
    answer = graph.invoke({"question": CHOKING}, context=context)["answer"]
    assert answer["outcome"] == "urgent"
    assert "999" in answer["text"]


def test_whom_to_call_is_said_before_an_answer_that_states_nothing(
    small_index: Index,
    queue: Chat,
    classified: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    classified(0.5)
    # The page on asthma attacks fits these words, and its steps would be shown.
    monkeypatch.setattr("nodes.writing.remaining.steps", lambda *_: None)
    answer = built(small_index, queue(NOT_FOUND), {}).invoke(ASK, context=BRITISH)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("abstained", "not_found")
    assert answer["text"].startswith(POSSIBLE)
    assert (answer["nearest"], answer["clarify"]) == ([], [])


def test_a_certain_emergency_and_thoughts_of_self_harm_are_not_searched_for(
    small_index: Index, queue: Chat, classified: Callable[..., None]
) -> None:
    for chance, kind, harm in ((CERTAIN, "medical", 0.0), (0.5, "self-harm", CERTAIN_SELF_HARM)):
        classified(chance, kind, harm)
        graph = built(small_index, queue(), {})
        assert path_of(graph, ASK, BRITISH) == ["screen", "fallback", "remember"]


def test_whom_to_call_is_said_where_there_is_no_index(
    no_home: Path, classified: Callable[..., None]
) -> None:
    classified(0.5)
    answer = build_graph().invoke(ASK)["answer"]
    assert (answer["outcome"], answer["urgency"]) == ("urgent", "emergency")
    assert "112" in answer["text"]


def test_nothing_is_remembered_and_no_reply_is_cached(
    small_index: Index,
    no_home: Path,
    classified: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANAMNESIS_REPLY_CACHE_DAYS", "7")
    cached = Kept(small_index)
    first, calls = cached.ask()
    assert (first["urgency"], calls > 0, cached.ask()[1]) == ("routine", True, 0)
    assert cached.memories.all("ann")
    classified(0.5)
    possible = Kept(small_index)
    possible.memories.delete("ann")
    second, calls = possible.ask()
    assert (second["urgency"], possible.ask()[1]) == ("emergency", calls)
    assert possible.memories.all("ann") == []
