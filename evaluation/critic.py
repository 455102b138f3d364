"""The protocol for critics: pairs of premise and hypothesis with their labels [S4, S8]."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from anamnesis.entailment import LABELS, Label
from anamnesis.errors import SettingError
from anamnesis.models.cascade import Cascade
from anamnesis.models.critic import Critic, Support
from evaluation import classification
from evaluation.classification import Floats, Labels
from evaluation.reading import Pair
from evaluation.results import ONCE, Execution
from evaluation.shown import would_be_shown
from evaluation.significance import Estimate, intervals

THRESHOLDS = tuple(round(0.1 * step, 1) for step in range(1, 10))

_AT_ONCE = 256  # pairs judged together
_ENTAILMENT = LABELS.index("entailment")


@dataclass(frozen=True, slots=True)
class CriticResult:
    """The measures.

    Attributes:
        metrics: See ``measures``; undefined ones are left out.
        labels: The number of pairs with each label that occurs.
        three_way: Whether the critic reports contradiction, so that there are three-way metrics.
        threshold: The τ of ``binary_…``.
        rows: For each pair its ``label``, ``support`` and ``contradiction``; with checks also
            whether it is ``shown``.
    """

    metrics: Mapping[str, Estimate]
    labels: Mapping[Label, int]
    three_way: bool
    threshold: float
    rows: Sequence[Mapping[str, Any]]

    @property
    def notes(self) -> list[str]:
        """Notes that are needed to interpret the metrics."""
        counts = ", ".join(f"{label} {count}" for label, count in self.labels.items())
        found = [f"labels that occur: {counts}"]
        absent = [label for label in LABELS if label not in self.labels]
        if absent and self.three_way:
            found.append(f"not in the data, so wrong where predicted: {', '.join(absent)}")
        if not self.three_way:
            found.append(
                "the critic does not separate contradiction from neutral, so there are no "
                "three-way metrics: binary metrics compare entailment with everything else"
            )
        return found

    def to_json(self) -> dict[str, Any]:
        """``metrics`` and ``notes``, as plain dicts and lists."""
        return {
            "metrics": {name: item._asdict() for name, item in self.metrics.items()},
            "notes": self.notes,
        }


def evaluate_critic(
    critic: Critic,
    pairs: Sequence[Pair],
    threshold: float,
    execution: Execution = ONCE,
    *,
    checks: bool = False,
) -> CriticResult:
    """Measure a critic on labelled pairs.

    Args:
        critic: Judges every hypothesis against each of its premises; the highest support and the
            highest contradiction count.
        pairs: The pairs and their right labels.
        threshold: Minimum probability of a supported statement (τ), in 0..1.
        execution: See ``results.Execution``.
        checks: Also decide as the graph does (see ``shown``), for ``kept`` and ``passed``.

        With two critics, ``asked_second`` is the share of pairs that the second one judged.

        Raises:
            SettingError: If there are no pairs, or the threshold is invalid.
    """
    if not pairs or not 0 <= threshold <= 1:
        raise SettingError(
            f"{len(pairs)} pairs, threshold {threshold}: give at least one pair and a threshold "
            "in 0..1"
        )
    found = _judged(critic, pairs, threshold, execution, checks)
    labels = np.array([LABELS.index(pair.label) for pair in pairs])
    support = np.array([row[0] for row in found], np.float64)
    contradictions = [row[1] for row in found if row[1] is not None]
    against = np.array(contradictions, np.float64) if len(contradictions) == len(found) else None
    visible = np.array([row[2] for row in found], np.bool_) if checks else None
    two = isinstance(critic, Cascade)
    second = np.array([row[3] for row in found], np.bool_) if two else None

    def statistic(rows: Labels) -> dict[str, float]:
        against_rows = None if against is None else against[rows]
        result = measures(labels[rows], support[rows], against_rows, threshold)
        if visible is not None:
            result |= shares_shown(labels[rows], visible[rows])
        if second is not None:
            result["asked_second"] = float(second[rows].mean())
        return result

    counts = Counter(pair.label for pair in pairs)
    return CriticResult(
        metrics=intervals(statistic, len(pairs), execution.seed, execution.few_resamples),
        labels={label: counts[label] for label in LABELS if counts[label]},
        three_way=against is not None,
        threshold=threshold,
        rows=[
            {"label": pair.label, "support": row[0], "contradiction": row[1]}
            | ({"shown": row[2]} if checks else {})
            for pair, row in zip(pairs, found, strict=True)
        ],
    )


def _judged(
    critic: Critic, pairs: Sequence[Pair], threshold: float, execution: Execution, checks: bool
) -> list[list[Any]]:
    """The judgements of the pairs; those that are not kept are made in batches."""
    kept = {} if execution.kept is None else execution.kept
    missing = [number for number in range(len(pairs)) if str(number) not in kept]
    for start in range(0, len(missing), _AT_ONCE):
        numbers = missing[start : start + _AT_ONCE]
        judged = critic.judge(
            [pairs[item].hypothesis for item in numbers], [pairs[item].premises for item in numbers]
        )
        for number, supports in zip(numbers, judged, strict=True):
            shown = would_be_shown(pairs[number], supports, critic, threshold) if checks else None
            row: list[Any] = [*_best(supports), shown]
            if isinstance(critic, Cascade):
                row.append(critic.needs_second(supports))
            kept[str(number)] = row
        if execution.progress is not None:
            execution.progress(len(pairs) - len(missing) + start + len(numbers), len(pairs))
    return [kept[str(number)] for number in range(len(pairs))]


def _best(supports: Sequence[Support]) -> tuple[float, float | None]:
    """The highest support by any premise, and the highest contradiction (None if not reported)."""
    against = [float(item.contradiction) for item in supports if item.contradiction is not None]
    return max(float(item.probability) for item in supports), max(against, default=None)


def shares_shown(labels: Labels, visible: npt.NDArray[np.bool_]) -> dict[str, float]:
    """``kept``, the share of the entailed pairs that are shown; ``passed``, the same of the others.

    Both arrays have shape (n,). NaN if there is no such pair.
    """
    entailed = labels == _ENTAILMENT
    return {
        name: float(visible[item].mean()) if item.any() else float("nan")
        for name, item in (("kept", entailed), ("passed", ~entailed))
    }


def measures(
    labels: Labels, support: Floats, contradiction: Floats | None, threshold: float
) -> dict[str, float]:
    """All metrics of judgements; arrays of shape (n,), NaN for undefined values.

    With ``contradiction``: ``accuracy``, ``macro_f1`` and each label's ``precision_…``,
    ``recall_…`` and ``f1_…`` of the most probable of three labels, and the ``ece`` of its
    probability. Always, for entailment against the rest: ``auroc`` and ``brier`` of the support;
    ``binary_…`` of accepting a statement at ``threshold``; ``coverage@τ`` and ``risk@τ``, and
    ``aurc``, the area under the curve of both. A statement is accepted as in the graph: if its
    support is at least τ and at least the contradiction.
    """
    entailed = labels == _ENTAILMENT
    found: dict[str, float] = {}
    accepted = support
    if contradiction is not None:
        found |= _three_way(labels, classification.three_way(support, contradiction))
        accepted = np.where(contradiction > support, -1.0, support)  # below every threshold
    found |= {
        "auroc": classification.auroc(entailed, support),
        "brier": classification.brier(entailed, support),
    }
    found |= _binary(entailed, accepted >= threshold)
    for tau in sorted({*THRESHOLDS, threshold}):
        coverage, risk = classification.coverage_and_risk(entailed, accepted, tau)
        found |= {f"coverage@{tau:g}": coverage, f"risk@{tau:g}": risk}
    return found | {"aurc": classification.risk_coverage_area(entailed, accepted)}


def _three_way(labels: Labels, probabilities: Floats) -> dict[str, float]:
    predicted = probabilities.argmax(axis=1)
    found = {
        "accuracy": classification.accuracy(labels, predicted),
        "macro_f1": classification.macro_f1(labels, predicted),
        "ece": classification.calibration_error(probabilities.max(axis=1), labels == predicted),
    }
    for place in np.unique(labels):
        scores = classification.precision_recall_f1(labels, predicted, int(place))
        for name, score in zip(("precision", "recall", "f1"), scores, strict=True):
            found[f"{name}_{LABELS[place]}"] = score
    return found


def _binary(entailed: npt.NDArray[np.bool_], accepted: npt.NDArray[np.bool_]) -> dict[str, float]:
    labels, predicted = entailed.astype(np.int64), accepted.astype(np.int64)
    precision, recall, f1 = classification.precision_recall_f1(labels, predicted, 1)
    return {
        "binary_accuracy": classification.accuracy(labels, predicted),
        "binary_precision": precision,
        "binary_recall": recall,
        "binary_f1": f1,
    }
