"""The reader's training on a tiny model: what is encoded, the loss, and the weights that ship."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from anamnesis.models import own_weights
from anamnesis.models.own_weights import READER, read_stored, read_whole
from anamnesis.models.reading import OUTPUTS
from tests.anamnesis.models.conftest import tiny_bert  # noqa: F401
from tests.fakes import HashEmbedder
from tests.tiny_models import save_words
from training.examples import LABELS
from training.learn import Stage
from training.probe import auroc, probe_of
from training.question_passages import (
    Neighbours,
    QuestionPassage,
    Reading,
    passages_of,
    readings,
    whole_passage_reading,
)
from training.read import averaged
from training.reader import Reader, batch_of, encode, learn, loss_of, predict, start_from
from training.ship_reader import fold, kinds_of, load_shipped, platt, ship, temperature

MakeModel = Callable[..., Path]
STAGE = Stage("only", rate=1e-2, tokens=64, window=48, save_every=4)
GOUT = QuestionPassage(
    "what treats pain", "g", "gout", "", ("aspirin treats pain", "the heart"),
    frozenset({0}), "yes", "search",
)  # fmt: skip


def near_miss(question: str, key: str, topic: str, text: str) -> QuestionPassage:
    return QuestionPassage(question, key, topic, "", (text,), frozenset(), None, "nearmiss")


OTHER = near_miss("what is asthma", "a", "asthma", "asthma is a cough")


@pytest.fixture
def start(tiny_bert: MakeModel) -> tuple[Reader, Any]:  # noqa: F811
    return start_from(tiny_bert(labels=dict(enumerate(LABELS))))


def test_tokens_belong_to_their_sentence_and_the_heading_to_none(start: tuple[Reader, Any]) -> None:
    [one] = encode(start[1], [whole_passage_reading(GOUT)], 48)
    assert one.relevance == 1.0
    assert one.targets[1:] == [1.0, 0.0]
    assert sorted(set(one.pieces)) == [-1, 1, 2]
    assert len(one.ids) == len(one.types) == len(one.pieces)
    assert one.types[0] == 0 and one.types[-1] == 1  # noqa: PT018


def test_what_does_not_fit_the_window_is_left_out_whole(start: tuple[Reader, Any]) -> None:
    long = Reading("pain", ("", "aspirin", "the heart " * 30, "fever"), 1.0, frozenset({1}))
    [one] = encode(start[1], [long], 24)
    assert len(one.ids) <= 24
    assert one.targets[1:] == [1.0]


def test_the_loss_adds_up_what_is_known_of_each_reading(start: tuple[Reader, Any]) -> None:
    tokenizer = start[1]
    message = Reading("the heart", level="routine")
    batch = batch_of(encode(tokenizer, [whole_passage_reading(GOUT), message], 48))
    outputs = torch.zeros(2, len(OUTPUTS))
    found = loss_of(outputs, torch.zeros_like(batch.ids, dtype=torch.float), batch)
    # Relevance and sentences log 2 each, four words of a verdict, three levels.
    expected = (math.log(2) + math.log(2) + 0.3 * math.log(4) + math.log(3)) / 2
    assert float(found) == pytest.approx(expected, abs=1e-5)


def test_a_reader_learns_and_goes_on_where_it_was_cut_off(
    start: tuple[Reader, Any], tmp_path: Path
) -> None:
    model, tokenizer = start
    data = [
        whole_passage_reading(GOUT),
        whole_passage_reading(OTHER),
        Reading("the heart", level="routine"),
    ] * 8
    learn(model, tokenizer, data, STAGE, tmp_path, probe_of([GOUT, OTHER], []))
    outputs, sentences = predict(
        model.eval(), tokenizer, [whole_passage_reading(GOUT), whole_passage_reading(OTHER)], 48
    )
    assert outputs[0, 0] > outputs[1, 0]
    assert sentences[0][0] > sentences[0][1]
    again, _ = start_from(Path(tokenizer.name_or_path))
    learn(again, tokenizer, data, STAGE, tmp_path)
    assert torch.equal(again.outputs.weight, model.outputs.weight)
    assert (tmp_path / "curve.jsonl").is_file()


def test_blocks_that_are_kept_still_do_not_move(start: tuple[Reader, Any], tmp_path: Path) -> None:
    model, tokenizer = start
    before = {name: value.clone() for name, value in model.named_parameters()}
    learn(model, tokenizer, [whole_passage_reading(GOUT)] * 8, STAGE, tmp_path, frozen=1)
    after = dict(model.named_parameters())
    moved = {name for name, value in after.items() if not torch.equal(value, before[name])}
    still = ("encoder.embeddings", "encoder.encoder.layer.0")
    assert not any(name.startswith(still) for name in moved)
    assert any(name.startswith("encoder.encoder.layer.1") for name in moved)


def test_shipped_weights_are_those_of_the_model_to_a_step_of_8_bits(
    start: tuple[Reader, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _ = start
    _share_words(model, tmp_path / "words", monkeypatch)
    kinds = kinds_of([Reading("the heart", kind="medical"), Reading("fever", kind="child")])
    ship(model, tmp_path, kinds)
    assert read_stored(tmp_path / READER, "kinds.")["kinds.weight"].shape[1] == 384
    found = read_whole(tmp_path / READER)
    for name, value in model.state_dict().items():
        plain = name.removeprefix("encoder.")
        if not value.is_floating_point():
            continue
        step = float(value.abs().max()) / 127
        assert np.abs(found[plain] - value.numpy()).max() <= max(step, 2e-3)


def _share_words(model: Reader, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the published format take the word embeddings of this model from a folder."""
    words = model.encoder.get_input_embeddings().weight.detach()
    monkeypatch.setattr(own_weights, "WORDS", save_words(folder, words))


