"""Two recorded runs, compared."""

from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from app.trace import runs as trace
from app.trace.diff import diff, render

QUESTION = "What are the symptoms of type 2 diabetes?"


def step(node: str, inputs: dict[str, Any] | None = None, **update: Any) -> trace.Step:
    step_record = {"step": 0, "node": node, "ms": 1.0, "inputs": inputs or {}, "update": update}
    return trace.Step(**step_record, to=None, why=None)  # type: ignore[typeddict-item]


def run(
    hits: list[str], evidence: list[str], said: dict[str, tuple[str, float]], **context: Any
) -> Any:
    statements = [
        {"text": text, "verdict": verdict, "probability": probability}
        for text, (verdict, probability) in said.items()
    ]
    outcome = {"outcome": "answered", "reason": "supported", "choice": None}
    return {"question": "Q", "context": context}, [
        step("retrieve", {"queries": ["Q"]}, hits=[{"id": key} for key in hits]),
        step("rerank", selected=[{"id": key} for key in evidence]),
        step("verify", draft={"statements": statements}),
        step("remember", answer=outcome),
    ]


SAME = run(["a", "b"], ["a"], {"One.": ("supported", 0.9)}, preset="default")


def test_runs_that_went_alike_differ_in_nothing() -> None:
    assert diff(SAME, SAME) == {}
    assert list(render({})) == ["The runs are equal."]


def test_what_came_went_and_moved_is_reported() -> None:
    other = run(
        ["c", "a"],
        ["c"],
        {"One.": ("unsupported", 0.4), "Two.": ("supported", 0.8)},
        **{"retrieval.rerank_depth": 5},
    )
    found = diff(SAME, other)
    assert found == {
        "settings": {"preset": ["default", None], "retrieval.rerank_depth": [None, 5]},
        "rounds": [
            {
                "round": 1,
                "hits": {"gained": [["c", 1]], "lost": [["b", 2]], "moved": [["a", 1, 2]]},
                "evidence": {"gained": [["c", 1]], "lost": [["a", 1]]},
                "statements": {
                    "gained": [["Two.", "supported"]],
                    "changed": [["One.", ["supported", 0.9], ["unsupported", 0.4]]],
                },
            }
        ],
    }
    lines = list(render(found))
    assert "setting preset: default" in lines
    assert "  hits   a: place 1 → 2" in lines
    assert "  evidence + c (place 1)" in lines
    assert "  ~ supported 0.90 → unsupported 0.40: One." in lines
    assert "  + supported: Two." in lines


def test_a_round_more_and_another_end_are_reported() -> None:
    longer = run(["a", "b"], ["a"], {"One.": ("supported", 0.9)}, preset="default")
    longer[1].insert(3, step("retrieve", {"queries": ["Q", "Q more"]}, hits=[{"id": "z"}]))
    longer[1][-1]["update"]["answer"] = {
        "outcome": "answered",
        "reason": "supported",
        "choice": "A",
    }
    found = diff(SAME, longer)
    assert found["path"][1] == ["retrieve", "rerank", "verify", "retrieve", "remember"]
    assert found["rounds"] == [
        {"round": 2, "query": [None, "Q more"], "hits": {"gained": [["z", 1]]}}
    ]
    assert found["outcome"] == ["answered (supported)", "answered (supported): A"]


def recorded(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    assert main(["ask", "How is asthma treated?", "--trace", *more]) == 0
    return capsys.readouterr().err.split("recorded as ")[1].split(";")[0]


def test_two_recorded_runs_are_compared(
    at_starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = recorded(capsys)
    other = recorded(capsys, "--set", "generator.max_statements=1")
    assert main(["trace", "diff", one, one]) == 0
    assert capsys.readouterr().out == "The runs are equal.\n"
    assert main(["trace", "diff", one, other]) == 0
    out = capsys.readouterr().out
    assert "setting generator.max_statements: None" in out
    assert "  - supported:" in out
    assert main(["trace", "diff", one, other, "--json"]) == 0
    assert '"generator.max_statements"' in capsys.readouterr().out


def test_a_run_that_is_not_there_is_an_error(
    at_starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", "diff", "nothing", "nothing"]) == 2
    assert "nothing" in capsys.readouterr().err
