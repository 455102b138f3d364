"""Calibration, and the folder that ships."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from anamnesis.models import own_weights
from anamnesis.models.critic import load_critic
from anamnesis.models.reranker import load_reranker
from tests.anamnesis.models.conftest import tiny_bert  # noqa: F401
from tests.tiny_models import save_words
from training import finish as module
from training.examples import LABELS, Example
from training.finish import finish, fit_scale, fit_temperature, fold
from training.storing import load_classifier

MakeModel = Callable[..., Path]


def test_temperature_is_found_again() -> None:
    torch.manual_seed(0)
    honest = torch.randn(20_000, 3) * 1.5
    label = torch.distributions.Categorical(logits=honest).sample()
    assert fit_temperature([(honest * 2.5, label)]) == pytest.approx(2.5, rel=0.05)
    assert fit_temperature([(honest, label), (honest, label)]) == pytest.approx(1.0, rel=0.05)


def test_scale_and_shift_are_found_again() -> None:
    torch.manual_seed(0)
    raw = torch.randn(20_000) * 2
    target = torch.bernoulli(torch.sigmoid(0.5 * raw - 1))
    scale, shift = fit_scale([(raw, target)])
    assert scale == pytest.approx(0.5, rel=0.08)
    assert shift == pytest.approx(-1, rel=0.08)


def save(make: MakeModel) -> Path:
    return make("trained", labels=dict(enumerate(LABELS)), seed=6)


def outputs(model: Any, folder: Path, pair: tuple[str, str]) -> Any:
    from transformers import AutoTokenizer

    batch = AutoTokenizer.from_pretrained(str(folder))(*pair, return_tensors="pt")
    with torch.inference_mode():
        return model.eval()(**batch).logits[0].float().numpy()


def test_folded_numbers_change_the_outputs_as_they_would_outside(
    tiny_bert: MakeModel,  # noqa: F811
) -> None:
    folder = save(tiny_bert)
    model = load_classifier(folder)
    before = outputs(model, folder, ("asthma", "cough"))
    fold(model, temperature=2.0, scale=3.0, shift=-1.0)
    after = outputs(model, folder, ("asthma", "cough"))
    np.testing.assert_allclose(after[1:], before[1:] / 2, rtol=1e-4)
    assert after[0] == pytest.approx(before[0] * 3 - 1, rel=1e-4)


def test_the_shipped_folder_serves_both_roles_and_further_training(
    tiny_bert: MakeModel,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nli = [Example("asthma", f"cough {n}", label=name) for n in range(9) for name in LABELS[1:]]
    asked = [Example("asthma", f"cough {n}", relevance=float(n % 2)) for n in range(20)]
    monkeypatch.setattr(module, "nli_sets", lambda data: {"one": nli})
    monkeypatch.setattr(module, "relevance_sets", lambda data: {"one": asked})
    out, trained = tmp_path / "out", save(tiny_bert)
    words = load_classifier(trained).get_input_embeddings().weight.detach()
    monkeypatch.setattr(own_weights, "WORDS", save_words(tmp_path / "words", words))
    fitted = finish(trained, tmp_path, out)
    assert fitted.keys() == {"temperature", "scale", "shift"}
    config = json.loads((out / "config.json").read_text())
    assert [config["id2label"][str(place)] for place in range(4)] == list(LABELS)
    [score] = load_reranker(f"{out}?precision=float32").score("asthma", [("", "cough")])
    [[support]] = load_critic(str(out)).judge(["cough"], [["asthma"]])
    assert 0 < score < 1
    assert support.contradiction is not None
    assert support.probability + support.contradiction < 1

    assert not (out / "model.safetensors").exists()
    again = outputs(load_classifier(out), out, ("asthma", "cough"))
    assert 1 / (1 + np.exp(-again[0])) == pytest.approx(score, abs=0.02)
