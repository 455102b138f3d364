"""``anamnesis ask``, ``chat`` and ``trace`` as their user meets them."""

import io
import json
from pathlib import Path

import pytest

from app.cli.main import main

pytestmark = pytest.mark.usefixtures("at_starter")
QUESTION = "What are the symptoms of asthma?"


def test_ask_prints_cited_statements_and_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", QUESTION]) == 0
    out = capsys.readouterr().out
    assert "wheezing" in out
    assert "[1]" in out
    assert "Sources" in out
    assert "https://" in out


def test_checked_statements_are_shown_before_the_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["ask", QUESTION, "--stream", "--json"]) == 0
    out, err = capsys.readouterr()
    texts = [line for line in err.splitlines() if line.startswith("supported: ")]
    stated = json.loads(out)["statements"]
    assert len(texts) == len(stated) > 0
    for line, item in zip(texts, stated, strict=True):
        assert line.startswith(f"supported: {' '.join(item['text'].split())} (")


def test_ask_json_prints_the_answers_structure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", QUESTION, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["outcome"] == "answered"
    texts = {source["id"]: source["text"] for source in answer["sources"]}
    for item in answer["statements"]:
        evidence = item["evidence"]
        quoted = texts[evidence["document"]][evidence["start"] : evidence["end"]]
        assert " ".join(quoted.split()) == " ".join(item["text"].split())


def test_what_cannot_be_answered_is_said_and_ends_with_status_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["ask", "How do I repair a bicycle chain?"]) == 1
    assert capsys.readouterr().out.startswith("Not found")


def test_an_emergency_gets_the_call_for_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "My chest hurts and I can't breathe"]) == 0
    assert "emergency number" in capsys.readouterr().out


def test_facts_alone_need_an_index_that_has_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ["--index", str(tmp_path / "own")]
    (tmp_path / "faq.csv").write_text(
        "question,answer\nWhat is gout?,Gout is a kind of arthritis.\n"
    )
    assert main(["index", "csv", str(tmp_path / "faq.csv"), *texts]) == 0
    assert main(["ask", "What is gout?", "--preset", "mkrag", *texts]) == 2
    assert "anamnesis index facts PATH" in capsys.readouterr().err


@pytest.mark.parametrize("preset", ["hybrid-memory", "mark", "sparse-dense", "self-medrag"])
def test_every_preset_answers(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", QUESTION, "--preset", preset, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["statements"]
    assert (answer["critic"] is None) == (preset != "self-medrag")


def test_chat_understands_a_follow_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{QUESTION}\nHow is it treated?\n\n"))
    assert main(["chat"]) == 0
    out = capsys.readouterr().out
    assert "understood as: How is asthma treated?" in out
    assert out.count("Sources") == 2


def test_trace_shows_every_step_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "ask", QUESTION]) == 0
    out = capsys.readouterr().out
    for node in ("screen", "recall", "retrieve", "rerank", "generate", "verify", "remember"):
        assert f". {node}" in out
    assert "sparse #1" in out
    assert "→ generate: the best relevance" in out


def test_a_recorded_run_is_shown_again_as_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", QUESTION, "--trace"]) == 0
    run = capsys.readouterr().err.split()[-1]
    assert main(["trace", "show", run, "--jsonl"]) == 0
    steps = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [step["node"] for step in steps][-1] == "remember"
    assert all(step["ms"] >= 0 for step in steps)
    rerank = next(step for step in steps if step["node"] == "rerank")
    assert rerank["to"] == "generate"
    assert rerank["update"]["selected"][0]["ranks"]


def test_nothing_is_recorded_unless_asked_for(
    at_starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted((at_starter / "traces").glob("*")) if (at_starter / "traces").exists() else []
    main(["ask", QUESTION])
    after = sorted((at_starter / "traces").glob("*")) if (at_starter / "traces").exists() else []
    assert before == after