def test_what_ships_can_be_trained_further(
    tiny_bert: MakeModel,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tiny_bert(labels=dict(enumerate(LABELS)))
    model, tokenizer = start_from(folder)
    _share_words(model, tmp_path / "words", monkeypatch)
    data = [
        whole_passage_reading(GOUT),
        whole_passage_reading(OTHER),
        Reading("the heart", level="routine"),
    ] * 4
    halves = Stage("half", rate=1e-2, tokens=64, window=48, bfloat16=True)
    learn(model, tokenizer, data, halves, tmp_path)
    kinds = kinds_of([Reading("the heart", kind="medical"), Reading("fever", kind="child")])
    ship(model, folder, kinds)
    config = json.loads((folder / "config.json").read_text())
    # The critic, whose configuration this is, may have more blocks.
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 7}))
    again, _ = load_shipped(folder)
    (folder / "config.json").write_text(json.dumps(config))
    untrained, _ = start_from(folder)
    before, after, other = (
        predict(reader.eval(), tokenizer, data[:3], 48)[0] for reader in (model, again, untrained)
    )
    assert torch.allclose(before, after, atol=0.3)
    assert not torch.allclose(before, other, atol=0.3)


def test_scales_and_shifts_are_folded_into_the_outputs(start: tuple[Reader, Any]) -> None:
    model, tokenizer = start
    model.eval()
    before, said = predict(model, tokenizer, [whole_passage_reading(GOUT)], 48)
    fold(model, {0: 2.0, -1: 3.0}, {0: 0.5, -1: 1.0})
    after, expected = predict(model, tokenizer, [whole_passage_reading(GOUT)], 48)
    assert float(after[0, 0]) == pytest.approx(float(before[0, 0]) * 2 + 0.5, abs=1e-4)
    assert expected[0][0] == pytest.approx(said[0][0] * 3 + 1, abs=1e-4)


def test_calibration_finds_the_scale_and_the_temperature() -> None:
    torch.manual_seed(1)
    true = torch.randn(4_000)
    targets = (torch.rand(4_000) < torch.sigmoid(true)).float()
    scale, shift = platt((true - 1) * 4, targets)
    assert scale == pytest.approx(0.25, abs=0.05)
    assert shift == pytest.approx(1, abs=0.15)
    logits = torch.stack([true, torch.zeros(4_000)], 1)
    assert temperature(logits * 3, 1 - targets.long()) == pytest.approx(3, abs=0.4)


def drawn(*asked: QuestionPassage, seed: int = 1) -> tuple[list[Reading], list[Reading]]:
    return readings(asked, Neighbours(passages_of(asked), HashEmbedder()), seed)


def test_other_passages_share_no_word_with_the_topic_and_answer_nothing() -> None:
    readings, wrong = drawn(GOUT, OTHER, near_miss("gout pain", "h", "gout", "gout is pain"))
    assert [each.question for each in readings] == [GOUT.question, OTHER.question, "gout pain"]
    assert all(each.relevance == 0.0 and each.polar is None for each in wrong)
    assert not any(each.answers for each in wrong)
    # A topic's other passages are no safe negatives for it.
    assert all(
        each.pieces[1:] == OTHER.sentences for each in wrong if each.question != OTHER.question
    )


def test_shortened_passages_keep_what_answers() -> None:
    texts = ("a", "b", "the pain", "c", "d")
    long = QuestionPassage("q pain", "l", "gout", "", texts, frozenset({2}), None, "search")
    for seed in range(30):
        [reading], _ = drawn(long, seed=seed)
        assert [reading.pieces[place] for place in sorted(reading.answers or ())] == ["the pain"]


def test_the_area_under_the_curve_counts_ties_half() -> None:
    assert auroc([1.0, 2.0], [0.0]) == 1.0
    assert auroc([0.0], [0.0]) == 0.5
    assert auroc([0.0, 3.0], [1.0, 2.0]) == 0.5


def test_the_average_of_two_states_lies_between_them() -> None:
    before = {"weight": torch.tensor([0.0, 2.0]), "places": torch.tensor([1])}
    after = {"weight": torch.tensor([4.0, 2.0]), "places": torch.tensor([1])}
    found = averaged(before, after, share=0.75)
    assert found["weight"].tolist() == [3.0, 2.0]
    assert found["places"].tolist() == [1]
