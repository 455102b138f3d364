"""What is remembered, as its user sees, corrects and deletes it on the command line."""

import json
import sqlite3
from pathlib import Path

import pytest

from anamnesis.memory.opening import open_memories
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from app.cli.main import main

ANN = ["--user", "ann"]


@pytest.fixture
def memories(tmp_path: Path, starter_home: Path, monkeypatch: pytest.MonkeyPatch) -> Memories:
    # What is derived from the models need not be made for each test.
    (tmp_path / "models").symlink_to(starter_home / "models")
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    kept = open_memories()
    made = [
        Memory.make(owner="ann", kind="question", text=text, id=first * 32)
        for first, text in (("a", "The user said: “I have gout”"), ("b", "Likes short answers."))
    ]
    kept.add("ann", made)
    return kept


def test_what_is_asked_with_consent_is_listed(
    starter_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(starter_home))
    question = "I have asthma, what are its symptoms?"
    assert main(["ask", question, "--user", "consents", "--remember"]) == 0
    assert main(["ask", question, "--user", "does not"]) == 0
    capsys.readouterr()
    assert main(["memory", "list", "--user", "consents"]) == 0
    out = capsys.readouterr().out
    assert "I have asthma" in out
    assert "exchange" in out
    assert "3 memories of consents" in out
    assert main(["memory", "profile", "--user", "consents"]) == 0
    out = capsys.readouterr().out
    assert "condition: asthma" in out
    assert f"the user said: “{question}”" in out
    assert main(["memory", "list", "--user", "does not"]) == 1
    assert "nothing is remembered" in capsys.readouterr().out


