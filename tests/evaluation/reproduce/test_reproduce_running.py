"""A run of the experiments of a paper."""

from pathlib import Path

from evaluation.reproduce.running import Run
from tests.evaluation.reproduce.test_reproduce_page import PAPER


def test_a_run_has_the_papers_settings_its_models_and_rows_by_part(tmp_path: Path) -> None:
    rows: dict[str, object] = {}
    run = Run(
        PAPER, {}, {"embedder": "x", "critic": "own"}, {"questions": 5}, True, tmp_path, 0,
        bar=lambda doing: None, rows=rows,  # type: ignore[arg-type, return-value]
    )  # fmt: skip
    context = run.context({"loop.max_rounds": 2})
    assert (context.preset, context.verification.critic) == ("sparse-dense", "own")
    assert (context.retrieval.facts_k, context.loop.max_rounds) == (4, 2)
    kept = run.kept("first")
    kept["1"] = "a"
    run.kept("second")["1"] = "b"
    assert (dict(kept), len(kept), kept["1"], "2" in kept) == ({"1": "a"}, 1, "a", False)
    assert rows == {"first: 1": "a", "second: 1": "b"}
    del kept["1"]
    assert rows == {"second: 1": "b"}
