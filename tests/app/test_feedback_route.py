"""``POST /feedback`` over a server whose thread holds an answer that memories have shaped."""

from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend, SimpleUser
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.routes import ROUTES
from memory.record import Memory
from memory.store import Memories
from tests.fakes import HashEmbedder


class _Ann(AuthenticationBackend):
    """Everybody with a token is Ann."""

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, SimpleUser] | None:
        known = "authorization" in conn.headers
        return (AuthCredentials(), _User("ann")) if known else None


class _User(SimpleUser):
    @property
    def identity(self) -> str:
        return self.username

    def items(self) -> list[tuple[str, Any]]:
        return []


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memories:
    memories = Memories(tmp_path / "memory", HashEmbedder())
    monkeypatch.setattr("app.routes.open_memories", lambda: memories)
    return memories


@pytest.fixture
def memory(kept: Memories) -> Memory:
    own = Memory.make(owner="ann", kind="question", text="I have gout.")
    return kept.add("ann", [own])[0]


@pytest.fixture
def http(memory: Memory) -> TestClient:
    items: dict[str, Any] = {}

    async def state(_: Request) -> JSONResponse:
        values = {"answer": {"memories": [{"id": memory.id}, {"id": "gone"}]}}
        return JSONResponse({"values": values, "checkpoint": {"checkpoint_id": "turn"}})

    async def put(request: Request) -> JSONResponse:
        told = await request.json()
        items[told["key"]] = told["value"]
        return JSONResponse({})

    async def search(_: Request) -> JSONResponse:
        return JSONResponse({"items": [{"value": own} for own in items.values()]})

    own = [Route(path, make, methods=[method]) for (method, path), make in ROUTES.items()]
    own += [
        Route("/threads/{id}/state", state),
        Route("/store/items", put, methods=["PUT"]),
        Route("/store/items/search", search, methods=["POST"]),
    ]
    guarded = [Middleware(AuthenticationMiddleware, backend=_Ann())]
    return TestClient(Starlette(routes=own, middleware=guarded))


_TOKEN = {"authorization": "Bearer token"}


def _feedback(http: TestClient, correct: bool, **more: Any) -> list[str]:
    told = http.post("/feedback", json={"thread_id": "1", "correct": correct}, **more)
    assert told.status_code == 200, told.text
    return list(told.json()["memories"])


@pytest.mark.parametrize("who", [{"headers": _TOKEN}, {"params": {"user": "ann"}}])
def test_the_memories_that_shaped_an_answer_are_rated_with_it(
    http: TestClient, kept: Memories, memory: Memory, who: dict[str, Any]
) -> None:
    assert _feedback(http, False, **who) == [memory.id]
    rated = kept.get("ann", memory.id)
    assert (rated.incorrect, rated.rating, round(rated.trust, 3)) == (1, "bad", 0.24)


def test_the_same_feedback_counts_once_and_another_mind_counts_too(
    http: TestClient, kept: Memories, memory: Memory
) -> None:
    for correct in (False, False, True, True):
        assert _feedback(http, correct, headers=_TOKEN) == [memory.id]
    rated = kept.get("ann", memory.id)
    assert (rated.correct, rated.incorrect, rated.rating) == (1, 1, "good")


def test_nobodys_and_another_users_feedback_rates_nothing(
    http: TestClient, kept: Memories, memory: Memory
) -> None:
    assert _feedback(http, False) == []
    assert _feedback(http, True, params={"user": "bob"}) == []
    assert kept.get("ann", memory.id) == memory
