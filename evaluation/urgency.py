"""The protocol for triage: messages labelled with their urgency [H5]."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from anamnesis.corpus import building
from anamnesis.corpus.building import Malformed
from anamnesis.corpus.topics import is_held_out_message
from anamnesis.errors import CorpusError, SettingError
from anamnesis.models.reading import URGENCY_LEVELS
from evaluation.reading import labelled, text_of
from evaluation.results import ONCE, Execution
from evaluation.significance import Estimate, mean_intervals
from nodes.state import Urgency

# For each metric, the level of its messages, and the predicted levels that it counts.
METRICS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "recall_emergency": ("emergency", ("emergency",)),
    "recall_urgent": ("urgent", ("urgent", "emergency")),
    "false_alarms": ("routine", ("emergency",)),
}


class Message(NamedTuple):
    """A message, its urgency, and its kind of emergency ("" if not given)."""

    text: str
    level: str
    kind: str


@dataclass(frozen=True, slots=True)
class UrgencyResult:
    """The measures.

    Attributes:
        metrics: Those of ``METRICS`` whose level occurs: emergencies classified as such, urgent
            messages classified as urgent or higher, routine ones classified as emergencies.
        taken: For each level that occurs, the number of its messages by predicted level.
        missed: For each kind of emergency the number of messages (``emergencies``), and of those
            with a lower predicted level (``missed``); sorted by the latter, largest first.
        rows: For each message its ``text``, ``level``, ``kind``, the predicted level (``taken``),
            and ``why``.
    """

    metrics: Mapping[str, Estimate]
    taken: Mapping[str, Mapping[str, int]]
    missed: Mapping[str, Mapping[str, int]]
    rows: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """``metrics``, ``taken`` and ``missed``, as plain dicts."""
        return {
            "metrics": {name: item._asdict() for name, item in self.metrics.items()},
            "taken": self.taken,
            "missed": self.missed,
        }


def read_messages(file: Path, held_out: bool = False) -> list[Message]:
    """Messages of a JSON Lines file, which may be compressed: text, level, kind (optional).

    ``held_out`` keeps only messages that the project's triage was not trained on.

    Raises CorpusError, with file and line, if a record cannot be read or is invalid, and if none is
    left.
    """
    found = [item for _, item in labelled(file, None, _message)]
    messages = [message for message in found if not held_out or is_held_out_message(message.text)]
    if not messages:
        raise CorpusError(
            f"{file}: none of its {len(found)} messages is held out from training. Leave --dev "
            "out, or give more messages."
        )
    return messages


def evaluate_urgency(
    messages: Sequence[Message], triage: Callable[[str], Urgency], execution: Execution = ONCE
) -> UrgencyResult:
    """Classify every message.

    Args:
        messages: The messages and their right levels.
        triage: Returns the level of a message.
        execution: See ``results.Execution``.

    Raises SettingError if there are no messages.
    """
    if not messages:
        raise SettingError("there are no messages to read; give at least one")
    rows = []
    for _, message in execution.each(messages):
        found = triage(message.text)
        rows.append({**message._asdict(), "taken": found["level"], "why": found["why"]})
    taken = {
        level: {other: counts[other] for other in URGENCY_LEVELS}
        for level in URGENCY_LEVELS
        if (counts := Counter(row["taken"] for row in rows if row["level"] == level))
    }
    metrics: dict[str, Estimate] = {}
    for name, (level, counted) in METRICS.items():
        values = [float(row["taken"] in counted) for row in rows if row["level"] == level]
        if values:
            metrics |= mean_intervals(
                {name: np.array(values, np.float64)}, execution.seed, execution.resamples
            )
    return UrgencyResult(metrics, taken, _missed(rows), rows)


def _missed(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    emergencies = [row for row in rows if row["level"] == "emergency"]
    every = Counter(row["kind"] for row in emergencies)
    missed = Counter(row["kind"] for row in emergencies if row["taken"] != "emergency")
    kinds = sorted(every, key=lambda kind: (-missed[kind], kind))
    return {kind: {"emergencies": every[kind], "missed": missed[kind]} for kind in kinds}


def _message(values: Mapping[str, Any]) -> Message:
    level = text_of(values, "level")
    if level not in URGENCY_LEVELS:
        raise Malformed(f"unknown level {level!r}", f"levels are {', '.join(URGENCY_LEVELS)}")
    return Message(text_of(values, "text"), level, building.text(values, "kind"))
