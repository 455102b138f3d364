"""The options of ``anamnesis reproduce``: what they change, and what is refused."""

from pathlib import Path

import pytest

from app.cli.main import main
from tests.app.cli.test_reproduce import medquad, run

pytestmark = pytest.mark.usefixtures("stand_ins")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["nothing"], "unknown system 'nothing'; use one of hybrid-memory, mark, sparse-dense"),
        (["sparse-dense"], "name the folder of the data sets with --data"),
        (["sparse-dense", "--data", "nowhere"], "no medquad.jsonl.gz or medquad.csv"),
        (
            ["sparse-dense", "--data", "nowhere", "--models", "critic"],
            "--models takes ROLE=REF, not 'critic'",
        ),
        (["sparse-dense", "--data", "nowhere", "--models", "critic=own"], "no model 'critic'"),
    ],
)
def test_what_is_wrong_is_said(
    more: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANAMNESIS_DATA", raising=False)
    assert main(["reproduce", *more]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("size", ["runs", "runs=-1", "runs=x", "pages=3", "reranked=0"])
def test_a_wrong_size_is_an_error(
    size: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    medquad(data)
    assert main(["reproduce", "sparse-dense", "--data", str(data), "--size", size]) == 2
    assert "--size" in capsys.readouterr().err


def test_sizes_are_chosen_and_the_page_says_so(data: Path, tmp_path: Path) -> None:
    medquad(data)
    text = run("sparse-dense", data, tmp_path, "--size", "runs=1", "reranked=3", "--seed", "4")
    assert "runs 1 (in full 10)" in text
    assert "3 of these with re-ranking" in text
    assert "`anamnesis reproduce sparse-dense --size runs=1 reranked=3 --quick --seed 4`" in text


def test_settings_are_changed_and_the_page_says_so(data: Path, tmp_path: Path) -> None:
    medquad(data)
    few = ["--size", "runs=1", "--set", "retrieval.candidates=3", "--set", "retrieval.rrf_k=10"]
    text = run("sparse-dense", data, tmp_path, *few)
    line = "- Settings that are not the paper's: `retrieval.candidates` = 3, `retrieval.rrf_k` = 10"
    assert line in text
    assert "--set retrieval.candidates=3 --set retrieval.rrf_k=10 --quick`" in text
    # Three candidates of each list cannot be ten.
    assert text != run("sparse-dense", data, tmp_path, *few[:2])


@pytest.mark.parametrize(
    ("system", "more", "said"),
    [
        ("sparse-dense", ["--models", "embedder=none"], "sparse-dense needs this model"),
        ("sparse-dense", ["--models", "reranker=none"], "sparse-dense needs this model"),
        ("hybrid-memory", ["--models", "generator=none"], "this model; only perplexity can be"),
        ("sparse-dense", ["--set", "retrieval.reranker=similarity"], "--models reranker=…"),
        ("hybrid-memory", ["--set", "memory.recall=false"], "hybrid-memory set it themselves"),
        ("sparse-dense", ["--set", "index=nowhere"], "sparse-dense set it themselves"),
    ],
)
def test_what_would_not_count_is_refused_before_anything_is_measured(
    system: str, more: list[str], said: str, data: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    medquad(data)
    given = ["reproduce", system, "--data", str(data), "--out", str(tmp_path / "out"), *more]
    assert main(given) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "home" / "reproduce").exists()


def test_a_wrong_setting_is_an_error(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    medquad(data)
    wrong = ["--set", "retrieval.candidate=3"]
    assert main(["reproduce", "sparse-dense", "--data", str(data), *wrong]) == 2
    assert "retrieval.candidates" in capsys.readouterr().err
