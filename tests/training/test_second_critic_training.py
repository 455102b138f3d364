"""Training the second critic on a tiny model: what is read together, and going on after a stop."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from anamnesis.entailment import LABELS
from anamnesis.models import adapted
from anamnesis.models.adapted import AdaptedClassifier
from anamnesis.models.reference import parse
from tests.tiny_models import save_llama
from training import second_critic as module
from training.adapter import open_adapter, publish
from training.examples import Example
from training.second_critic import SEQUENCE, figures, loss_of, predicted, sequences, train

EXAMPLES = [
    Example(f"aspirin treats {what}", claim, label=label)
    for what in ("fever", "pain", "cough", "asthma", "a heart", "diabetes")
    for claim, label in (
        (f"{what} is treated", "entailment"),
        ("the kidney", "neutral"),
        (f"aspirin is not for {what}", "contradiction"),
    )
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_llama(tmp_path_factory.mktemp("base"))


def test_claims_on_one_premise_are_read_together_with_their_labels(base: Path) -> None:
    tokenizer, _ = open_adapter(parse(str(base)), 1)
    long = [Example("asthma " * 100, f"pain {'cough ' * 40}{n}", label="neutral") for n in range(9)]
    found = sequences(tokenizer, [*EXAMPLES, *EXAMPLES, *long], 3)
    assert all(len(item.labels) == len(item.tokens.statements) for item in found)
    assert all(item.tokens.size <= SEQUENCE for item in found)
    # A pair that occurs twice is read once.
    assert Counter(LABELS[label] for item in found for label in item.labels) == {
        "entailment": 6, "neutral": 6 + 9, "contradiction": 6
    }  # fmt: skip
    assert Counter(len(item.labels) for item in found)[3] >= 6
    assert found == sequences(tokenizer, [*EXAMPLES, *EXAMPLES, *long], 3)


def test_training_lowers_the_loss_and_goes_on_where_it_stopped(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "examples", lambda data: EXAMPLES * 8)
    monkeypatch.setattr(module, "TOKENS", 120)
    monkeypatch.setattr(module, "_SAVE_EVERY", 1)
    given = (parse(str(base)), Path("none"))
    tokenizer, model = train(*given, tmp_path, 0, 1)
    read = sequences(tokenizer, EXAMPLES, 1)
    with torch.inference_mode():
        before, after = (
            loss_of(adapter, read)[0] for adapter in (open_adapter(given[0], 1)[1], model)
        )
    assert float(after) < float(before)

    class StopError(Exception):
        pass

    calls = 0

    def stopping(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise StopError
        return loss_of(*given)

    monkeypatch.setattr(module, "loss_of", stopping)
    cut = tmp_path / "cut"
    cut.mkdir()
    with pytest.raises(StopError):
        train(*given, cut, 0, 1)
    monkeypatch.setattr(module, "loss_of", loss_of)
    _, again = train(*given, cut, 0, 1)
    for name, weights in model.state().items():
        torch.testing.assert_close(again.state()[name], weights)


def test_the_published_adapter_judges_as_the_trained_one(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer, model = open_adapter(parse(str(base)), 1)
    torch.manual_seed(4)
    model.load({name: torch.randn_like(item) / 9 for name, item in model.state().items()})
    publish(model.state(), 2.0, parse(str(base)), tmp_path)
    monkeypatch.setattr(adapted, "features", lambda: frozenset({"avx512_bf16"}))
    published = AdaptedClassifier(parse(f"{base}?adapter={tmp_path}"))
    [one] = sequences(tokenizer, EXAMPLES[:3], 1)
    rows = {int(label): row for label, row in zip(one.labels, model_rows(model, one), strict=True)}
    found = published.logits([(item.first, item.second) for item in EXAMPLES[:3]])
    for item, row in zip(EXAMPLES, found, strict=False):
        np.testing.assert_allclose(row, rows[LABELS.index(str(item.label))] / 2, atol=0.1)


def model_rows(model: Any, item: Any) -> list[Any]:
    from anamnesis.models.shared_passage import packed

    with torch.inference_mode():
        return list(model(packed([item.tokens])).numpy())


def test_figures_by_hand() -> None:
    labels = torch.tensor([0, 1, 2, 0])
    logits = torch.tensor([[9.0, 0, 0], [0, 9.0, 0], [0, 9.0, 0], [-1.0, 9.0, 0]])
    # Right: two of four. Of the four pairs of a true and an untrue one, one true is higher twice.
    assert figures(logits, labels) == {"accuracy": 0.5, "auroc": 0.5}


def test_predicted_gives_every_example_once(base: Path) -> None:
    tokenizer, model = open_adapter(parse(str(base)), 1)
    logits, labels = predicted(model, tokenizer, EXAMPLES)
    assert logits.shape == (18, 3)
    assert Counter(labels.tolist()) == {0: 6, 1: 6, 2: 6}


def test_what_is_missing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work = tmp_path / "work"
    monkey = ["training", "--data", str(tmp_path), "--work", str(work)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", monkey)
        assert module.main() == 1
    assert "training data missing" in capsys.readouterr().err
    assert not work.exists()
