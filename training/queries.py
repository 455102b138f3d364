"""The matrix that transforms query vectors: ``python -m training.queries --data FOLDER``.

The embedder's vectors do not change, so no index has to be rebuilt; the matrix moves a question's
vector towards the passages that answer it. Trained on the judged passages of real messages
(``training.judged``), listwise on their grades, and on questions with the passages that answer them
(``training.question_passages``), against the other passages of the batch and one that does not
answer. Prints the results on held-out messages and topics. With ``--curve`` it prints them for
shares of the data, and writes nothing.
"""

import argparse
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from anamnesis.errors import AnamnesisError
from anamnesis.models.embedding import Embedder, load_embedder
from anamnesis.models.folders import SHIPPED
from anamnesis.models.query_tuning import FINGERPRINT, MATRIX, WEIGHTS
from training.judged import WORTH, read_judged
from training.question_passages import read_question_passages

_SEED, _EPOCHS, _BATCH, _LISTS = 1, 10, 256, 128
_SHARES = (0.0625, 0.125, 0.25, 0.5, 1.0)
"""The shares of a learning curve."""
_RATE, _DECAY = 5e-4, 0.005
_SHARPNESS = 14.0
"""The factor of cosines before the softmax."""
_LISTWISE = 2.0
"""The weight of the judged lists; chosen with ``_DECAY`` on held-out messages, on which twice or
half of either is about as good."""
_STEEPNESS = 5.0
"""The factor of the grades' relevance before the softmax."""


class Listed(NamedTuple):
    """A question and passages, by their indices among the texts, with a grade for each."""

    question: int
    passages: tuple[int, ...]
    grades: tuple[int, ...]


class Data(NamedTuple):
    """Vectors (n, dimensions) of questions and passages, and which belong together.

    ``pairs`` are questions with a passage that answers; ``lists`` are the judged ones.
    """

    questions: np.ndarray
    passages: np.ndarray
    pairs: list[tuple[int, int]]
    lists: list[Listed]
    lists_aside: list[Listed]


def data_of(folder: Path, embedder: Embedder) -> Data:
    """The questions and passages of the data folder with their vectors."""
    questions: dict[str, int] = {}
    passages: dict[str, int] = {}
    pairs: list[tuple[int, int]] = []
    lists: list[Listed] = []
    aside: list[Listed] = []

    def place(known: dict[str, int], text: str) -> int:
        return known.setdefault(text, len(known))

    for judged in read_judged(folder):
        held = tuple(place(passages, _text(item.pieces)) for item in judged.passages)
        grades = tuple(item.grade for item in judged.passages)
        for text in filter(None, dict.fromkeys((judged.message, judged.summary))):
            listed = Listed(place(questions, text), held, grades)
            (aside if judged.held_out else lists).append(listed)
    for asked in read_question_passages(folder):
        if asked.answers and not asked.held_out:
            passage = _text((asked.heading, *asked.sentences))
            pairs.append((place(questions, asked.question), place(passages, passage)))
    pairs += [
        (item.question, passage)
        for item in lists
        for passage, grade in zip(item.passages, item.grades, strict=True)
        if WORTH[grade] > 0.5
    ]
    return Data(
        embedder.embed_queries(list(questions)),
        embedder.embed_documents(list(passages)),
        pairs,
        lists,
        aside,
    )


def _text(pieces: Sequence[str]) -> str:
    return f"{pieces[0]}\n{' '.join(pieces[1:])}".strip()


