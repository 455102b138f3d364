"""Recorded runs, taken up again from a step."""

import json
from pathlib import Path

import pytest

from app.cli.main import main
from app.trace import runs as trace
from app.trace.replay import replay

QUESTION = "What are the symptoms of asthma?"


@pytest.fixture
def run(
    starter_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    monkeypatch.setenv("ANAMNESIS_HOME", str(starter_home))
    assert main(["ask", QUESTION, "--trace"]) == 0
    return capsys.readouterr().err.split("recorded as ")[1].split(";")[0]


@pytest.mark.parametrize(
    ("node", "following"),
    [
        ("retrieve", ["recall", "retrieve", "rerank", "generate", "verify", "remember"]),
        ("rerank", ["rerank", "generate", "verify", "remember"]),
        ("generate", ["generate", "verify", "remember"]),
        ("verify", ["verify", "remember"]),
        ("remember", ["remember"]),
    ],
)
def test_a_run_goes_on_from_any_step_as_it_did(run: str, node: str, following: list[str]) -> None:
    first, steps = trace.read(run)
    again = replay(steps, node, first["context"])
    assert sorted(step["node"] for step in again) == sorted(following)
    one, other = (recorded[-1]["update"]["answer"] for recorded in (steps, again))
    assert {**one, "timings": 0} == {**other, "timings": 0}


def test_a_setting_changes_what_comes_after_the_step(
    run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["trace", "replay", run, "--from", "generate", "--set", "generator.max_statements=1"]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert "setting generator.max_statements: None" in printed.out
    assert "hits" not in printed.out
    other = printed.err.split("recorded as ")[1].split(";")[0]
    _, steps = trace.read(other)
    assert len(steps[-1]["update"]["answer"]["statements"]) == 1
    assert steps[0]["node"] == "screen"


def test_another_query_finds_other_passages(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "replay", run, "--from", "retrieve", "--query", "gout diet"]) == 0
    out = capsys.readouterr().out
    assert "  query: What are the symptoms of asthma?" in out
    assert "gout" in out


@pytest.mark.parametrize("node", ["rerank", "generate"])
def test_a_document_that_is_left_out_is_not_cited(
    run: str, node: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, steps = trace.read(run)
    [source, *_] = steps[-1]["update"]["answer"]["sources"]
    assert main(["trace", "replay", run, "--from", node, "--without", source["id"]]) == 0
    printed = capsys.readouterr()
    other = printed.err.split("recorded as ")[1].split(";")[0]
    _, again = trace.read(other)
    answer = again[-1]["update"]["answer"]
    assert source["id"] not in [source["id"] for source in answer["sources"]]
    assert answer["text"] != steps[-1]["update"]["answer"]["text"]
    # Without it there may be nothing to verify.
    verified = [step["inputs"] for step in again if step["node"] == "verify"]
    selected = [item for took in verified for item in took.get("selected", [])]
    assert source["id"] not in [item["record_id"] for item in selected]


def test_a_passage_is_left_out_by_its_own_id(run: str) -> None:
    first, steps = trace.read(run)
    [best, *rest] = next(step for step in steps if step["node"] == "rerank")["inputs"]["hits"]
    again = replay(steps, "rerank", first["context"], without=[best["id"]])
    assert [hit["id"] for hit in again[0]["inputs"]["hits"]] == [hit["id"] for hit in rest]


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--from", "verify", "--without", "asthma"], "from rerank or generate"),
        (["--from", "rerank", "--without", "nothing"], "was not given 'nothing'"),
        (["--from", "rewrite"], "rewrite"),
        (["--from", "screen"], "screen"),
        (["--from", "generate", "--round", "2"], "1 times"),
        (["--from", "generate", "--set", "colour=blue"], "colour"),
    ],
)
def test_what_cannot_be_taken_up_is_named(
    run: str, capsys: pytest.CaptureFixture[str], more: list[str], named: str
) -> None:
    assert main(["trace", "replay", run, *more]) == 2
    assert named in capsys.readouterr().err


def test_a_record_without_states_says_so(
    run: str, starter_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = starter_home / "traces" / f"{run}.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        line.pop("state", None)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert main(["trace", "replay", run, "--from", "generate"]) == 2
    assert "record it again" in capsys.readouterr().err
