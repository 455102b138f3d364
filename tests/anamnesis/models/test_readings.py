"""Whatever can be named as reranker reads: a relevance, and a probability for each sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamnesis.language.text import sentences
from anamnesis.models.reranker import load_reranker
from tests.tiny_models import save_bert, save_provence, save_tokenizer

QUESTION = "what treats asthma"
PASSAGES = [
    ("Asthma", "Aspirin treats pain. Fever is high."),
    ("", "Ibuprofen treats fever in patients."),
    ("Fever", ""),
    ("", "  \n"),
    ("a \udc00", "b \ud83d. Fieber 治疗 and pain."),
    ("Asthma", "Fever is a symptom of asthma. " * 20),
]


def _deberta(folder: Path) -> Path:
    """A cross-encoder that no project code knows: it is loaded by transformers."""
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

    config = DebertaV2Config(
        vocab_size=save_tokenizer(folder),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=48,
        initializer_range=0.5,
        num_labels=1,
    )
    DebertaV2ForSequenceClassification(config).save_pretrained(folder)
    return folder


KINDS: dict[str, Callable[[Path], object]] = {
    "own": lambda folder: "own",
    "provence": save_provence,
    "one output": lambda folder: save_bert(folder, {0: "LABEL_0"}),
    "two outputs": lambda folder: save_bert(folder, {0: "irrelevant", 1: "relevant"}),
    "entailment": lambda folder: save_bert(folder, {0: "neutral", 1: "entailment"}),
    "through torch": _deberta,
    "embedder": lambda folder: f"similarity:{save_bert(folder)}",
    "similarity": lambda folder: "similarity",
}


@pytest.fixture(scope="module", params=KINDS)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load_reranker(str(KINDS[request.param](tmp_path_factory.mktemp("model"))))


def test_every_sentence_has_a_probability(reader: Any) -> None:
    found = reader.read(QUESTION, PASSAGES)
    assert [reading.relevance for reading in found] == reader.score(QUESTION, PASSAGES)
    assert all(0 <= reading.relevance <= 1 for reading in found)
    for (_, text), reading in zip(PASSAGES, found, strict=True):
        assert [(start, end) for start, end, _ in reading.sentences] == [
            *map(tuple, sentences(text))
        ]
        assert all(0 <= chance <= 1 for *_, chance in reading.sentences)
    first = found[0].sentences
    assert first[0][2] != pytest.approx(first[1][2], abs=1e-4)


def test_any_question_is_asked_and_nothing_is_read(reader: Any) -> None:
    assert reader.read(QUESTION, []) == []
    for question in ("", "asthma \ud83d", "asthma " * 300):
        [found] = reader.read(question, PASSAGES[:1])
        assert len(found.sentences) == 2


def test_a_sentence_is_scored_as_a_passage_where_there_is_no_output_for_it(tmp_path: Path) -> None:
    reader = load_reranker(str(save_bert(tmp_path / "model", {0: "LABEL_0"})))
    [found] = reader.read(QUESTION, PASSAGES[:1])
    alone = [("Asthma", "Aspirin treats pain."), ("Asthma", "Fever is high.")]
    assert [chance for *_, chance in found.sentences] == reader.score(QUESTION, alone)
    assert found.polar == {}
