import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.loading import FORMATS, Report, read
from anamnesis.errors import CorpusError, SettingError


def write(file: Path, rows: Iterable[Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in rows))
    return file


def qa(number: int, answer: str = "A.") -> dict[str, Any]:
    return {"id": str(number), "question": f"Q {number}?", "answer": answer}


def test_bad_records_are_skipped_counted_and_listed_with_file_and_line(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [qa(1), "{", qa(2, " "), [1], {"x": 1}, qa(3, ""), qa(4)])
    report = Report()
    assert [record.id for record in read("jsonl", [file], report=report)] == ["1", "4"]
    assert report.read == 2
    assert report.skipped == {
        "empty answer": 2, "not readable": 1, "not an object": 1, "no column 'answer'": 1,
    }  # fmt: skip
    assert [problem.where for problem in report.problems] == [f"line {n}" for n in range(2, 7)]
    assert f"{file}, line 5: no column 'answer' (columns found: x)" in str(report)


def test_a_report_prints_a_few_problems_of_each_reason_and_counts_all(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [qa(n, "") for n in range(9)])
    report = Report()
    assert list(read("jsonl", [file], report=report)) == []
    assert str(report).splitlines()[:2] == [
        "0 records read, 9 skipped", "  9 × empty answer",
    ]  # fmt: skip
    assert str(report).endswith("… and 4 more")
    assert len(report.problems) == 9


def test_exact_repeats_and_taken_ids_are_distinguished(tmp_path: Path) -> None:
    one = write(tmp_path / "1.jsonl", [qa(1), qa(2), qa(1)])
    two = write(tmp_path / "2.jsonl", [qa(2), qa(1, "Other."), qa(3)])
    report = Report()
    assert [r.id for r in read("jsonl", [one, two], report=report)] == ["1", "2", "3"]
    assert report.skipped == {"exact repeat": 2, "same id as another record": 1}
    assert (str(two), "record 1") in [(p.file, p.where) for p in report.problems]


def test_a_folder_gives_all_its_files(tmp_path: Path) -> None:
    write(tmp_path / "b" / "2.jsonl", [qa(2)])
    write(tmp_path / "1.jsonl", [qa(1)])
    assert [r.id for r in read("jsonl", [tmp_path])] == ["1", "2"]
    assert [r.id for r in read("jsonl", str(tmp_path))] == ["1", "2"]


def test_records_come_one_at_a_time(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [qa(n) for n in range(5)])
    report = Report()
    records = read("jsonl", [file], report=report)
    next(records)
    assert report.read == 1


def test_a_file_of_another_format_is_an_error_that_says_what_it_holds(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [{"prompt": "Q", "reply": "A"}] * 3)
    with pytest.raises(CorpusError) as error:
        list(read("jsonl", [file]))
    assert "line 1: no column 'answer' (columns found: prompt, reply)" in str(error.value)
    assert "each of its 3 records" in str(error.value)


def test_a_long_file_of_another_format_is_given_up_early(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [{"x": 1}] * 3000)
    report = Report()
    with pytest.raises(CorpusError, match="each of its first 1000 records"):
        list(read("jsonl", [file], report=report))
    assert report.skipped.total() == 1000


@pytest.mark.parametrize(
    ("format", "paths", "columns", "message"),
    [
        ("docx", ["."], None, "Unknown format 'docx'. Use one of: starter, medquad"),
        ("csv", [], None, "'csv' takes at least one file or folder"),
        ("starter", ["."], None, "'starter' takes no path"),
        ("medquad", ["."], {"answer": "A"}, "has columns of its own"),
        ("csv", ["."], {"reply": "A"}, "'reply' is not a field of a record. Map id, question"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_read(
    format: str, paths: list[str], columns: dict[str, str] | None, message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        read(format, paths, columns)


def test_missing_paths_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        read("csv", [tmp_path / "x.csv"])
    with pytest.raises(CorpusError, match=r"has no file ending in \.csv or \.tsv"):
        read("csv", [tmp_path])


def test_a_file_without_records_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="it contains no record"):
        list(read("csv", [write(tmp_path / "a.csv", ["question,answer"])]))


def test_facts_of_all_files_are_merged_like_any_format_is_read(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / f"{name}.tsv").write_text("Omeprazole\tmay_treat\tReflux\n")
    (tmp_path / "also.txt").write_text("heartburn\tReflux\n")
    report = Report()
    files = [tmp_path / "one.tsv", tmp_path / "other.tsv"]
    [record] = read("facts", files, report=report, aliases=tmp_path / "also.txt")
    assert (record.source, report.read) == ("one, other", 1)
    assert record.metadata["names"] == (("Omeprazole",), ("Reflux", "heartburn"))


def test_aliases_dates_and_columns_are_for_the_formats_that_take_them() -> None:
    with pytest.raises(SettingError, match="no aliases; they are for facts"):
        read("csv", ["."], aliases="also.tsv")
    with pytest.raises(SettingError, match="takes no date or type"):
        read("facts", ["."], labels={"date": "2024"})
    with pytest.raises(SettingError, match="a mapping is for csv and jsonl"):
        read("facts", ["."], {"answer": "A"})


def test_every_format_says_what_it_is() -> None:
    assert all(loader.about for loader in FORMATS.values())
