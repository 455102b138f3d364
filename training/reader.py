"""Trains the project's reader (``anamnesis.models.reader``).

As in Provence (Chirkova et al., ICLR 2025), there is a relevance output and an output for each
token; a sentence's log-odds are the mean over its tokens. Seeded and resumable.
"""

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from anamnesis.models.reading import OUTPUTS, POLAR_OUTPUTS, URGENCY_LEVELS
from training.learn import Stage, batches, note_figures, resume, save_checkpoint
from training.question_passages import Reading
from training.storing import load_classifier

log = logging.getLogger("training")

_SIDE = {name: place for place, name in enumerate(OUTPUTS)}
POLAR = slice(_SIDE[POLAR_OUTPUTS[0]], _SIDE[POLAR_OUTPUTS[-1]] + 1)
LEVEL = slice(_SIDE[URGENCY_LEVELS[0]], _SIDE[URGENCY_LEVELS[-1]] + 1)

QUESTION = 192
"""Maximum tokens of a question; of a longer one the beginning and the end are read."""

# The weight of the sentences of a passage without an answer, against one with an answer.
_SILENT = 0.3
_POLAR_WEIGHT = 0.3


class Encoded(NamedTuple):
    """A reading as model input. ``pieces`` has the index of each token's piece, -1 for those of the
    question; ``targets`` the sentences' labels (nan: unknown), from the heading on."""

    ids: list[int]
    types: list[int]
    pieces: list[int]
    relevance: float
    targets: list[float]
    polar: int
    level: int


class Reader(torch.nn.Module):
    """A BERT with ``OUTPUTS`` over the pooled first token and one output for every token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.outputs = torch.nn.Linear(encoder.config.hidden_size, len(OUTPUTS))
        self.sentence = torch.nn.Linear(encoder.config.hidden_size, 1)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs (n, ``OUTPUTS``) and log-odds of tokens (n, length)."""
        found = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=types)
        return self.outputs(found.pooler_output), self.sentence(found.last_hidden_state)[..., 0]


