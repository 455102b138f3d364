"""The published arithmetic of the critic that is an entailment model [S4]."""

from collections.abc import Sequence
from typing import TypeVar

from anamnesis.models.entailment import EntailmentCritic, Job, nearest_sentence
from anamnesis.models.support import Support

Other = TypeVar("Other")


class WindowCritic(EntailmentCritic):
    """Support = the best probability of entailment over a premise's windows, each judged as a
    whole.

    A premise that fits into the model's window is one window. No sentence is judged alone; the
    evidence is the sentence of the best window that shares most words with the statement.
    """

    def __init__(self, critic: EntailmentCritic) -> None:
        self._model, self._labels = critic._model, critic._labels
        self.name = f"{critic.name} (whole passages)"

    def _supports(self, jobs: Sequence[Job]) -> list[Support]:
        wide = self._rows(jobs, [[text[w.start : w.end] for w in item] for _, text, item in jobs])
        entailment, contradiction = self._labels.entailment, self._labels.contradiction
        found = []
        for (part, text, item), rows in zip(jobs, wide, strict=True):
            if not item:
                found.append(Support(0.0, None if contradiction is None else 0.0, 0, 0))
                continue
            best = float(rows[:, entailment].max())
            against = None if contradiction is None else float(rows[:, contradiction].max())
            column = entailment
            if contradiction is not None and against is not None and against > best:
                column = contradiction
            window = item[int(rows[:, column].argmax())]
            found.append(Support(best, against, *nearest_sentence(part, text, window)))
        return found


def by_windows(critic: Other) -> Other | WindowCritic:
    """The critic with the published arithmetic; a critic that is not an entailment model is
    unchanged."""
    return WindowCritic(critic) if isinstance(critic, EntailmentCritic) else critic
