"""The commands with an index on a server: the operator's setting, and no password anywhere."""

import json
import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from anamnesis import SettingError
from anamnesis.paths import INDEX
from app.cli.main import main
from graph import Context, build_graph
from nodes.policy import Policy
from tests.retrievers.engines import NOT_HERE, close_engines
from tests.retrievers.postgres_servers import new_database

SILENT = "postgresql://ann:sesame@127.0.0.1:1/none"
EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
TRIPLETS = [str(EXAMPLES / "triplets.tsv"), "--aliases", str(EXAMPLES / "aliases.tsv")]
ASTHMA = "What are the symptoms of asthma?"


@pytest.mark.parametrize(
    "words",
    [["ask", ASTHMA], ["retrieve", ASTHMA], ["index", "info"], ["index", "starter"],
     ["index", "remove", "one"]],
)  # fmt: skip
def test_a_server_that_is_silent_is_named_without_its_password(
    words: list[str], at_starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--index", SILENT]) == 2
    err = capsys.readouterr().err
    assert "PostgreSQL at postgresql://127.0.0.1:1/none cannot be used" in err
    assert "sesame" not in err
    assert INDEX not in os.environ


def test_a_run_cannot_name_a_server() -> None:
    for given in ({"index": SILENT}, {"preset": "mkrag", "index": SILENT}):
        with pytest.raises(
            ValidationError, match="the operator's setting, ANAMNESIS_INDEX"
        ) as raised:
            Context.model_validate(given)
        assert "sesame" not in str(raised.value)
    with pytest.raises(ValidationError, match="ANAMNESIS_INDEX") as policy:
        Policy.model_validate({"settings": {"index": SILENT}})
    assert "sesame" not in str(policy.value.errors(include_input=False))


def test_an_error_on_another_setting_does_not_show_the_address() -> None:
    with pytest.raises(ValidationError) as raised:
        Context.model_validate({"index": SILENT, "audience": 3})
    assert "sesame" not in str(raised.value)


def test_the_address_of_a_graph_is_opened_when_it_is_built() -> None:
    with pytest.raises(SettingError, match="no engine has the scheme"):
        build_graph(index="oracle://db/name")


def test_a_graph_can_be_given_a_folder(at_starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build_graph(index=at_starter / "index")
    monkeypatch.setenv("ANAMNESIS_HOME", "/nowhere")
    assert graph.invoke({"question": ASTHMA})["answer"]["outcome"] == "answered"


def test_the_environment_names_a_folder(
    at_starter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(INDEX, str(at_starter / "index"))
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    assert main(["retrieve", ASTHMA]) == 0


@NOT_HERE
def test_a_database_is_indexed_asked_and_emptied(
    at_starter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = ["--index", new_database()]
    file = tmp_path / "own.jsonl"
    row = {"id": "scurvy", "question": "What is scurvy?", "answer": "Scurvy is due to sloth."}
    try:
        assert main(["ask", ASTHMA, *there]) == 2
        assert "There is no index in PostgreSQL at" in capsys.readouterr().err
        assert main(["index", "starter", *there]) == 0
        file.write_text(json.dumps(row))
        assert main(["index", "jsonl", str(file), *there]) == 0
        row["answer"] = "Scurvy is an illness that is caused by a lack of vitamin C."
        file.write_text(json.dumps(row))
        capsys.readouterr()
        assert main(["index", "jsonl", str(file), "--json", *there]) == 0
        body = json.loads(capsys.readouterr().out)
        assert (body["changed"], body["unchanged"], body["embedded"]) == (1, 0, 1)
        assert main(["index", "info", "--json", *there]) == 0
        assert set(json.loads(capsys.readouterr().out)["collections"]) == {"starter", "own"}
        assert main(["ask", "What is scurvy?", "--json", *there]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert [source["provenance"]["origin"] for source in answer["sources"]] == ["own.jsonl"]
        assert main(["index", "facts", *TRIPLETS, *there]) == 0
        asked = ["retrieve", "How is heartburn treated?", "--method", "facts"]
        capsys.readouterr()
        assert main([*asked, *there]) == 0
        assert "Alginate may treat Gastro-oesophageal reflux" in capsys.readouterr().out
        assert main(["index", "remove", "triplets", *there]) == 0
        assert main([*asked, *there]) == 1
        assert main(["index", "remove", "own", *there]) == 0
        assert main(["retrieve", "scurvy", "--method", "sparse", *there]) == 1
        assert main(["trace", "ask", ASTHMA, "--jsonl", *there]) == 0
        assert "postgresql" not in capsys.readouterr().out
    finally:
        close_engines()


@NOT_HERE
def test_records_wait_in_the_database_until_they_are_approved(
    at_starter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = ["--index", new_database()]
    file = tmp_path / "own.jsonl"
    right = {"question": "What is scurvy?", "answer": "Scurvy is a lack of vitamin C."}
    file.write_text("\n".join(json.dumps({"id": text, **right}) for text in ("a", "b")))
    try:
        assert main(["review", "list", *there]) == 1
        assert main(["index", "jsonl", str(file), "--review", *there]) == 0
        assert main(["review", "list", "own", *there]) == 0
        assert "2 records since" in capsys.readouterr().out
        assert main(["ask", "What is scurvy?", *there]) == 2  # there is no index yet
        assert main(["review", "reject", "own", "--record", "b", "--by", "Dr One", *there]) == 0
        assert main(["review", "approve", "own", "--by", "Dr One", *there]) == 0
        capsys.readouterr()
        assert main(["ask", "What is scurvy?", "--json", *there]) == 0
        [source] = json.loads(capsys.readouterr().out)["sources"]
        assert source["provenance"]["approved_by"] == "Dr One"
        assert main(["review", "list", *there]) == 1
    finally:
        close_engines()


@NOT_HERE
def test_retrieval_is_measured_on_a_server(
    at_starter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, queries = tmp_path / "corpus.jsonl", tmp_path / "queries.jsonl"
    texts = {"a": "Scurvy is a lack of vitamin C.", "b": "Gout hurts.", "c": "Measles spread."}
    corpus.write_text("\n".join(json.dumps({"id": k, "text": v}) for k, v in texts.items()))
    row = {"id": "q", "text": "What is scurvy?", "relevant": {"a": 1}}
    queries.write_text(json.dumps(row))
    address = new_database()
    command = ["evaluate", "retrieval", "--corpus", str(corpus), "--queries", str(queries)]
    try:
        assert main([*command, "--index", address, "--methods", "hybrid", "--json"]) == 0
        assert "postgresql" not in capsys.readouterr().out
        assert main(["index", "info", "--index", address, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["passages"] == 3
    finally:
        close_engines()