def start_from(folder: Path) -> tuple[Reader, Any]:
    """A reader made from the encoder and the relevance output of the cross-encoder in a folder."""
    from transformers import AutoTokenizer

    tuned = load_classifier(folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = Reader(tuned.bert)
    with torch.no_grad():
        model.outputs.weight.normal_(std=0.02)
        model.outputs.bias.zero_()
        model.outputs.weight[0] = tuned.classifier.weight[0]
        model.outputs.bias[0] = tuned.classifier.bias[0]
    return model, AutoTokenizer.from_pretrained(str(folder))


def encode(tokenizer: Any, readings: Sequence[Reading], window: int) -> list[Encoded]:
    """The readings in tokens; sentences that do not fit the window are left out."""
    texts = [text for item in readings for text in (item.question, *item.pieces)]
    tokens = iter(tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"])
    start, end = tokenizer.cls_token_id, tokenizer.sep_token_id
    found = []
    for item in readings:
        question, pieces = next(tokens), [next(tokens) for _ in item.pieces]
        if len(question) > QUESTION:
            question = question[: QUESTION // 2] + question[-QUESTION // 2 :]
        ids = [start, *question, end]
        types, places = [0] * len(ids), [-1] * len(ids)
        targets = [float("nan")]
        for place, piece in enumerate(pieces):
            room = window - len(ids) - 1
            if place > 1 and len(piece) > room:
                break
            ids += piece[:room]
            types += [1] * len(piece[:room])
            places += [place] * len(piece[:room])
            if place:
                known = item.answers is not None
                targets.append(float(place in item.answers) if known else float("nan"))  # type: ignore[operator]
        if pieces:
            ids, types, places = [*ids, end], [*types, 1], [*places, -1]
        found.append(
            Encoded(
                ids, types, places,
                -1.0 if item.relevance is None else item.relevance,
                targets,
                -100 if item.polar is None else POLAR_OUTPUTS.index(item.polar),
                -100 if item.level is None else URGENCY_LEVELS.index(item.level),
            )
        )  # fmt: skip
    return found


class Batch(NamedTuple):
    """Encoded readings of similar length, padded."""

    ids: Tensor
    mask: Tensor
    types: Tensor
    owner: Tensor
    """For each token the index of its sentence in ``targets``, or the last index for none."""
    relevance: Tensor
    targets: Tensor
    weights: Tensor
    polar: Tensor
    level: Tensor


def batch_of(batch: Sequence[Encoded]) -> Batch:
    """The tensors of some readings."""
    longest = max(len(each.ids) for each in batch)

    def padded(rows: Sequence[list[int]], filler: int = 0) -> Tensor:
        return torch.tensor([row + [filler] * (longest - len(row)) for row in rows])

    starts, total = [], 0
    for each in batch:
        starts.append(total)
        total += len(each.targets)
    owner = [
        [start + place if place > 0 else total for place in each.pieces]
        for each, start in zip(batch, starts, strict=True)
    ]
    weights = [
        (_SILENT if each.relevance < 0.5 else 1.0) / max(1, len(each.targets) - 1)
        for each in batch
        for _ in each.targets
    ]
    return Batch(
        padded([each.ids for each in batch]),
        padded([[1] * len(each.ids) for each in batch]),
        padded([each.types for each in batch]),
        padded(owner, total),
        torch.tensor([each.relevance for each in batch]),
        torch.tensor([target for each in batch for target in each.targets]),
        torch.tensor(weights),
        torch.tensor([each.polar for each in batch]),
        torch.tensor([each.level for each in batch]),
    )


def sentence_logits(tokens: Tensor, batch: Batch) -> Tensor:
    """The mean log-odds of each sentence's tokens, in the order of ``targets``."""
    number = len(batch.targets) + 1
    owner = batch.owner.flatten()
    sums = torch.zeros(number).index_add(0, owner, tokens.flatten())
    counts = torch.zeros(number).index_add(0, owner, torch.ones(len(owner)))
    return (sums / counts.clamp(min=1))[:-1]


def loss_of(outputs: Tensor, tokens: Tensor, batch: Batch) -> Tensor:
    """The sum of a reading's losses, averaged over the readings."""
    asked, known = batch.relevance >= 0, ~batch.targets.isnan()
    found = functional.binary_cross_entropy_with_logits(
        outputs[asked, 0], batch.relevance[asked], reduction="sum"
    )
    if known.any():
        found = found + functional.binary_cross_entropy_with_logits(
            sentence_logits(tokens, batch)[known],
            batch.targets[known],
            weight=batch.weights[known],
            reduction="sum",
        )
    for part, target, weight in ((POLAR, batch.polar, _POLAR_WEIGHT), (LEVEL, batch.level, 1.0)):
        if (target >= 0).any():
            found = found + weight * functional.cross_entropy(
                outputs[:, part], target, ignore_index=-100, reduction="sum"
            )
    return found / len(batch.relevance)


def learn(
    model: Reader,
    tokenizer: Any,
    readings: Sequence[Reading],
    stage: Stage,
    folder: Path,
    probe: Callable[[Reader, Any], dict[str, float]] | None = None,
    falls: bool = True,
    frozen: int = 0,
    adjust: Callable[[list[Encoded]], list[Encoded]] | None = None,
) -> Reader:
    """Train once on all readings, and store the state in ``folder``.

    The learning rate falls to zero, or is constant (``falls`` off) if another stage follows. The
    embeddings and the first ``frozen`` blocks are not trained. ``adjust`` may change the targets. A
    finished stage is loaded; an interrupted one is continued.
    """
    done, saved = folder / f"{stage.name}.pt", folder / f"{stage.name}.checkpoint"
    if done.is_file():
        model.load_state_dict(torch.load(done, weights_only=True))
        return model
    folder.mkdir(parents=True, exist_ok=True)
    still = model.encoder.embeddings if frozen else model.encoder.get_input_embeddings()
    for part in (still, *model.encoder.encoder.layer[:frozen]):
        part.requires_grad_(False)
    trained = [weights for weights in model.parameters() if weights.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=stage.rate, weight_decay=0.01, fused=True)
    encoded = encode(tokenizer, readings, stage.window)
    if adjust:
        encoded = adjust(encoded)
    plan = batches([len(item.ids) for item in encoded], stage.tokens, stage.seed)
    first = resume(saved, model, optimizer, len(plan))
    log.info("stage %s: %d readings, step %d of %d", stage.name, len(encoded), first, len(plan))
    warm = max(1, int(stage.warmup * len(plan)))
    began, seen, total = time.monotonic(), 0, 0.0
    model.train()
    for step in range(first, len(plan)):
        fall = (len(plan) - step) / max(1, len(plan) - warm) if falls else 1.0
        for group in optimizer.param_groups:
            group["lr"] = stage.rate * min((step + 1) / warm, fall)
        batch = batch_of([encoded[place] for place in plan[step]])
        with torch.autocast("cpu", torch.bfloat16, enabled=stage.bfloat16):
            outputs, tokens = model(batch.ids, batch.mask, batch.types)
        loss = loss_of(outputs.float(), tokens.float(), batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen += int(batch.mask.sum())
        total += float(loss.detach())
        after = step + 1
        if after % stage.save_every == 0 or after == len(plan):
            speed = seen / (time.monotonic() - began)
            mean = total / (after - first)
            log.info("%s %d/%d loss %.3f %.0f tokens/s", stage.name, after, len(plan), mean, speed)
            save_checkpoint(saved, model, optimizer, after, len(plan))
            if probe and (after // stage.save_every % 2 == 0 or after == len(plan)):
                model.eval()
                note_figures(folder, stage, after, probe(model, tokenizer))
                model.train()
    torch.save(model.state_dict(), done)
    saved.unlink(missing_ok=True)
    return model


def predict(
    model: Reader, tokenizer: Any, readings: Sequence[Reading], window: int
) -> tuple[Tensor, list[list[float]]]:
    """Outputs (n, ``OUTPUTS``) and, for each reading, the log-odds of its sentences."""
    encoded = encode(tokenizer, readings, window)
    order = sorted(range(len(encoded)), key=lambda place: len(encoded[place].ids))
    outputs = torch.empty(len(encoded), len(OUTPUTS))
    sentences: list[list[float]] = [[] for _ in encoded]
    with torch.inference_mode():
        for start in range(0, len(order), 16):
            places = order[start : start + 16]
            batch = batch_of([encoded[place] for place in places])
            outputs[places], tokens = model(batch.ids, batch.mask, batch.types)
            logits = iter(sentence_logits(tokens, batch).tolist())
            for place in places:
                sentences[place] = [next(logits) for _ in encoded[place].targets][1:]
    return outputs, sentences
