"""Training on a tiny model: batches, loss, and a stage that goes on where it was cut off."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.anamnesis.models.conftest import tiny_bert  # noqa: F401
from training import learn as module
from training.examples import Example
from training.learn import Stage, average, batches, learn, loss_of

MakeModel = Callable[..., Path]
EXAMPLES = [
    example
    for _ in range(6)
    for example in (
        Example("aspirin treats fever", "fever is treated", label="entailment"),
        Example("aspirin treats fever", "asthma is a cough", label="neutral"),
        Example("aspirin is not for asthma", "aspirin is for asthma", label="contradiction"),
        Example("what treats fever", "aspirin treats fever", relevance=1.0),
        Example("what treats fever", "the heart", relevance=0.0),
    )
]
STAGE = Stage("only", rate=1e-3, tokens=64, window=48, save_every=2)


@given(st.lists(st.integers(1, 200), max_size=120), st.integers(200, 900), st.integers(0, 9))
def test_every_example_is_in_one_batch_of_the_size(
    lengths: list[int], tokens: int, seed: int
) -> None:
    made = batches(lengths, tokens, seed)
    assert sorted(place for batch in made for place in batch) == list(range(len(lengths)))
    for batch in made:
        assert max(lengths[place] for place in batch) * len(batch) <= tokens
    assert made == batches(lengths, tokens, seed)


def test_the_loss_is_the_mean_over_both_kinds_of_pairs() -> None:
    logits = torch.tensor([[9.0, 0.0, 0.0, 0.0], [0.0, 9.0, 9.0, 9.0], [2.0, 5.0, 5.0, 5.0]])
    relevance, label = torch.tensor([-1.0, 0.5, 1.0]), torch.tensor([1, -100, -100])
    expected = (math.log(3) + math.log(2) + math.log(1 + math.exp(-2))) / 3
    assert float(loss_of(logits, relevance, label)) == pytest.approx(expected, abs=1e-6)


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def test_a_stage_that_was_cut_off_goes_on_as_if_it_were_not(
    tiny_bert: MakeModel,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = tiny_bert(seed=3)
    whole = weights(learn(start, EXAMPLES, STAGE, tmp_path / "whole"))

    class StopError(Exception):
        pass

    calls = 0

    def stopping(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise StopError
        return loss_of(*given)

    monkeypatch.setattr(module, "loss_of", stopping)
    with pytest.raises(StopError):
        learn(start, EXAMPLES, STAGE, tmp_path / "cut")
    assert (tmp_path / "cut" / "only.checkpoint").is_file()
    monkeypatch.setattr(module, "loss_of", loss_of)
    after = weights(learn(start, EXAMPLES, STAGE, tmp_path / "cut"))
    assert whole.keys() == after.keys()
    for name, tensor in whole.items():
        torch.testing.assert_close(after[name], tensor)
    assert not (tmp_path / "cut" / "only.checkpoint").exists()


def test_word_embeddings_stay_and_the_rest_learns(
    tiny_bert: MakeModel,  # noqa: F811
    tmp_path: Path,
) -> None:
    start = tiny_bert(seed=4)
    before = weights(start)
    after = weights(learn(start, EXAMPLES, STAGE, tmp_path / "work"))
    words = "embeddings.word_embeddings.weight"
    torch.testing.assert_close(after[f"bert.{words}"], before[words])
    layer = "encoder.layer.0.output.dense.weight"
    assert not torch.equal(after[f"bert.{layer}"], before[layer])
    assert after["classifier.bias"].shape == (4,)


def test_a_done_stage_is_not_trained_again_and_the_probe_is_noted(
    tiny_bert: MakeModel,  # noqa: F811
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    def probe(model: Any, tokenizer: Any) -> dict[str, float]:
        asked.append("")
        assert not model.training
        return {"accuracy": 0.5}

    start = tiny_bert(seed=5)
    done = learn(start, EXAMPLES, STAGE, tmp_path / "work", probe)
    curve = (tmp_path / "work" / "curve.jsonl").read_text().splitlines()
    assert len(curve) == len(asked) >= 1
    assert '"accuracy": 0.5' in curve[-1]
    before = (done / "model.safetensors").stat().st_mtime_ns
    assert learn(start, EXAMPLES, STAGE, tmp_path / "work") == done
    assert (done / "model.safetensors").stat().st_mtime_ns == before


def test_an_average_lies_between_its_models(
    tiny_bert: MakeModel,  # noqa: F811
    tmp_path: Path,
) -> None:
    one = learn(tiny_bert("one", seed=6), EXAMPLES, STAGE, tmp_path / "one-work")
    other = learn(tiny_bert("two", seed=7), EXAMPLES, STAGE, tmp_path / "two-work")
    mixed = weights(average(one, other, 0.25, tmp_path / "mixed"))
    first, last = weights(one), weights(other)
    for name, tensor in mixed.items():
        torch.testing.assert_close(tensor, 0.25 * first[name] + 0.75 * last[name])
