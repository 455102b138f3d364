"""``anamnesis experts`` and ``anamnesis memory questions`` as their users meet them."""

import json
from pathlib import Path

import pytest

from anamnesis.memory.opening import open_memories
from anamnesis.memory.questions import Questions
from app.cli.main import main

QUESTION = "What is scurvy?"
RIGHT = "Scurvy is an illness that is caused by a lack of vitamin C."
AGREED = ["--user", "ann", "--remember", "--set", "memory.ask_experts=true"]


def waiting(home: Path) -> str:
    [question] = Questions(home / "memory").all("waiting")
    return question.id


def test_a_note_answers_a_question_and_its_user_reads_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experts", "list"]) == 1
    assert "no question waits" in capsys.readouterr().out
    main(["ask", QUESTION, *AGREED])
    main(["ask", QUESTION, *AGREED])
    capsys.readouterr()
    assert main(["experts", "list"]) == 0
    out = capsys.readouterr().out
    assert f"waiting, abstained, asked 2 times\n    {QUESTION}" in out
    assert main(["experts", "list", "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert "owner" not in row
    assert "ann" not in json.dumps({**row, "answer": ""})
    assert main(["experts", "show", row["id"][:8]]) == 0
    assert "Not found" in capsys.readouterr().out
    note = ["experts", "note", row["id"][:8], "Ask the dietician.", "--by", "eve"]
    assert main([*note, "--audience", "department=diet"]) == 0
    assert "is answered" in capsys.readouterr().out
    [memory] = open_memories().all("eve")
    assert (memory.text, memory.scope) == ("Ask the dietician.", "expert")
    assert memory.audience == {"department": "diet"}
    assert main(["memory", "questions", "--user", "ann"]) == 0
    assert "An expert's note: Ask the dietician." in capsys.readouterr().out
    # They have read it.
    main(["ask", "What is gout?", "--user", "ann"])
    assert "dietician" not in capsys.readouterr().out


def test_an_approved_document_answers_the_question(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = ["--index", str(home / "own")]
    file = home / "own.jsonl"
    file.write_text('{"question": "What is gout?", "answer": "Gout is a form of arthritis."}\n')
    main(["index", "jsonl", str(file), "--name", "first", *there])
    main(["ask", QUESTION, *AGREED, *there])
    file.write_text(json.dumps({"id": "s", "question": QUESTION, "answer": RIGHT}))
    main(["index", "jsonl", str(file), "--name", "more", "--review", *there])
    capsys.readouterr()
    text = waiting(home)
    wrong = ["experts", "approve", text, "less", "--by", "eve", *there]
    assert main(wrong) == 2
    assert "no collection 'less' waits" in capsys.readouterr().err
    assert waiting(home) == text
    assert main(["experts", "approve", text, "more", "--by", "eve", *there]) == 0
    assert RIGHT in capsys.readouterr().out
    decided = Questions(home / "memory").get(text)
    assert (decided.document, decided.by) == ("more", "eve")
    assert RIGHT in decided.answer


def test_a_question_is_asked_again_or_dismissed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["ask", QUESTION, *AGREED])
    text = waiting(home)
    assert main(["experts", "dismiss", text, "--by", "eve"]) == 0
    assert main(["experts", "list"]) == 1
    assert main(["experts", "list", "--all"]) == 0
    assert main(["experts", "again", text, "--by", "eve"]) == 0
    assert "asked again" in capsys.readouterr().out


def test_a_note_on_no_question_and_what_is_wrong(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experts", "write", "Peak flow is in litres here.", "--by", "eve"]) == 0
    assert [memory.text for memory in open_memories().all("eve")] == [
        "Peak flow is in litres here."
    ]
    for command in (
        ["experts", "show", "abc"],
        ["experts", "dismiss", "0" * 32, "--by", "eve"],
        ["experts", "write", " ", "--by", "eve"],
        ["experts", "write", "Text.", "--by", "eve", "--audience", "lungs"],
        ["memory", "questions", "--user", "ann", "--delete", "abc"],
    ):
        assert main(command) == 2, command
        assert capsys.readouterr().err


def test_a_user_exports_and_deletes_their_questions(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["ask", QUESTION, *AGREED])
    text = waiting(home)
    capsys.readouterr()
    main(["memory", "export", "--user", "ann"])
    assert [row["id"] for row in json.loads(capsys.readouterr().out)["questions"]] == [text]
    assert main(["memory", "questions", "--user", "ann", "--delete", text[:8]]) == 0
    assert main(["memory", "questions", "--user", "ann"]) == 1
    assert b"scurvy" not in (home / "memory" / "memories.sqlite").read_bytes()
