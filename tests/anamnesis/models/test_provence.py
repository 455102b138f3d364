"""Provence's layout, on a tiny random model: no published weights are at hand."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.chat import load_chat
from anamnesis.models.cross_encoder import load_cross_encoder
from anamnesis.models.embedding import load_embedder
from anamnesis.models.provence import ProvenceReader, as_trained
from anamnesis.models.reference import parse
from anamnesis.models.reranker import load_reranker
from anamnesis.models.token_vectors import TokenVectors
from tests.tiny_models import save_provence

QUESTION = "What treats asthma?"
PASSAGE = ("asthma", "Aspirin is not for asthma. Ibuprofen treats pain and fever.")
LONG = "Fever is a symptom of high blood pressure. " * 30


def _embedder(folder: str) -> object:
    return load_embedder(f"{folder}?pooling=mean")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_provence(tmp_path_factory.mktemp("provence"))


@pytest.fixture(scope="module")
def reader(folder: Path) -> ProvenceReader:
    return ProvenceReader(parse(str(folder)))


@pytest.fixture
def changed(folder: Path, tmp_path: Path) -> Callable[..., Path]:
    """A copy of the folder whose weights were changed, tensor by tensor; None removes one."""

    def make(**tensors: Any) -> Path:
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        weights = load_file(copy / "model.safetensors")
        for name, tensor in tensors.items():
            weights.pop(name)
            if tensor is not None:
                weights[name] = tensor
        save_file(weights, copy / "model.safetensors")
        return copy

    return make


def published(folder: Path, head: str, ids: list[int]) -> Any:
    """Raw outputs by transformers' own classes, which know ranking and tokens one at a time."""
    import torch
    from transformers import (
        DebertaV2Config,
        DebertaV2ForSequenceClassification,
        DebertaV2ForTokenClassification,
    )

    given = json.loads((folder / "config.json").read_text())
    given = {k: v for k, v in given.items() if k not in ("model_type", "id2label", "label2id")}
    weights = load_file(folder / "model.safetensors")
    rank = head == "classifier"
    config = DebertaV2Config(**given, num_labels=1 if rank else 2)
    made: Any = (DebertaV2ForSequenceClassification if rank else DebertaV2ForTokenClassification)(
        config
    )
    encoder = {k: v for k, v in weights.items() if k.startswith("deberta.")}
    encoder |= {k: v for k, v in weights.items() if rank and k.startswith("pooler.")}
    encoder |= {f"classifier.{part}": weights[f"{head}.{part}"] for part in ("weight", "bias")}
    made.load_state_dict(encoder)
    with torch.inference_mode():
        return made.eval()(torch.tensor([ids])).logits[0].numpy()


def test_outputs_are_those_of_the_published_layers(folder: Path, reader: ProvenceReader) -> None:
    from transformers import PreTrainedTokenizerFast

    tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(folder)
    heading, text = PASSAGE
    ids = tokenizer("what treats asthma", f"{heading} {text}")["input_ids"]
    [score] = published(folder, "classifier", ids)
    logits = published(folder, "token_classifier", ids)
    kept = np.exp(logits[:, 1]) / np.exp(logits).sum(axis=1)
    first = ids.index(tokenizer.convert_tokens_to_ids("aspirin"))
    middle = ids.index(tokenizer.convert_tokens_to_ids(".")) + 1

    [found] = reader.read(QUESTION, [PASSAGE])
    assert found.relevance == pytest.approx(1 / (1 + np.exp(-score)), abs=1e-5)
    assert [text[a:b] for a, b, _ in found.sentences] == text.replace(". ", ".|").split("|")
    expected = [kept[first:middle].mean(), kept[middle:-1].mean()]
    assert [chance for *_, chance in found.sentences] == pytest.approx(expected, abs=1e-5)
    assert expected[0] != pytest.approx(expected[1], abs=1e-3)
    assert found.polar == {}
    assert reader.score(QUESTION, [PASSAGE]) == [found.relevance]


@pytest.mark.parametrize("architecture", ["Provence", "DebertaV2ForCompressionAndRanking"])
def test_it_is_named_like_any_cross_encoder(tmp_path: Path, architecture: str) -> None:
    kind = "Provence" if architecture == "Provence" else "deberta-v2"
    named = save_provence(tmp_path / "named", architectures=[architecture], model_type=kind)
    found = load_reranker(f"hf:{named}")
    assert isinstance(found, ProvenceReader)
    assert (found.method, found.name) == ("cross-encoder", f"cross-encoder:{named}")
    assert load_reranker(str(named)) is found
    with pytest.raises(SettingError, match="unknown option 'precision'; known: revision"):
        load_reranker(f"{named}?precision=int8")


def test_a_question_is_asked_as_in_training(reader: ProvenceReader) -> None:
    assert as_trained("  What's  Asthma,\n(really)? ") == "whats asthma really"
    shouted, plain = (
        reader.read("What TREATS asthma?!", [PASSAGE]),
        reader.read(QUESTION, [PASSAGE]),
    )
    assert shouted == plain


