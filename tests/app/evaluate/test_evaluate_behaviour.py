"""``anamnesis evaluate behaviour`` as its user meets it."""

from pathlib import Path

import pytest

from app.cli.main import main
from evaluation.results import load
from tests.app.measuring import CORPUS, RETRIEVAL

pytestmark = pytest.mark.usefixtures("at_starter")


@pytest.mark.usefixtures("cheap")
def test_behaviour_is_measured_and_shown_on_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, path = tmp_path / "own.json", tmp_path / "own.html"
    texts = ["evaluate", "behaviour", *RETRIEVAL[2:], "--out", str(out)]
    assert main([*texts, "--sizes", "4,12"]) == 0
    said = capsys.readouterr().out
    for row in ("ndcg at  ", "recall at  ", "lists that have it", "records  sparse, median ms"):
        assert row in said
    found = load(out)
    assert [row["records"] for row in found["times"]] == [4, 12]
    assert set(found["times"][0]["ms"]) == set(found["curves"]) == set(found["methods"])
    assert found["reranking"]["positions"]["mean"] == 0
    assert main(["report", str(out), "-o", str(path)]) == 0
    assert "Time of a query" in path.read_text("utf-8")
    for wrong, said in (("0", "--sizes takes"), ("x", "--sizes takes"), ("99", "12 records")):
        assert main([*texts, "--sizes", wrong]) == 2
        assert said in capsys.readouterr().err
    assert main(["report", str(out), str(out), "-o", str(path)]) == 2
    assert "same name" in capsys.readouterr().err
    assert main(["report", CORPUS, "-o", str(path)]) == 2
