"""The last step for the reader: calibrated, in 8-bit integers, in the published folder."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from anamnesis.models.embedding import load_embedder
from anamnesis.models.own_weights import READER, WORD_EMBEDDINGS, blocks, read_whole, read_words
from anamnesis.models.reader import KINDS
from anamnesis.models.reading import POLAR_OUTPUTS, URGENCY_KINDS, URGENCY_LEVELS
from training.finish import minimise
from training.judged import Judged
from training.question_passages import (
    Neighbours,
    QuestionPassage,
    Reading,
    passages_of,
    readings,
    whole_passage_reading,
)
from training.reader import LEVEL, POLAR, Reader, batch_of, encode, predict
from training.storing import store

log = logging.getLogger("training")

_ENCODER = "encoder."


def platt(logits: Tensor, targets: Tensor) -> tuple[float, float]:
    """Scale and shift that make the sigmoid of the log-odds (n,) a probability (Platt, 1999).

    Fitted by the mean cross-entropy; ``targets`` (n,) are 0 or 1.
    """
    parameters = torch.tensor([1.0, 0.0], requires_grad=True)

    def loss() -> Tensor:
        scaled = logits * parameters[0] + parameters[1]
        return functional.binary_cross_entropy_with_logits(scaled, targets)

    minimise(loss, [parameters], 100)
    scale, shift = parameters.tolist()
    return scale, shift


def temperature(logits: Tensor, targets: Tensor) -> float:
    """The divisor of the log-odds (n, classes) that calibrates their softmax."""
    found = torch.ones(1, requires_grad=True)
    minimise(lambda: functional.cross_entropy(logits / found, targets), [found], 100)
    return float(found.detach())


def fold(model: Reader, scales: dict[int, float], shifts: dict[int, float]) -> None:
    """Multiply scales of outputs, and shifts, into the weights; -1 is the output for tokens."""
    with torch.no_grad():
        for place, scale in scales.items():
            layer, row = (model.sentence, 0) if place < 0 else (model.outputs, place)
            layer.weight[row] *= scale
            layer.bias[row] = layer.bias[row] * scale + shifts.get(place, 0.0)


def calibrate(
    model: Reader,
    tokenizer: Any,
    asked: Sequence[QuestionPassage],
    judged: Sequence[Judged],
    window: int,
) -> None:
    """Fit the outputs on held-out data, and fold the fit into the weights.

    Relevance is fitted on each question with its own passage and with one on another topic, and on
    the judged passages of messages; the sentences on the passages that answer.
    """
    model.eval()
    near = Neighbours(passages_of(asked), load_embedder())
    pairs = [*map(whole_passage_reading, asked), *readings(asked, near, seed=3)[1]]
    pairs += [
        Reading(item.message, each.pieces, float(each.grade > 1), each.answers)
        for item in judged
        for each in item.passages
    ]
    outputs, sentences = predict(model, tokenizer, pairs, window)
    relevant = torch.tensor([item.relevance or 0.0 for item in pairs])
    scale, shift = platt(outputs[:, 0], relevant)
    predicted, right = [], []
    for item, found in zip(pairs, sentences, strict=True):
        if item.answers:
            predicted += found
            right += [float(place in item.answers) for place in range(1, len(found) + 1)]
    of_sentence, moved = platt(torch.tensor(predicted), torch.tensor(right))
    answered = [place for place, item in enumerate(pairs) if item.polar]
    polar = torch.tensor([POLAR_OUTPUTS.index(pairs[place].polar or "") for place in answered])
    heat = temperature(outputs[answered, POLAR], polar)
    scales = {0: scale, -1: of_sentence}
    scales |= {1 + n: 1 / heat for n in range(len(POLAR_OUTPUTS))}
    fold(model, scales, {0: shift, -1: moved})
    fitted = {"scale": scale, "shift": shift, "of sentences": of_sentence, "moved": moved}
    log.info("%s", fitted)


def refit_levels(
    model: Reader, tokenizer: Any, messages: Sequence[Reading], calm: Sequence[str], window: int
) -> None:
    """Replace the outputs for urgency by a logistic regression on the features before them.

    It is fitted on the messages and on ``calm`` turns of a conversation, which have double weight:
    messages alone teach that short texts are alarming.
    """
    from sklearn.linear_model import LogisticRegression

    turns = [Reading(text, level="routine") for text in calm]
    vectors = pooled(model, tokenizer, [*messages, *turns], window)
    levels = [URGENCY_LEVELS.index(item.level or "") for item in [*messages, *turns]]
    weights = [1.0] * len(messages) + [2.0] * len(turns)
    fitted = LogisticRegression(C=3, max_iter=5000).fit(vectors, levels, sample_weight=weights)
    with torch.no_grad():
        model.outputs.weight[LEVEL] = torch.tensor(fitted.coef_, dtype=torch.float32)
        model.outputs.bias[LEVEL] = torch.tensor(fitted.intercept_, dtype=torch.float32)


def pooled(model: Reader, tokenizer: Any, readings: Sequence[Reading], window: int) -> Tensor:
    """The input (n, hidden) of the outputs over a whole text."""
    encoded = encode(tokenizer, readings, window)
    order = sorted(range(len(encoded)), key=lambda place: len(encoded[place].ids))
    found = torch.empty(len(encoded), model.outputs.in_features)
    with torch.inference_mode():
        for start in range(0, len(order), 32):
            places = order[start : start + 32]
            batch = batch_of([encoded[place] for place in places])
            found[places] = model.encoder(
                input_ids=batch.ids, attention_mask=batch.mask, token_type_ids=batch.types
            ).pooler_output
    return found


def kinds_of(messages: Sequence[Reading]) -> dict[str, Tensor]:
    """The linear layer that classifies kinds of emergencies by the embedder's vector.

    Logistic regression on the messages with a kind; the encoder itself represents urgency, but
    loses the kind.
    """
    from sklearn.linear_model import LogisticRegression

    with_kind = [each for each in messages if each.kind]
    vectors = load_embedder().embed_queries([each.question for each in with_kind])
    kinds = [URGENCY_KINDS.index(each.kind or "") for each in with_kind]
    model = LogisticRegression(C=10, max_iter=5000).fit(vectors, kinds)
    weights = torch.tensor(model.coef_, dtype=torch.float32).contiguous()
    return {
        f"{KINDS}weight": weights,
        f"{KINDS}bias": torch.tensor(model.intercept_, dtype=torch.float32),
    }


def published_kinds(folder: Path) -> dict[str, Tensor]:
    """The published layer of ``kinds_of``: it reads the embedder, whatever the reader learns."""
    whole = read_whole(folder / READER)
    return {name: torch.tensor(item) for name, item in whole.items() if name.startswith(KINDS)}


def load_shipped(folder: Path) -> tuple[Reader, Any]:
    """The published reader, as a model that can be trained further, and its tokenizer."""
    from transformers import AutoTokenizer

    layers = ("outputs.", "sentence.")
    state = {
        name if name.startswith(layers) else _ENCODER + name: torch.tensor(item)
        for name, item in read_whole(folder / READER).items()
        if not name.startswith(KINDS)
    }
    return reader_of(folder, state), AutoTokenizer.from_pretrained(str(folder))


def reader_of(folder: Path, state: Mapping[str, Tensor]) -> Reader:
    """A reader with these weights, as many blocks as they have, and a folder's configuration.

    The names are those of ``Reader``. Without word embeddings among them, it gets the published
    ones.
    """
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.from_pretrained(
        str(folder),
        num_hidden_layers=blocks(name.removeprefix(_ENCODER) for name in state),
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    auto: Any = AutoModel
    model = Reader(auto.from_config(config, dtype=torch.float32))
    words = {_ENCODER + WORD_EMBEDDINGS: torch.tensor(read_words())}
    missing = model.load_state_dict({**words, **state}, strict=False).missing_keys
    assert not [name for name in missing if "position_ids" not in name], missing
    return model


def ship(model: Reader, folder: Path, kinds: dict[str, Tensor]) -> Path:
    """Write the reader's weights and the kinds' layer as ``store`` does; return the file."""
    state = {name.removeprefix(_ENCODER): value for name, value in model.state_dict().items()}
    return store(state, folder / READER, kinds)
