"""``POST /feedback`` over a server whose thread holds an answer that memories have shaped."""

from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from anamnesis.memory.questions import Questions
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from tests.app.own_routes import asked_by, bearer
from tests.fakes import HashEmbedder


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memories:
    memories = Memories(tmp_path / "memory", HashEmbedder())
    monkeypatch.setattr("app.server.routes.open_memories", lambda: memories)
    return memories


@pytest.fixture
def memory(kept: Memories) -> Memory:
    memory = Memory.make(owner="ann", kind="question", text="I have gout.")
    return kept.add("ann", [memory])[0]


class Server:
    """The routes over threads whose one answer was shaped by a memory, and one that is gone."""

    def __init__(self, memory: Memory) -> None:
        self.turn, self.next = "turn", list[str]()
        self._items: dict[str, Any] = {}
        self.answer: dict[str, Any] = {}
        self._shaping = [{"id": memory.id, "text": memory.text}, {"id": "gone", "text": "gone"}]
        self.http = asked_by(
            None,
            Route("/threads/{id}/state", self._state),
            Route("/store/items", self._put, methods=["PUT"]),
            Route("/store/items/search", self._search, methods=["POST"]),
        )

    def feedback(self, correct: bool, ask_experts: bool = False, **more: Any) -> int:
        body = {"thread_id": "1", "correct": correct, "ask_experts": ask_experts}
        return self.http.post("/feedback", json=body, **more).status_code

    async def _state(self, _: Request) -> JSONResponse:
        values = {"answer": {"memories": self._shaping, **self.answer}}
        point = {"checkpoint_id": self.turn}
        return JSONResponse({"values": values, "checkpoint": point, "next": self.next})

    async def _put(self, request: Request) -> JSONResponse:
        body = await request.json()
        self._items[body["key"]] = body["value"]
        return JSONResponse({})

    async def _search(self, _: Request) -> JSONResponse:
        return JSONResponse({"items": [{"value": value} for value in self._items.values()]})


@pytest.fixture
def server(memory: Memory) -> Server:
    return Server(memory)


ANN = {"headers": bearer("ann")}


@pytest.mark.parametrize("who", [ANN, {"params": {"user": "ann"}}])
def test_the_memories_that_shaped_an_answer_are_rated_with_it(
    server: Server, kept: Memories, memory: Memory, who: dict[str, Any]
) -> None:
    assert server.feedback(False, **who) == 200
    rated = kept.get("ann", memory.id)
    assert (rated.incorrect, rated.rating, round(rated.trust, 3)) == (1, "bad", 0.24)


def test_only_the_first_feedback_of_a_turn_counts(
    server: Server, kept: Memories, memory: Memory
) -> None:
    for correct in (False, False, True):
        server.feedback(correct, **ANN)
    rated = kept.get("ann", memory.id)
    assert (rated.correct, rated.incorrect) == (0, 1)
    [feedback] = server.http.get("/feedback", **ANN).json()
    assert feedback["correct"] is True
    server.turn = "the next turn"
    server.feedback(True, **ANN)
    assert kept.get("ann", memory.id).correct == 1


def test_users_without_tokens_do_not_count_for_each_other(
    server: Server, kept: Memories, memory: Memory
) -> None:
    for user in ("ann", "bob", "ann"):
        server.feedback(False, params={"user": user})
    assert kept.get("ann", memory.id).incorrect == 1
    assert len(server.http.get("/feedback").json()) == 2


def test_nobodys_and_another_users_feedback_rates_nothing(
    server: Server, kept: Memories, memory: Memory
) -> None:
    assert server.feedback(False) == 200
    assert server.feedback(True, params={"user": "bob"}) == 200
    assert kept.get("ann", memory.id) == memory


def test_while_a_run_has_not_ended_the_answer_is_none_of_its(
    server: Server, kept: Memories, memory: Memory
) -> None:
    server.next = ["verify"]
    assert server.feedback(False, **ANN) == 422
    assert kept.get("ann", memory.id) == memory


WRONG: dict[str, Any] = {
    "query": "What causes gout?",
    "outcome": "abstained",
    "reason": "not_found",
    "verdict": None,
    "statements": [],
    "notes": ["The documents have changed since your question “What is HIV?” was answered."],
    "withheld": [],
    "clarify": [],
    "nearest": [],
    "advice": [],
}


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Questions:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    return Questions(tmp_path / "memory")


def test_a_question_waits_for_experts_with_nothing_else_about_its_user(
    server: Server, questions: Questions
) -> None:
    server.answer = WRONG
    assert server.feedback(False, **ANN) == 200
    assert server.feedback(True, ask_experts=True, **ANN) == 200
    assert questions.all() == []
    assert server.feedback(False, ask_experts=True, **ANN) == 200
    [waiting] = questions.all()
    assert (waiting.text, waiting.why) == ("What causes gout?", "rated wrong")
    assert "Not found" in waiting.answer
    assert "HIV" not in waiting.answer
    assert "I have gout" not in waiting.answer


def test_an_answer_in_the_users_own_words_does_not_wait(
    server: Server, questions: Questions
) -> None:
    server.answer = {**WRONG, "outcome": "answered", "reason": "remembered"}
    assert server.feedback(False, ask_experts=True, **ANN) == 200
    assert questions.all() == []


def test_what_the_policy_forbids_is_refused_and_nothing_is_stored(
    server: Server, kept: Memories, memory: Memory, questions: Questions, tmp_path: Path
) -> None:
    server.answer = WRONG
    (tmp_path / "policy.json").write_text('{"callers": {}}')
    assert server.feedback(False, ask_experts=True, **ANN) == 422
    assert questions.all() == []
    assert kept.get("ann", memory.id) == memory
    assert server.http.get("/feedback", **ANN).json() == []
    assert server.feedback(False, **ANN) == 200
