"""The last step: calibrated probabilities, folded into the weights, and the published folder.

A temperature for the NLI outputs, and a scale and a shift for the relevance output, are fitted on
one half of the dev parts; the other half is for measuring. They are linear in the outputs, so they
are multiplied into the last layer, and the loaded model gives calibrated probabilities.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from anamnesis.corpus.topics import is_held_out
from anamnesis.models.own_weights import CRITIC
from training import claims, entailment, medquad, relevance, replies
from training.examples import LABELS, NLI, Example, records
from training.learn import logits_of
from training.storing import load_classifier, store

log = logging.getLogger("training")

WINDOW = 256
"""Maximum tokens of a pair for the published model; longer texts are read window by window."""

_SEED = 11


def is_for_calibration(example: Example) -> bool:
    """Whether a dev example belongs to the half used for calibration."""
    text = f"{example.first}\n{example.second}"
    return blake2b(text.encode("utf-8", "replace"), digest_size=1).digest()[0] % 2 == 0


def nli_sets(data: Path) -> dict[str, list[Example]]:
    """The dev parts of inference by name, with planted errors on topics not trained on."""
    held_out = [item for item in medquad.medquad(data) if is_held_out(item)]
    planted = medquad.claims(held_out, 1_000, _SEED, reworded=False)
    return {
        "general": entailment.dev(data, "nli_general_dev_sample"),
        "healthver": entailment.dev(data, "nli_healthver"),
        "scifact": entailment.dev(data, "nli_scifact"),
        "nli4ct": entailment.dev(data, "nli_nli4ct"),
        "covidfact": entailment.covidfact_dev(data),
        "planted": [Example(item.premise, item.sentence, label=item.label) for item in planted],
        "claims": claims.dev(data),
        "replies": replies.replies(data, held_out=True),
    }


def relevance_sets(data: Path) -> dict[str, list[Example]]:
    """Question pairs (RQE validation) and passages of MedQuAD topics not trained on."""
    held_out = [item for item in medquad.medquad(data) if is_held_out(item)]
    return {
        "rqe": [
            Example(item["question"], item["faq"], relevance=float(item["entails"]))
            for item in records(data, "rqe")
            if item["split"] == "validation"
        ],
        "mediqa": relevance.graded_answers(data, "validation"),
        "medquad": medquad.passages(held_out, 250, _SEED),
    }


def fit_temperature(sets: Sequence[tuple[Tensor, Tensor]]) -> float:
    """The T for which softmax(logits / T) has the lowest mean negative log-likelihood.

    ``sets`` are logits (n, 3) and labels (n,); all sets have the same weight.
    """
    raised = torch.zeros((), requires_grad=True)

    def loss() -> Tensor:
        parts = [functional.cross_entropy(item / raised.exp(), label) for item, label in sets]
        return torch.stack(parts).mean()

    minimise(loss, [raised])
    return float(raised.detach().exp())


def fit_scale(sets: Sequence[tuple[Tensor, Tensor]]) -> tuple[float, float]:
    """Scale and shift of logits (n,) for relevance (n,) in 0..1 (Platt scaling)."""
    scale, shift = torch.ones((), requires_grad=True), torch.zeros((), requires_grad=True)

    def loss() -> Tensor:
        parts = [
            functional.binary_cross_entropy_with_logits(scale * item + shift, target)
            for item, target in sets
        ]
        return torch.stack(parts).mean()

    minimise(loss, [scale, shift])
    return float(scale.detach()), float(shift.detach())


def minimise(loss: Callable[[], Tensor], parameters: list[Tensor], steps: int = 200) -> None:
    """Change the parameters to those with the least loss (L-BFGS)."""
    optimizer = torch.optim.LBFGS(parameters, max_iter=steps, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        value = loss()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(closure)  # type: ignore[no-untyped-call]


def finish(trained: Path, data: Path, out: Path) -> dict[str, float]:
    """Calibrate the model in ``trained``, write the published folder, return the fitted numbers.

    Weights are stored as ``store`` does. Raises ModelError if word embeddings were changed.
    """
    from transformers import AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(str(trained))
    model = load_classifier(trained).eval()
    nli, found = [], []
    for item in _halves(nli_sets(data)).values():
        label = torch.tensor([NLI.index(str(each.label)) for each in item])
        nli.append((logits_of(model, tokenizer, item, WINDOW)[:, 1:], label))
    for item in _halves(relevance_sets(data)).values():
        target = torch.tensor([each.relevance or 0.0 for each in item])
        found.append((logits_of(model, tokenizer, item, WINDOW)[:, 0], target))
    temperature = fit_temperature(nli)
    scale, shift = fit_scale(found)
    fold(model, temperature, scale, shift)
    out.mkdir(parents=True, exist_ok=True)
    store(model.state_dict(), out / CRITIC)
    model.config.architectures = [type(model).__name__]
    model.config.save_pretrained(str(out))
    tokenizer.model_max_length = WINDOW
    tokenizer.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    tokenizer.save_pretrained(str(out))
    file = out / "tokenizer.json"
    read = json.loads(file.read_text("utf-8"))
    tidy = json.dumps(read, ensure_ascii=False, separators=(",", ":"))
    file.write_text(tidy, "utf-8")  # without indentation it is a third smaller
    fitted = {"temperature": temperature, "scale": scale, "shift": shift}
    log.info("%s", fitted)
    return fitted


def fold(model: Any, temperature: float, scale: float, shift: float) -> None:
    """Multiply temperature, scale and shift into the classifier's weights."""
    assert tuple(model.config.id2label[place] for place in range(4)) == LABELS
    layer = model.classifier
    with torch.no_grad():
        layer.weight[1:] /= temperature
        layer.bias[1:] /= temperature
        layer.weight[0] *= scale
        layer.bias[0] = layer.bias[0] * scale + shift


def _halves(sets: Mapping[str, list[Example]]) -> dict[str, list[Example]]:
    return {
        name: [each for each in item if is_for_calibration(each)] for name, item in sets.items()
    }