def test_a_profile_is_entered_edited_and_deleted(
    memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["memory", "profile", *ANN]) == 1
    assert "the profile is empty" in capsys.readouterr().out
    assert main(["memory", "add", *ANN, "Allergy:  penicillin"]) == 0
    [memory] = memories.all("ann", "profile")
    assert (memory.text, memory.words) == ("allergy: penicillin", "")
    capsys.readouterr()
    assert main(["memory", "profile", *ANN, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["id"] == memory.id
    assert main(["memory", "edit", *ANN, memory.id, "allergy: aspirin"]) == 0
    capsys.readouterr()
    assert main(["memory", "profile", *ANN]) == 0
    out = capsys.readouterr().out
    assert "allergy: aspirin" in out
    assert "entered by hand" in out
    assert main(["memory", "add", *ANN, "shoe size: 9"]) == 2
    assert "age, sex, pregnancy, allergy, condition, medicine" in capsys.readouterr().err
    assert main(["memory", "edit", *ANN, memory.id, "aspirin"]) == 2
    assert main(["memory", "delete", *ANN, memory.id, "--yes"]) == 0
    assert memories.all("ann", "profile") == []


def test_list_and_export_as_json(memories: Memories, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "list", *ANN, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {memory["id"][0] for memory in listed} == {"a", "b"}
    assert main(["memory", "export", *ANN]) == 0
    exported = json.loads(capsys.readouterr().out)
    assert exported["memories"] == listed
    assert [line["what"] for line in exported["audit"]] == ["remember", "remember"]


def test_a_memory_is_shown_edited_and_rated_by_the_beginning_of_its_id(
    memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["memory", "show", "a", *ANN]) == 0
    out = capsys.readouterr().out
    assert "text: The user said: “I have gout”" in out
    assert "trust: 0.25" in out
    assert "persistence: 1.000" in out
    assert main(["memory", "edit", "a", "The user has no gout.", *ANN]) == 0
    assert memories.get("ann", "a" * 32).text == "The user has no gout."
    assert main(["memory", "rate", "b", "incorrect", *ANN]) == 0
    assert "trust 0.240, 0 times correct, 1 times incorrect" in capsys.readouterr().out


def test_one_that_is_rated_wrong_too_often_is_deleted_and_that_is_said(
    memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    while len(memories.all("ann")) == 2:
        assert main(["memory", "rate", "b", "incorrect", *ANN]) == 0
    assert "deleted" in capsys.readouterr().out


def test_what_is_out_of_play_is_shown_as_such(
    memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    memories.supersede("ann", "a" * 32, "b" * 32)
    assert main(["memory", "list", *ANN]) == 0
    assert "question, inactive: see bbbbbbbb" in capsys.readouterr().out
    assert main(["memory", "show", "a", *ANN]) == 0
    printed = capsys.readouterr().out
    assert "inactive, contradicted by bbbbbbbb: Likes short answers." in printed
    assert main(["memory", "show", "b", *ANN]) == 0
    assert "counts in place of aaaaaaaa: The user said" in capsys.readouterr().out


def test_what_is_not_worth_keeping_is_pruned(
    memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    memories.count_recalls("ann", ["b" * 32])
    assert main(["memory", "prune", "--days", "30", *ANN]) == 0
    assert main(["memory", "prune", "--limit", "1", *ANN]) == 0
    assert capsys.readouterr().out == "0 deleted\n1 deleted\n"
    assert [memory.id[0] for memory in memories.all("ann")] == ["b"]


def test_one_and_all_are_deleted(memories: Memories, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "delete", "a", "--yes", *ANN]) == 0
    assert [memory.id[0] for memory in memories.all("ann")] == ["b"]
    assert main(["memory", "delete", "--all", "--yes", *ANN]) == 0
    assert capsys.readouterr().out == "1 deleted\n1 deleted\n"
    assert memories.all("ann") == []


def test_a_damaged_one_can_be_deleted_like_any_other(
    memories: Memories, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = sqlite3.connect(tmp_path / "memory" / "memories.sqlite")
    base.execute("update memories set record = '{}' where id = ?", ["a" * 32])
    base.commit()
    base.close()
    assert main(["memory", "list", *ANN]) == 2
    assert "delete this memory" in capsys.readouterr().err
    assert main(["memory", "delete", "a", "--yes", *ANN]) == 0
    assert [memory.id[0] for memory in memories.all("ann")] == ["b"]


@pytest.mark.parametrize(("said", "left"), [("n", 2), ("", 2), ("y", 0), ("Yes", 0)])
def test_a_deletion_asks_first(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, said: str, left: int
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: said)
    assert main(["memory", "delete", "--all", *ANN]) == (1 if left else 0)
    assert len(memories.all("ann")) == left


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "c", *ANN], "has no memory 'c'"),
        (["show", "", *ANN], "has no memory ''"),
        (["show", "a", "--user", "bob"], "has no memory"),
        (["edit", "a", " ", *ANN], "blank"),
        (["delete", *ANN], "--all"),
        (["delete", "a", "--all", *ANN], "--all"),
        (["delete", "--all", *ANN], "--yes"),
        (["delete", "a", "--yes", "--user", "bob"], "has no memory"),
        (["list", "--user", " "], "owner"),
        (["prune", "--limit", "0", *ANN], "limit must be 1 or more"),
    ],
)
def test_errors_name_what_was_wrong_and_change_nothing(
    memories: Memories, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    before = memories.all("ann")
    assert main(["memory", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert memories.all("ann") == before


def test_an_ambiguous_beginning_is_refused(
    memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    memories.add("ann", [Memory.make(owner="ann", kind="question", text="x", id="a" * 31 + "0")])
    assert main(["memory", "show", "aaa", *ANN]) == 2
    assert "2 memories" in capsys.readouterr().err
    assert main(["memory", "show", "a" * 32, *ANN]) == 0


def test_the_address_of_a_server_is_taken_from_the_environment(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANAMNESIS_MEMORY_SERVER", "nonsense")
    assert main(["memory", "list", *ANN]) == 2
    assert "nonsense" in capsys.readouterr().err


def test_a_deletion_that_was_cut_short_is_finished_at_the_next_use(
    memories: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Memories, "sweep", lambda self: None)
        memories.delete("ann")
    database = tmp_path / "memory" / "vectors" / "chroma.sqlite3"
    assert b"a" * 32 in database.read_bytes()
    assert main(["memory", "list", *ANN]) == 1
    assert b"a" * 32 not in database.read_bytes()
