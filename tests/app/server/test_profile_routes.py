"""``/profile``: what is known of a user's health, entered, read, changed and deleted."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from anamnesis.memory.store import Memories
from app.server.auditing import action_of
from tests.app.own_routes import asked_by, bearer
from tests.fakes import HashEmbedder

PENICILLIN = {"entry": "Allergy:  penicillin"}


@pytest.fixture
def http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    memories = Memories(tmp_path / "memory", HashEmbedder())
    monkeypatch.setattr("app.server.routes.open_memories", lambda: memories)
    return asked_by()


def test_a_profile_is_entered_read_changed_and_deleted(http: TestClient) -> None:
    added = http.post("/profile?user=eve", json=PENICILLIN).json()
    assert (added["text"], added["words"]) == ("allergy: penicillin", "")
    assert http.get("/profile?user=eve").json() == [added]
    one = f"/memories/{added['id']}?user=eve"
    assert http.patch(one, json={"text": "allergy: aspirin"}).json()["text"] == "allergy: aspirin"
    assert http.patch(one, json={"text": "aspirin"}).status_code == 422
    assert http.get("/memories/export?user=eve").json()["memories"][0]["text"] == "allergy: aspirin"
    assert http.delete(one).json() == {"memories": 1}
    assert http.get("/profile?user=eve").json() == []


def test_a_profile_is_its_owners_alone(http: TestClient) -> None:
    token = bearer("ann")
    http.post("/profile?user=eve", json=PENICILLIN, headers=token)
    assert http.get("/profile?user=eve").json() == []
    assert len(http.get("/profile?user=eve", headers=token).json()) == 1


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/profile", PENICILLIN, "?user=NAME"),
        ("/profile?user=eve", {"text": "age: 3"}, '"entry"'),
        ("/profile?user=eve", {"entry": "shoe: 9"}, "age, sex, pregnancy"),
        ("/profile?user=eve", {"entry": "age: old"}, "number of years"),
        ("/profile?user=eve", {"entry": "sex: yes"}, "female, male, other"),
        ("/profile?user=eve", {"entry": "allergy: " + "x" * 101}, "100 characters"),
    ],
)
def test_what_is_no_entry_is_refused(
    http: TestClient, path: str, body: dict[str, Any], expected: str
) -> None:
    answered = http.post(path, json=body)
    assert answered.status_code == 422
    assert expected in answered.json()["detail"]


def test_what_is_done_is_recorded() -> None:
    for method, action in (("GET", "read"), ("POST", "change")):
        deed = action_of(method, "/profile")
        assert deed is not None
        assert (deed.action, deed.object) == (action, "profile")
