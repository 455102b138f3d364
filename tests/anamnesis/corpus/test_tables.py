from pathlib import Path

import pytest

from anamnesis.corpus.loading import Report, read
from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError


def table(tmp_path: Path, text: str, name: str = "a.csv") -> list[Path]:
    (tmp_path / name).write_text(text)
    return [tmp_path / name]


def test_columns_count_by_name_in_any_case_and_others_are_kept(tmp_path: Path) -> None:
    paths = table(tmp_path, "Question,ANSWER,Focus_Area,Grade,Note\nWhat  is it ? ?,It  is.,F,3,\n")
    [record] = read("csv", paths)
    assert record == Record(
        id=record.id, title="F", text="It is.", question="What is it?", focus="F",
        metadata={"Grade": "3"},
    )  # fmt: skip


def test_columns_can_be_mapped(tmp_path: Path) -> None:
    paths = table(tmp_path, "Q,A,No,answer\nWhy?,So.,7,wrong\n")
    [record] = read("csv", paths, {"question": "Q", "answer": "A", "id": "No"})
    assert (record.id, record.question, record.text) == ("7", "Why?", "So.")
    assert record.metadata == {"answer": "wrong"}


def test_a_wrong_column_name_is_an_error_that_lists_the_columns(tmp_path: Path) -> None:
    paths = table(tmp_path, "Q,A\nWhy?,So.\n")
    with pytest.raises(
        CorpusError, match=r"no column 'Reply' for 'answer' \(columns found: Q, A\)"
    ):
        list(read("csv", paths, {"question": "Q", "answer": "Reply"}))
    with pytest.raises(CorpusError, match=r"no column 'answer' \(columns found: Q, A\)"):
        list(read("csv", paths))


def test_a_title_can_stand_for_the_question(tmp_path: Path) -> None:
    [record] = read("csv", table(tmp_path, "title,text\nAnemia,It is common.\n"))
    assert (record.title, record.question, record.text) == ("Anemia", "", "It is common.")


def test_without_ids_equal_rows_have_equal_ids_wherever_they_stand(tmp_path: Path) -> None:
    one = table(tmp_path, "question,answer\nWhy?,So.\nHow?,Thus.\n", "1.csv")
    two = table(tmp_path, "question,answer\nHow?,Thus.\nWhy?,Other.\n", "2.csv")
    first, second = [list(read("csv", paths)) for paths in (one, two)]
    assert first[1].id == second[0].id
    assert len({record.id for record in first + second}) == 3


def test_rows_without_answer_or_question_are_skipped(tmp_path: Path) -> None:
    report = Report()
    paths = table(tmp_path, "question,answer\nWhy?,\n,So.\nHow?,Thus.\nlonely\n")
    assert len(list(read("csv", paths, report=report))) == 1
    assert [(p.where, p.reason) for p in report.problems] == [
        ("line 2", "empty answer"),
        ("line 3", "empty question and title"),
        ("line 5", "not readable"),
    ]


def test_json_numbers_count_as_text_and_lists_do_not(tmp_path: Path) -> None:
    report = Report()
    lines = '{"question": "How many?", "answer": 7}\n{"question": "Q", "answer": ["x"]}\n'
    [record] = read("jsonl", table(tmp_path, lines, "a.jsonl"), report=report)
    assert record.text == "7"
    assert report.skipped == {"field 'answer' is not a text": 1}


@pytest.mark.parametrize(
    ("said", "aliases"),
    [
        ('"Nurofen; Advil "', ["Nurofen", "Advil"]),
        ('"Nurofen|Advil|Nurofen;"', ["Nurofen", "Advil"]),
        ('"heart  attack"', ["heart attack"]),
        ('["Nurofen", " Advil", 7, ""]', ["Nurofen", "Advil"]),
        ('" ; "', None),
        ("null", None),
        ("7", ["7"]),
    ],
)
def test_aliases_are_listed_or_separated(
    tmp_path: Path, said: str, aliases: list[str] | None
) -> None:
    line = f'{{"question": "Q", "answer": "A", "Aliases": {said}}}\n'
    [record] = read("jsonl", table(tmp_path, line, "a.jsonl"))
    assert record.to_json()["metadata"] == ({} if aliases is None else {"aliases": aliases})


def test_questions_in_other_words_are_listed_or_separated(tmp_path: Path) -> None:
    paths = table(tmp_path, "question,answer,asked_as\nQ,A,sore head | head hurts|\nQ,B,\n")
    first, second = read("csv", paths)
    assert first.metadata["asked_as"] == ("sore head", "head hurts")
    assert "asked_as" not in second.metadata


def test_a_column_of_aliases_can_be_mapped(tmp_path: Path) -> None:
    paths = table(tmp_path, "question,answer,brands\nQ,A,Nurofen; Advil\nQ,B,\n")
    first, second = read("csv", paths, {"aliases": "brands"})
    assert first.metadata["aliases"] == ("Nurofen", "Advil")
    assert "aliases" not in second.metadata
