"""The meaning of a classifier's outputs, from their names and never from their positions."""

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from anamnesis.errors import ModelError
from anamnesis.models.classifier import Scores

_ENTAILMENT = frozenset(
    "entailment entail entails entailed support supports supported consistent".split()
)
_CONTRADICTION = frozenset(
    {"contradiction", "contradict", "contradicts", "contradictory", "refutes", "refuted"}
)
_NEUTRAL = frozenset(
    "neutral notenoughinfo nei unknown notentailment unsupported notsupported inconsistent".split()
)
_RELEVANT = frozenset({"relevant", "relevance", "positive", "yes", "true"})


class Labels(NamedTuple):
    """Positions of an entailment model's outputs.

    ``contradiction`` is None if it has no such label. ``alternatives`` are the mutually exclusive
    outputs, whose probabilities add up to 1; a model may have other outputs in addition.
    """

    entailment: int
    contradiction: int | None
    alternatives: list[int]


def read_labels(names: Sequence[str], reference: str, supported: str | None = None) -> Labels:
    """Find entailment and contradiction by name.

    ``supported`` is the label that means entailment if the names do not show it, such as '0' and
    '1': a name, or the number of ``LABEL_1``. A fact-checker with two labels has no contradiction:
    an unsupported statement may be contradicted or not mentioned.

    Raises ModelError if no name means entailment, or if ``supported`` names no label.
    """
    plain = _normalised_names(names)
    entailing = [place for place, name in enumerate(plain) if name in _ENTAILMENT]
    against = [place for place, name in enumerate(plain) if name in _CONTRADICTION]
    alternatives = [place for place, name in enumerate(plain) if name not in _RELEVANT]
    if supported is not None:
        wanted = supported.strip().casefold()
        entailing = [
            place
            for place, name in enumerate(item.strip().casefold() for item in names)
            if name in (wanted, f"label_{wanted}")
        ]
        alternatives = list(range(len(names)))
    if len(entailing) != 1 or len(against) > 1 or len(names) < 2 or entailing == against:
        raise ModelError(
            f"model {reference!r} has the labels {', '.join(names)}, which do not say which one is "
            "entailment; name an NLI model or a fact-checker, add ?supported=LABEL to the "
            "reference for the label that means 'supported', or write entailment, neutral and "
            "contradiction in their order into id2label of its config.json"
        )
    return Labels(entailing[0], against[0] if against else None, alternatives)


class Relevance(NamedTuple):
    """Position of the relevance output, and whether the other outputs are alternatives to it.

    If not, the sigmoid is applied to it separately.
    """

    place: int
    alternatives: bool


def read_relevance(names: Sequence[str], reference: str) -> Relevance:
    """Find relevance by name; a single output needs none.

    An output called entailment is used if none is called relevant. Raises ModelError if no label
    fits, or more than one.
    """
    plain = _normalised_names(names)
    if len(names) == 1:
        return Relevance(0, False)
    found = [place for place, name in enumerate(plain) if name in _RELEVANT]
    found = found or [place for place, name in enumerate(plain) if name in _ENTAILMENT]
    if len(found) != 1:
        raise ModelError(
            f"model {reference!r} has the labels {', '.join(names)}, of which none (or "
            "more than one) says relevance; name a reranker with one output, or call one "
            "label 'relevant' in id2label of its config.json"
        )
    others = {name for place, name in enumerate(plain) if place != found[0]}
    classes = _ENTAILMENT | _NEUTRAL | _CONTRADICTION  # of an output of its own
    separate = plain[found[0]] in _RELEVANT and others <= classes
    return Relevance(found[0], not separate)


def _normalised_names(names: Sequence[str]) -> list[str]:
    return [re.sub(r"[^a-z]+", "", name.casefold()) for name in names]


def softmax(logits: Scores) -> Scores:
    """Probabilities (n, labels) of raw outputs (n, labels)."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return cast(Scores, raised / raised.sum(axis=1, keepdims=True))


def sigmoid(logits: Scores) -> Scores:
    """Probabilities of independent raw outputs."""
    return cast(Scores, 1 / (1 + np.exp(-logits.clip(-60, 60))))
