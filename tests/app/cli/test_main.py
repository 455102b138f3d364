"""The command line as its user meets it: output, exit status, messages."""

import io
import json
from pathlib import Path

import pytest

from app.cli.main import main
from retrievers.corpus import Found
from retrievers.index import Index

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
    told = [line for line in err.splitlines() if line.startswith("supported: ")]
    stated = json.loads(out)["statements"]
    assert len(told) == len(stated) > 0
    for line, item in zip(told, stated, strict=True):
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
    own = ["--index", str(tmp_path / "own")]
    (tmp_path / "faq.csv").write_text(
        "question,answer\nWhat is gout?,Gout is a kind of arthritis.\n"
    )
    assert main(["index", "csv", str(tmp_path / "faq.csv"), *own]) == 0
    assert main(["ask", "What is gout?", "--preset", "mkrag", *own]) == 2
    assert "anamnesis index facts PATH" in capsys.readouterr().err


@pytest.mark.parametrize("preset", ["hybrid-memory", "mark", "sparse-dense", "self-medrag"])
def test_every_preset_answers(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", QUESTION, "--preset", preset, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["statements"]
    assert (answer["critic"] is None) == (preset != "self-medrag")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", QUESTION, "--set", "colour=blue"], "colour"),
        (["ask", QUESTION, "--set", "colour"], "KEY=VALUE"),
        (["ask", QUESTION, "--set", "generator.passages=0"], "generator.passages: "),
        (["ask", "  "], "there is no question"),
        (["ask", QUESTION, "--model", "nonsense"], "nonsense"),
        (["ask", QUESTION, "--index", "nowhere"], "anamnesis index"),
        (["retrieve", QUESTION, "--k", "0"], "--k"),
        (["trace", "show", "nothing"], "nothing"),
        (["index", "nonsense", "x"], "nonsense"),
        (["index", "csv", "nowhere.csv"], "nowhere.csv"),
        (["index", "csv"], "at least one file or folder"),
        (["index", "csv", "x.csv", "--column", "question"], "FIELD=COLUMN"),
    ],
)
def test_errors_name_what_was_wrong_and_end_with_status_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("method", ["sparse", "dense", "hybrid", "reranked", "rank-bm25"])
def test_retrieve_lists_passages_with_ranks_and_scores(
    method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["retrieve", QUESTION, "--method", method, "--k", "3", "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)
    assert len(hits) == 3
    assert hits[0]["question"] == QUESTION
    assert hits[0]["ranks"]
    assert set(hits[0]["ranks"]) == set(hits[0]["scores"])
    assert ("relevance" in hits[0]) == (method == "reranked")


def test_the_library_gives_the_sparse_list(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    library = Index.sparse_by_library

    def listed(index: Index, words: str, k: int) -> list[Found]:
        asked.append(words)
        return library(index, words, k)

    monkeypatch.setattr(Index, "sparse_by_library", listed)
    lists = []
    for method in ("sparse", "rank-bm25"):
        assert main(["retrieve", QUESTION, "--method", method, "--k", "3", "--json"]) == 0
        hits = json.loads(capsys.readouterr().out)
        lists.append([(hit["id"], round(hit["score"], 9)) for hit in hits])
    assert lists[0] == lists[1]
    assert set(asked) == {QUESTION}


def test_chat_understands_a_follow_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{QUESTION}\nHow is it treated?\n\n"))
    assert main(["chat"]) == 0
    out = capsys.readouterr().out
    assert "understood as: How is Asthma treated?" in out
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


def test_indexing_says_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "faq.csv"
    table.write_text("prompt,reply\nWhat is scurvy?,Scurvy is a lack of vitamin C.\nBad row?,\n")
    arguments = [
        "index", "csv", str(table), "--index", str(tmp_path / "own"), "--column",
        "question=prompt", "--column", "answer=reply", "--json",
    ]  # fmt: skip
    assert main(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["added"] == 1
    assert sum(told["skipped"].values()) == 1
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["unchanged"] == 1
    assert main(["ask", "What is scurvy?", "--index", str(tmp_path / "own")]) == 0
    assert "vitamin C" in capsys.readouterr().out
    assert main(["index", "info", "--index", str(tmp_path / "own"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["collections"]
    assert main(["index", "remove", "faq", "--index", str(tmp_path / "own")]) == 0


def test_facts_are_indexed_with_their_aliases_and_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kb.tsv").write_text("Omeprazole\tmay_treat\tReflux\nno triplet\n")
    (tmp_path / "also.tsv").write_text("heartburn\tReflux\n")
    own = ["--index", str(tmp_path / "own")]
    command = ["index", "facts", str(tmp_path / "kb.tsv"), *own]
    assert main([*command, "--aliases", str(tmp_path / "also.tsv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["added"], told["read"], told["skipped"]) == (1, 1, {"not a triplet": 1})
    assert main(["retrieve", "heartburn", "--method", "facts", *own]) == 0
    assert "Omeprazole may treat Reflux." in capsys.readouterr().out
    assert main(["index", "info", "--json", *own]) == 0
    assert json.loads(capsys.readouterr().out)["collections"]["kb"]["facts"] is True


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["facts"], "'facts' takes at least one file"),
        (["facts", "nowhere.tsv"], "nowhere.tsv: no such file"),
        (["facts", "nowhere.tsv", "--column", "head=a"], "a mapping is for csv and jsonl"),
        (["facts", "nowhere.tsv", "--date", "2024"], "'facts' takes no date"),
        (["csv", "nowhere.csv", "--aliases", "also.tsv"], "aliases; they are for facts"),
    ],
)
def test_wrong_options_of_facts_are_told(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["index", *arguments]) == 2
    assert told in capsys.readouterr().err
