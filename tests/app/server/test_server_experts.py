"""The routes of questions for experts: who may see, decide and delete what."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from anamnesis import SettingError
from anamnesis.memory.opening import open_memories
from anamnesis.memory.questions import Question, Questions
from app.experts import deciding
from tests.app.own_routes import asked_by

Http = Callable[[str], TestClient]


@pytest.fixture
def http(home: Path) -> Http:
    return asked_by


@pytest.fixture
def waiting(http: Http, tmp_path: Path) -> Question:
    found = Questions(tmp_path / "memory").ask("ann", "What is scurvy?", "abstained", "Not found.")
    assert found
    return found


def test_an_expert_sees_what_waits_but_not_whose_it_is(http: Http, waiting: Question) -> None:
    for who in ("eve expert", "olga operator"):
        [row] = http(who).get("/experts/questions").json()
        assert (row["id"], row["text"]) == (waiting.id, "What is scurvy?")
        assert "ann" not in row.values()
    assert http("eve expert").get("/experts/questions?state=answered").json() == []
    assert http("eve expert").get("/experts/questions?state=all").status_code == 422


def test_an_asker_neither_sees_nor_decides(http: Http, waiting: Question) -> None:
    for method, path in (
        ("GET", "/experts/questions"),
        ("POST", f"/experts/questions/{waiting.id}"),
        ("POST", "/experts/notes"),
    ):
        body = {"note": "x", "text": "x"} if method == "POST" else None
        for who in ("ann asker", "bob asker"):
            assert http(who).request(method, path, json=body).status_code == 403
    assert open_memories().all("bob") == []


def test_an_expert_writes_a_note_and_the_owner_reads_it(http: Http, waiting: Question) -> None:
    body = {"note": "Eat fruit.", "audience": {"department": "diet"}}
    decided = http("eve expert").post(f"/experts/questions/{waiting.id}", json=body)
    assert decided.status_code == 200, decided.text
    assert (decided.json()["state"], decided.json()["note"]) == ("answered", "Eat fruit.")
    assert "Not found" in decided.json()["answer"]
    [row] = http("ann asker").get("/questions").json()
    assert row["note"] == "Eat fruit."
    assert http("bob asker").get("/questions").json() == []
    [note] = open_memories().all("eve")
    assert note.audience == {"department": "diet"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"dismiss": True}, 200),
        ({"again": True}, 200),
        ({}, 422),
        ({"note": "a", "dismiss": True}, 422),
        ({"note": " "}, 422),
        ({"note": 3}, 422),
        ({"note": "a", "audience": "lungs"}, 422),
        ({"note": "a", "audience": {"department": 3}}, 422),
        ({"approve": "nothing of this name"}, 422),
    ],
)
def test_a_decision_is_one_of_four(
    http: Http, waiting: Question, body: dict[str, Any], status: int
) -> None:
    found = http("eve expert").post(f"/experts/questions/{waiting.id}", json=body)
    assert found.status_code == status, found.text
    still = http("eve expert").get("/experts/questions").json()
    assert len(still) == (status != 200)


def test_what_is_not_there_or_not_ones_own_is_not_found(http: Http, waiting: Question) -> None:
    absent = f"/experts/questions/{'0' * 32}"
    assert http("eve expert").post(absent, json={"dismiss": True}).status_code == 404
    text = f"/questions/{waiting.id}"
    assert http("bob asker").delete(text).status_code == 404
    assert http("ann asker").delete(text).json() == {"questions": 1}
    assert http("ann asker").get("/questions").json() == []


def test_an_experts_note_on_no_question(http: Http) -> None:
    made = http("eve expert").post("/experts/notes", json={"text": "Units are SI here."})
    assert (made.json()["scope"], made.json()["owner"]) == ("expert", "eve")
    assert http("eve expert").post("/experts/notes", json={}).status_code == 422


def test_an_export_holds_them(http: Http, waiting: Question) -> None:
    [row] = http("ann asker").get("/memories/export").json()["questions"]
    assert row["id"] == waiting.id


def test_a_note_on_a_question_that_is_deleted_meanwhile_is_not_stored(
    http: Http, waiting: Question
) -> None:
    def ask(_: str) -> str:
        deciding.questions().delete("ann", [waiting.id])
        return "Not found."

    with pytest.raises(SettingError, match="there is no question"):
        deciding.answer_with_note(waiting.id, "eve", "Eat fruit.", {}, ask)
    assert open_memories().all("eve") == []