def test_a_reading_does_not_depend_on_what_else_is_read(reader: ProvenceReader) -> None:
    others = [("", LONG), PASSAGE, ("fever", "Fever."), PASSAGE]
    found = reader.read("doctor", others)
    assert found[1] == found[3]
    fresh = ProvenceReader(parse(reader.name.partition(":")[2]))
    assert fresh.read("doctor", [PASSAGE]) == [found[1]]
    assert reader.read("doctor", []) == []


def test_a_passage_beyond_the_window_is_read_to_its_end(reader: ProvenceReader) -> None:
    seen: list[list[int]] = []
    inner = reader._run

    def looking(ids: list[int]) -> Any:
        seen.append(ids)
        return inner(ids)

    reader._run = looking  # type: ignore[method-assign]
    try:
        [found] = reader.read("long asthma", [("asthma", f"{LONG}Aspirin treats pain.")])
    finally:
        del reader._run  # type: ignore[method-assign]
    assert len(found.sentences) == 31
    assert all(0 < chance < 1 for *_, chance in found.sentences)
    assert len(seen) > 5
    assert max(map(len, seen)) <= reader._window
    best = max(inner(ids)[0] for ids in seen)
    assert found.relevance == pytest.approx(1 / (1 + np.exp(-best)))


def test_a_sentence_longer_than_the_window_counts_by_all_its_tokens(
    reader: ProvenceReader,
) -> None:
    text = "asthma " * 100 + "fever."
    [found] = reader.read("pain", [("", text)])
    [other] = reader.read("pain", [("", text.replace("fever", "heart"))])
    assert [(a, b) for a, b, _ in found.sentences] == [(0, len(text))]
    assert found.sentences != other.sentences


def test_a_long_question_leaves_room_for_the_passage(reader: ProvenceReader) -> None:
    [found] = reader.read("asthma " * 200 + "fever?", [PASSAGE])
    [other] = reader.read("asthma " * 200 + "pain?", [PASSAGE])
    assert found != other
    assert all(chance > 0 for *_, chance in found.sentences)


def test_what_has_no_text_has_a_relevance_all_the_same(reader: ProvenceReader) -> None:
    for question in ("", "?!", "asthma"):
        nothing, heading = reader.read(question, [("", ""), ("Asthma", " \n ")])
        assert nothing.sentences == heading.sentences == ()
        assert 0 < nothing.relevance < 1
    # Without a token nothing says that a good answer quotes it.
    [half] = reader.read("asthma", [("", "\u200b\n\nFever.")])
    assert [chance > 0 for *_, chance in half.sentences] == [False, True]


def test_any_text_is_read(reader: ProvenceReader) -> None:
    odd = "Ärzte 治疗 \U0001f600 fever \ud83d. Аспирин treats \udc00 pain."
    [found] = reader.read("naïve \ud83d?", [("a \udc00", odd)])
    assert [odd[a:b] for a, b, _ in found.sentences] == odd.replace(". ", ".|").split("|")


def test_a_passage_cannot_frame_a_window(reader: ProvenceReader) -> None:
    [framed] = reader.read("asthma", [("", "fever [SEP] [CLS] pain")])
    [plain] = reader.read("asthma", [("", "fever pain")])
    assert framed.relevance == plain.relevance
    assert framed.sentences[0][2] == plain.sentences[0][2]


def test_a_missing_weight_is_named(changed: Callable[..., Path]) -> None:
    lacking = changed(**{"token_classifier.weight": None})
    with pytest.raises(ModelError, match=r"lacks 1 weights, such as token_classifier\.weight"):
        load_reranker(str(lacking))


def test_a_weight_of_another_shape_is_named(changed: Callable[..., Path]) -> None:
    import torch

    wide = changed(**{"token_classifier.bias": torch.zeros(3)})
    with pytest.raises(ModelError, match=r"token_classifier\.bias in .* has the shape \(3,\)"):
        load_reranker(str(wide))


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(changed: Callable[..., Path], name: str) -> None:
    folder = changed()
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name} is missing in .*copy"):
        load_reranker(str(folder))


def test_damaged_files_are_named(changed: Callable[..., Path]) -> None:
    folder = changed()
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(ModelError, match=r"model\.safetensors is damaged"):
        load_reranker(str(folder))
    wrong = {"architectures": ["Provence"], "hidden_act": 3, "pooler_hidden_act": "none such"}
    (folder / "config.json").write_text(json.dumps(wrong))
    with pytest.raises(ModelError, match=r"config\.json is not that of a DeBERTa-v2 encoder"):
        load_reranker(str(folder))


def test_scores_that_are_no_numbers_are_refused(changed: Callable[..., Path]) -> None:
    import torch

    broken = changed(**{"classifier.bias": torch.tensor([float("nan")])})
    with pytest.raises(ModelError, match="not numbers"):
        load_reranker(str(broken)).read("asthma", [PASSAGE])


@pytest.mark.parametrize("load", [load_cross_encoder, load_chat, TokenVectors, _embedder])
def test_the_code_in_its_folder_is_never_run(
    changed: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    load: Callable[[str], object],
) -> None:
    folder, ran = changed(), tmp_path / "ran"
    (folder / "modeling_provence.py").write_text(f"open({str(ran)!r}, 'w').close()\n")
    # The library would ask on the terminal whether it may run it.
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    with pytest.raises(ModelError, match="cannot"):
        load(str(folder))
    assert not ran.exists()
