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
    own = run.kept("first")
    own["1"] = "a"
    run.kept("second")["1"] = "b"
    assert (dict(own), len(own), own["1"], "2" in own) == ({"1": "a"}, 1, "a", False)
    assert rows == {"first: 1": "a", "second: 1": "b"}
    del own["1"]
    assert rows == {"second: 1": "b"}
