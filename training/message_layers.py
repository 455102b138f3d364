"""The network on the reader's middle block: ``python -m training.message_layers --data FOLDER``.

It learns the urgency of messages (the texts of ``training.wording``) and, with a further output,
whether they mention self-harm. Sentences of messages without self-harm are further negatives for
that output, because the sentences of a long message are read as well. Fitted before
``training.wording``, which weighs it. Prints the figures on held-out messages.
"""

import random
from collections.abc import Collection
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import Dropout, Linear, ReLU, Sequential, functional

from anamnesis.language.text import sentence_texts
from anamnesis.models.message_layers import WEIGHTS
from anamnesis.models.reader import OwnReader
from anamnesis.models.reading import URGENCY_LEVELS
from anamnesis.models.reference import parse
from training import urgent
from training.linear_layer import store_layers
from training.question_passages import Reading
from training.wording import examples

_SEED = 79
_SENTENCES, _REAL = 12000, 4000
"""Sentences of the messages without self-harm, and of real messages."""
_HIDDEN, _PASSES, _BATCH = 128, 20, 256
_RATE, _DECAY = 1e-3, 3e-2
_FEW = 3.0
"""The weight of a message about self-harm, because they are few."""
_NONE = -100
"""The level of a sentence: not known."""


def states(texts: Collection[str]) -> np.ndarray:
    """The mean states of the reader's middle block (n, hidden)."""
    reader = OwnReader(parse("own"))
    return np.stack([reader.message(text)[1] for text in texts])


def fit(folder: Path) -> dict[str, np.ndarray]:
    """The layers as ``anamnesis.models.message_layers`` stores them."""
    found = examples(folder)
    rng = random.Random(_SEED)
    calm = (item for item in found if item.kind != "self-harm")
    sentences = sorted({part for item in calm for part in sentence_texts(item.question)})
    parts = [
        *rng.sample(sentences, min(_SENTENCES, len(sentences))),
        *urgent.real_sentences(folder, _REAL),
    ]
    read = states([*(item.question for item in found), *parts])
    mean, deviation = read.mean(0), read.std(0) + 1e-6
    levels = [URGENCY_LEVELS.index(item.level or "") for item in found]
    first, last, network = _trained(
        torch.tensor((read - mean) / deviation),
        torch.tensor(levels + [_NONE] * len(parts)),
        torch.tensor([float(item.kind == "self-harm") for item in found] + [0.0] * len(parts)),
    )
    weight = first.weight.detach().numpy() / deviation
    factor = np.ones((len(URGENCY_LEVELS) + 1, 1), np.float32)
    factor[-1] = 0.5  # the other half of the log-odds is that of the words
    layers = {
        "hidden.weight": weight.astype(np.float16),
        "hidden.bias": first.bias.detach().numpy() - weight @ mean,
        "outputs.weight": (last.weight.detach().numpy() * factor).astype(np.float16),
        "outputs.bias": last.bias.detach().numpy() * factor[:, 0],
    }
    _report(urgent.messages(folder), network, mean, deviation)
    return layers


def _trained(x: Tensor, levels: Tensor, harm: Tensor) -> tuple[Linear, Linear, Sequential]:
    """Both layers, and the network of them."""
    torch.manual_seed(_SEED)
    first, last = Linear(x.shape[1], _HIDDEN), Linear(_HIDDEN, len(URGENCY_LEVELS) + 1)
    network = Sequential(Dropout(0.2), first, ReLU(), Dropout(0.5), last)
    optimizer = torch.optim.AdamW(network.parameters(), _RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, _PASSES)
    few = torch.tensor(_FEW)
    for _ in range(_PASSES):
        for batch in torch.randperm(len(x)).split(_BATCH):  # type: ignore[no-untyped-call]
            outputs = network(x[batch])
            loss = functional.cross_entropy(outputs[:, :-1], levels[batch], ignore_index=_NONE)
            loss = loss + functional.binary_cross_entropy_with_logits(
                outputs[:, -1], harm[batch], pos_weight=few
            )
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        schedule.step()
    return first, last, network.eval()


def _report(
    messages: Collection[Reading], network: Sequential, mean: np.ndarray, deviation: np.ndarray
) -> None:
    from sklearn.metrics import roc_auc_score

    aside = [item for item in messages if urgent.is_dev(item.question)]
    read = (states([item.question for item in aside]) - mean) / deviation
    with torch.no_grad():
        outputs = network(torch.tensor(read)).numpy()
    emergency = outputs[:, 0] - np.logaddexp(outputs[:, 1], outputs[:, 2])
    for name, wanted, scores in (
        ("emergencies", [item.level == "emergency" for item in aside], emergency),
        ("self-harm", [item.kind == "self-harm" for item in aside], outputs[:, -1]),
    ):
        print(f"{name}: {sum(wanted)} of {len(aside)}, AUROC {roc_auc_score(wanted, scores):.3f}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    return store_layers("training.message_layers", __doc__, WEIGHTS, fit, arguments, "layers")


if __name__ == "__main__":
    raise SystemExit(main())
