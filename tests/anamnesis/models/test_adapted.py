"""The second critic: a causal model with an adapter, which reads a passage once for many claims."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from anamnesis.entailment import LABELS
from anamnesis.errors import ModelError, SettingError
from anamnesis.models import adapted
from anamnesis.models.adapted import SCALE, AdaptedClassifier, change
from anamnesis.models.cached_critic import identity_of
from anamnesis.models.critic import load_critic
from anamnesis.models.folders import ADAPTER
from anamnesis.models.recipe import weights_of
from anamnesis.models.reference import parse
from anamnesis.models.shared_passage import OnePassage, packed
from tests.tiny_models import save_llama
from training.adapter import open_adapter, publish

PASSAGES = ("aspirin treats fever and pain", "asthma causes cough", "")
CLAIMS = ("fever is treated", "asthma is a pain", "the heart", "aspirin causes cough and fever")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_llama(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def adapter(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an adapter whose change is not small."""
    folder = tmp_path_factory.mktemp("adapter")
    _, model = open_adapter(parse(str(base)), seed=1)
    torch.manual_seed(2)
    state = {name: torch.randn_like(weights) / 4 for name, weights in model.state().items()}
    publish(state, 0.5, parse(str(base)), folder)
    return folder


@pytest.fixture(scope="module")
def classifier(base: Path, adapter: Path) -> Iterator[AdaptedClassifier]:
    """In single precision, as on a processor that does not multiply in half precision."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adapted, "features", frozenset)
        yield AdaptedClassifier(parse(f"{base}?adapter={adapter}"))


def test_a_claim_is_judged_as_if_it_were_the_only_one_on_its_passage(
    classifier: AdaptedClassifier,
) -> None:
    pairs = [(passage, claim) for claim in CLAIMS for passage in PASSAGES]
    alone = np.stack([classifier.logits([pair])[0] for pair in pairs])
    together = classifier.logits(pairs)
    assert together.shape == (12, len(LABELS))
    np.testing.assert_allclose(together, alone, atol=1e-4)
    # The passage and the claim both count.
    assert np.abs(alone[0] - alone[1]).max() > 0.1
    assert np.abs(alone[0] - alone[3]).max() > 0.1


def test_without_packing_the_model_says_the_same(
    classifier: AdaptedClassifier, base: Path, adapter: Path
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(base)
    model: Any = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    stored = load_file(adapter / ADAPTER)
    change(model.model, {name: item.numpy() for name, item in stored.items()}, "tiny")
    text = f"Source: {PASSAGES[0]}\n\nStatement: {CLAIMS[0]}\nSupported:"
    ids = [tokenizer.bos_token_id, *tokenizer.encode(text, add_special_tokens=False)]
    with torch.inference_mode():
        last = model.model(torch.tensor([ids])).last_hidden_state[0, -1]
    expected = last @ stored["head.weight"].T + stored["head.bias"]
    found = classifier.logits([(PASSAGES[0], CLAIMS[0])])[0]
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-4)


def test_half_precision_changes_little(
    classifier: AdaptedClassifier, base: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapted, "features", lambda: frozenset({"amx_bf16"}))
    half = AdaptedClassifier(parse(f"{base}?adapter={adapter}"))
    pairs = [(PASSAGES[0], claim) for claim in CLAIMS]
    exact, found = classifier.logits(pairs), half.logits(pairs)
    assert 0 < np.abs(found - exact).mean() < 0.2


def test_packing_by_hand() -> None:
    batch = packed([OnePassage([7, 8], [[1], [2, 3]]), OnePassage([9], [[4]])])
    assert batch.ids.tolist() == [[7, 8, 1, 2, 3], [9, 4, 0, 0, 0]]
    assert batch.positions.tolist() == [[0, 1, 2, 2, 3], [0, 1, 0, 0, 0]]
    assert batch.rows.tolist() == [0, 0, 1]
    assert batch.places.tolist() == [2, 4, 1]
    # The last claim sees the passage and itself, not the claim before it.
    assert batch.mask[0, 0].int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 0, 1, 0],
        [1, 1, 0, 1, 1],
    ]
    assert batch.mask[1, 0, 2:].any(-1).all()


def test_the_change_is_the_product_of_the_factors() -> None:
    layer = torch.nn.Linear(2, 3, bias=False)
    torch.nn.init.ones_(layer.weight)
    block = torch.nn.Module()
    block.mlp = torch.nn.Module()
    block.mlp.up_proj = layer
    blocks = torch.nn.Module()
    blocks.layers = torch.nn.ModuleList([block])
    name = "0.mlp.up_proj"
    stored = {
        f"{name}.down": np.array([[1, -2]], np.int8),
        f"{name}.up": np.array([[4], [0], [-1]], np.int8),
        f"{name}.scale": np.array([0.125], np.float32),
    }
    change(blocks, stored, "tiny")
    assert SCALE == 2
    assert layer.weight.tolist() == [[2, -1], [1, 1], [0.75, 1.5]]


def test_long_texts_are_cut_and_every_claim_is_judged(classifier: AdaptedClassifier) -> None:
    pairs = [("asthma causes cough " * 200, f"{claim} pain" * 30) for claim in CLAIMS * 3]
    found = classifier.logits([*pairs, ("", "")])
    assert found.shape == (13, 3)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[0], found[4], atol=1e-4)


def test_it_is_an_entailment_critic_by_its_reference(base: Path, adapter: Path) -> None:
    critic = load_critic(f"{base}?adapter={adapter}")
    assert critic.method == "entailment"
    [[one, other]] = critic.judge([CLAIMS[0]], [[PASSAGES[0], PASSAGES[1]]])
    assert 0 <= one.probability <= 1
    assert one.contradiction is not None
    assert one.probability != other.probability


def test_what_does_not_fit_is_named(base: Path, adapter: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"contains no adapter \(second_critic.*write adapter=own"):
        AdaptedClassifier(parse(f"{base}?adapter={tmp_path}"))
    smaller = save_llama(tmp_path / "smaller", layers=2)
    with pytest.raises(ModelError, match=r"does not fit the model.*name the model that it was"):
        AdaptedClassifier(parse(f"{smaller}?adapter={adapter}"))
    narrow = save_llama(tmp_path / "narrow", size=16)
    with pytest.raises(ModelError, match="does not fit the model"):
        AdaptedClassifier(parse(f"{narrow}?adapter={adapter}"))
    with pytest.raises(SettingError, match=r"unknown option 'precision'; known: adapter, device"):
        AdaptedClassifier(parse(f"{base}?adapter={adapter}&precision=int8"))
    save_file(load_file(adapter / ADAPTER), tmp_path / ADAPTER, {"base": "package:other"})
    with pytest.raises(SettingError, match="the adapter belongs to package:other"):
        AdaptedClassifier(parse(f"{base}?adapter={tmp_path}"))


def test_its_weights_are_those_of_the_model_and_of_the_adapter(base: Path, adapter: Path) -> None:
    alone, changed = weights_of(parse(str(base))), weights_of(parse(f"{base}?adapter={adapter}"))
    assert set(changed) - set(alone) == {ADAPTER}
    assert identity_of(f"{base}?adapter={adapter}") != identity_of(str(base))
