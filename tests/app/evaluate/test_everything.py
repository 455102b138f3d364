"""``anamnesis evaluate all`` as its user meets it, with parts of the examples."""

import shutil
from pathlib import Path

import pytest

from app.cli.main import main, parser
from app.evaluate import everything as evaluating_all
from app.evaluate.everything import FULL, INDEXES, QUICK, Evaluation
from evaluation.results import load

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
PARTS = (
    Evaluation("pairs", "critic --pairs @pairs.jsonl"),
    Evaluation("found", "retrieval --corpus @corpus.jsonl --queries @queries.jsonl", "corpus"),
    Evaluation("asked", "answers --questions @questions.jsonl --sample 1", "documents"),
    Evaluation("absent", "critic --pairs @nowhere.jsonl"),
)

pytestmark = pytest.mark.usefixtures("at_starter", "cheap")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(evaluating_all, "QUICK", PARTS)
    monkeypatch.setitem(INDEXES, "documents", ("jsonl @corpus.jsonl",))
    data = tmp_path / "data"
    shutil.copytree(EXAMPLES, data)
    return ["evaluate", "all", "--quick", "--data", str(data), "--out", str(tmp_path / "out")]


def test_each_part_has_its_file_and_all_are_on_one_page(
    run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(run) == 0
    printed = capsys.readouterr().out
    assert "absent: left out" in printed
    assert "no nowhere.jsonl" in printed
    out = tmp_path / "out"
    assert sorted(path.name for path in out.iterdir()) == [
        "asked.json", "found.json", "indexes", "pairs.json", "report.html",
    ]  # fmt: skip
    assert load(out / "found.json")["protocol"] == "retrieval"
    assert {path.name for path in (out / "indexes").iterdir()} == {"corpus", "documents"}
    page = (out / "report.html").read_text("utf-8")
    for name in ("pairs (critic)", "found (retrieval)", "asked (answers)"):
        assert name in page


def test_what_is_finished_is_not_run_again_and_a_failure_stops_no_other(
    run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, questions = (tmp_path / "data" / f"{name}.jsonl" for name in ("pairs", "questions"))
    whole = questions.read_text()
    questions.write_text("{}\n")
    assert main(run) == 1
    assert "failed: asked" in capsys.readouterr().err
    first = (tmp_path / "out" / "pairs.json").read_bytes()
    questions.write_text(whole)
    pairs.write_text("{}\n")
    assert main(run) == 0
    assert "pairs: finished before" in capsys.readouterr().out
    assert (tmp_path / "out" / "pairs.json").read_bytes() == first
    assert load(tmp_path / "out" / "asked.json")["configuration"]["questions"]["used"] == 1


def test_a_folder_without_data_is_an_error(
    run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*run, "--data", str(tmp_path / "nowhere")]) == 2
    assert "none of the data sets" in capsys.readouterr().err


def test_every_part_is_a_command_with_a_name_and_an_index_that_is_made() -> None:
    parts = [*FULL, *QUICK]
    assert len({part.name for part in parts}) == len(parts)
    for part in parts:
        words = [*part.words.split(), "--out", "x"]
        given = parser().parse_args(["evaluate", *words])
        if given.kind in ("answers", "robustness"):
            assert part.documents in INDEXES
    for recipes in INDEXES.values():
        for recipe in recipes:
            assert parser().parse_args(["index", *recipe.split()]).format


def test_the_data_of_all_parts_are_in_the_shared_folder(shared_data: Path) -> None:
    for part in [*FULL, *QUICK]:
        for name in evaluating_all.needed(part):
            assert (shared_data / name).is_file(), name
