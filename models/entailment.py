"""The critic that is a natural-language-inference model (row S4)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from models.classifier import Scores
from models.critic import Support, same_number
from models.cross_encoder import CrossEncoder, load_cross_encoder
from models.labels import read_labels, softmax
from models.reference import Reference
from models.windows import Window, windows

# From here on a window says something, and its sentences are asked which of them it is.
_TELLS = 0.5


class EntailmentCritic:
    """Support = the best probability of entailment over a premise's windows (row S4).

    The premise is read in windows of whole sentences, all of it. A statement longer than half the
    model's window is judged in parts, and is as well supported as its least supported part.
    """

    method: Literal["entailment"] = "entailment"

    def __init__(self, reference: Reference) -> None:
        self._model: CrossEncoder = load_cross_encoder(str(reference))
        self._labels = read_labels(self._model.labels, str(reference))
        self.name = f"entailment:{reference}"

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its own premises, in their order."""
        same_number(statements, premises)
        model = self._model
        half = model.room() // 2
        parts = {
            text: [text[w.start : w.end] for w in windows(text, half, model.count_tokens)]
            for text in statements
        }
        cut: dict[tuple[str, int], list[Window]] = {}
        jobs: list[tuple[str, str, list[Window]]] = []  # statement's part, premise, its windows
        for statement, group in zip(statements, premises, strict=True):
            for part in parts[statement]:
                room = model.room(part)
                for premise in group:
                    if (premise, room) not in cut:
                        cut[premise, room] = windows(premise, room, model.count_tokens)
                    jobs.append((part, premise, cut[premise, room]))
        found = {
            (part, premise): support
            for (part, premise, _), support in zip(jobs, self._supports(jobs), strict=True)
        }
        return [
            [_least([found[part, premise] for part in parts[statement]]) for premise in group]
            for statement, group in zip(statements, premises, strict=True)
        ]

    def _supports(self, jobs: Sequence[tuple[str, str, list[Window]]]) -> list[Support]:
        """Two passes: all windows, then the sentences of those windows that say something.

        A sentence may lean on the one before it ('It is caused by …'): where none says it alone,
        two neighbours are the evidence if they say it better.
        """
        pairs = [(premise[w.start : w.end], part) for part, premise, own in jobs for w in own]
        scored = self._probabilities(pairs)
        drafts: list[tuple[Support, tuple[tuple[int, int], ...], int]] = []
        at = 0
        for _, _, own in jobs:
            rows = scored[at : at + len(own)]
            at += len(own)
            drafts.append(self._draft(own, rows))
        close = [
            (premise[start:end], part)
            for (part, premise, _), (_, spans, _) in zip(jobs, drafts, strict=True)
            for start, end in spans
        ]
        by_sentence = self._probabilities(close)
        at = 0
        supports = []
        for support, spans, column in drafts:
            if spans:
                own_rows = by_sentence[at : at + len(spans), column]
                at += len(spans)
                alone = own_rows[: (len(spans) + 1) // 2]
                best = alone if alone.max() >= _TELLS else own_rows
                start, end = spans[int(best.argmax())]
                support = support._replace(start=start, end=end)
            supports.append(support)
        return supports

    def _draft(
        self, own: Sequence[Window], rows: Scores
    ) -> tuple[Support, tuple[tuple[int, int], ...], int]:
        """The support by windows, the stretches to look at closely, and for which label."""
        entailment, contradiction = self._labels.entailment, self._labels.contradiction
        if not own:
            return Support(0.0, None if contradiction is None else 0.0, 0, 0), (), entailment
        probability = float(rows[:, entailment].max())
        against = None if contradiction is None else float(rows[:, contradiction].max())
        column = (
            contradiction
            if contradiction is not None and against is not None and against > probability
            else entailment
        )
        best = own[int(rows[:, column].argmax())]
        support = Support(probability, against, best.start, best.end)
        closer = len(best.sentences) > 1 and max(probability, against or 0.0) >= _TELLS
        return support, _stretches(best.sentences) if closer else (), column

    def _probabilities(self, pairs: list[tuple[str, str]]) -> Scores:
        if not pairs:
            return np.empty((0, len(self._model.labels)), np.float32)
        own = self._labels.alternatives
        found = np.zeros((len(pairs), len(self._model.labels)), np.float32)
        found[:, own] = softmax(self._model.logits(pairs)[:, own])
        return found


def _stretches(sentences: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The n sentences, then the n - 1 pairs of neighbours."""
    return (*sentences, *((one[0], other[1]) for one, other in pairwise(sentences)))


def _least(supports: Sequence[Support]) -> Support:
    """A statement's support by that of its parts: the weakest, the worst contradiction."""
    if not supports:  # an empty statement says nothing that could be supported
        return Support(0.0, None, 0, 0)
    against = [s.contradiction for s in supports if s.contradiction is not None]
    weakest = min(supports, key=lambda support: support.probability)
    return weakest._replace(contradiction=max(against) if against else None)
