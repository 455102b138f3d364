"""Result files and their journals: whole, taken up again, and never mixed."""

import json
from pathlib import Path

import pytest

from anamnesis.errors import CorpusError, SettingError
from evaluation.results import Journal, digest, journal_of, load, write

RESULT = {"protocol": "critic", "configuration": {"seed": 0}, "configuration_sha256": "x"}


def test_a_result_comes_back_with_machine_and_versions(tmp_path: Path) -> None:
    file = tmp_path / "new" / "own.json"
    write(file, {**RESULT, "rows": [{"text": "é"}]})
    found = load(file)
    assert found["rows"] == [{"text": "é"}]
    assert found["machine"]["cores"] > 0
    assert {"python", "numpy"} <= set(found["versions"])
    assert list(file.parent.iterdir()) == [file]


def test_a_result_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    write(file, RESULT)
    (tmp_path / "own.json.new").mkdir()
    with pytest.raises(SettingError, match=r"own\.json"):
        write(file, {})
    assert load(file)["protocol"] == "critic"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[]", "schema"),
        ('{"schema": 99}', "schema"),
        ('{"schema": 1, "protocol": "critic"}', "lacks configuration, configuration_sha256"),
    ],
)
def test_what_is_no_result_is_reported(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "own.json"
    file.write_text(text)
    with pytest.raises(CorpusError, match=said):
        load(file)
    with pytest.raises(CorpusError, match=r"none\.json"):
        load(tmp_path / "none.json")


def test_the_order_of_a_configuration_does_not_count_and_its_values_do() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})


def test_a_journal_is_taken_up_after_a_kill(tmp_path: Path) -> None:
    file = journal_of(tmp_path / "own.json")
    first = Journal(file, "c")
    first["1"], first["2"] = {"ranked": ["é"], "ms": 0.1}, None
    # No close: a killed process does not. It leaves half a row.
    with file.open("a") as stream:
        stream.write('{"3": {"ran')
    again = Journal(file, "c")
    assert dict(again) == {"1": {"ranked": ["é"], "ms": 0.1}, "2": None}
    again["3"] = 5
    again.close()
    last = Journal(file, "c")
    assert (last["3"], len(last)) == (5, 3)
    last.close()
    first.close()


def test_a_journal_cut_short_in_its_first_line_starts_anew(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_text('{"config')
    journal = Journal(file, "c")
    journal["1"] = 1
    journal.close()
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        {"configuration": "c"},
        {"1": 1},
    ]


def test_rows_of_another_configuration_are_neither_used_nor_lost(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    journal = Journal(file, "c")
    journal["1"] = 1
    journal.close()
    with pytest.raises(SettingError, match="another configuration"):
        Journal(file, "d")
    file.write_text('{"configuration": "c"}\nbroken\n{"1": 1}\n')
    with pytest.raises(SettingError, match="line 2"):
        Journal(file, "c")


def test_a_row_of_a_journal_stays(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "rows", "c")
    journal["1"] = 1
    with pytest.raises(TypeError):
        del journal["1"]
    journal.close()


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="rows"):
        Journal(tmp_path / "file" / "rows", "c")