def fit(data: Data, steps: int = 0) -> np.ndarray:
    """The matrix (dimensions, dimensions) by which query vectors are multiplied.

    Without ``steps``, the number of steps follows from that of the pairs.
    """
    torch.manual_seed(_SEED)
    rng = random.Random(_SEED)
    questions, passages = torch.tensor(data.questions), torch.tensor(data.passages)
    one = torch.eye(questions.shape[1])
    change = torch.zeros_like(one, requires_grad=True)
    optimizer = torch.optim.Adam([change], lr=_RATE)
    lists = [item for item in data.lists if len(set(item.grades)) > 1]
    useless = {
        item.question: [
            at for at, grade in zip(item.passages, item.grades, strict=True) if not grade
        ]
        for item in lists
    }
    steps = steps or _EPOCHS * (len(data.pairs) // _BATCH)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (1 - step / steps)
        matrix = one + change
        pairs = rng.sample(data.pairs, min(_BATCH, len(data.pairs)))
        wrong = [rng.choice(useless.get(item) or [passage]) for item, passage in pairs]
        moved = functional.normalize(questions[[item for item, _ in pairs]] @ matrix, dim=1)
        loss = _contrast(moved, passages, [passage for _, passage in pairs], wrong)
        some = rng.sample(lists, min(_LISTS, len(lists)))
        moved = functional.normalize(questions[[item.question for item in some]] @ matrix, dim=1)
        loss = loss + _LISTWISE * _listwise(moved, passages, some)
        loss = loss + _DECAY * (change**2).sum()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    found: np.ndarray = (one + change).detach().numpy()
    return found


def _contrast(moved: Tensor, passages: Tensor, right: list[int], wrong: list[int]) -> Tensor:
    """Cross-entropy of each question's passage among those of the batch and the wrong ones."""
    held = torch.tensor(right + wrong)
    scores = _SHARPNESS * moved @ passages[held].T
    # The same passage at another index is not a different passage.
    same = held[None] == torch.tensor(right)[:, None]
    same.fill_diagonal_(fill_value=False)
    return functional.cross_entropy(scores.masked_fill(same, -1e4), torch.arange(len(right)))


def _listwise(moved: Tensor, passages: Tensor, lists: Sequence[Listed]) -> Tensor:
    """Cross-entropy between the order of judged passages and that of their grades."""
    longest = max(len(item.passages) for item in lists)
    places = torch.tensor([_padded(item.passages, longest, 0) for item in lists])
    worth = torch.tensor(
        [_padded([WORTH[g] for g in item.grades], longest, -1.0) for item in lists]
    )
    scores = _SHARPNESS * torch.einsum("qd,qkd->qk", moved, passages[places])
    wanted = (_STEEPNESS * worth).masked_fill(worth < 0, -1e4).softmax(1)
    order = scores.masked_fill(worth < 0, -1e4).log_softmax(1)
    return -(wanted * order.clamp(min=-50)).sum(1).mean()


def _padded(values: Iterable[float], length: int, by: float) -> list[float]:
    padded = list(values)
    return [*padded, *[by] * (length - len(padded))]


def share_of(data: Data, share: float) -> Data:
    """The data with a share of the questions, drawn at random."""
    rng = random.Random(_SEED)
    kept = {item for item in range(len(data.questions)) if rng.random() < share}
    return data._replace(
        pairs=[item for item in data.pairs if item[0] in kept],
        lists=[item for item in data.lists if item.question in kept],
    )


def figures(data: Data, matrix: np.ndarray) -> str:
    """How well cosines rank the judged passages of held-out messages."""
    from sklearn.metrics import roc_auc_score

    moved = data.questions @ matrix
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    cosines = [
        data.passages[list(item.passages)] @ moved[item.question] for item in data.lists_aside
    ]
    helps = [np.array(item.grades) >= 2 for item in data.lists_aside]
    first = [item[row.argmax()] for item, row in zip(helps, cosines, strict=True) if item.any()]
    auroc = roc_auc_score(np.concatenate(helps), np.concatenate(cosines))
    return f"AUROC {auroc:.3f}, the first one helps in {np.mean(first):.3f} of {len(first)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    from safetensors.numpy import save_file

    parser = argparse.ArgumentParser(prog="python -m training.queries", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder of the finished matrix")
    parser.add_argument("--curve", action="store_true", help="print a learning curve only")
    chosen = parser.parse_args(arguments)
    try:
        embedder = load_embedder()
        data = data_of(chosen.data, embedder)
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    if chosen.curve:
        # As many steps with little data as with all, so that only the data differ.
        steps = _EPOCHS * (len(data.pairs) // _BATCH)
        for share in _SHARES:
            part = share_of(data, share)
            found = figures(data, fit(part, steps))
            print(f"{len(part.lists)} lists, {len(part.pairs)} pairs: {found}")
        return 0
    matrix = fit(data)
    kept = "judged passages of messages kept aside"
    print(f"{kept}, as the embedder has it: {figures(data, np.eye(len(matrix)))}")
    print(f"{kept}, moved: {figures(data, matrix)}")
    file = chosen.out / WEIGHTS
    save_file({MATRIX: matrix.astype(np.float16)}, file, {FINGERPRINT: embedder.fingerprint})
    print(f"{file}: {file.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
