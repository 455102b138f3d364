"""The critic that is a natural-language-inference model [S4]."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from anamnesis.language.words import content_stems
from anamnesis.models.classifier import OverlongPairError, Scores
from anamnesis.models.cross_encoder import PairClassifier, load_cross_encoder
from anamnesis.models.labels import Labels, read_labels, softmax
from anamnesis.models.reading import from_log_odds, log_odds
from anamnesis.models.reference import Reference
from anamnesis.models.support import Support, same_number
from anamnesis.models.windows import Window, windows

# Minimum probability from which the sentences of a window are searched for the evidence.
_SEARCHED_FROM = 0.5
HIGHER = 0.7
"""Weight of the higher of the two log-odds of a window; chosen by `python -m benchmarks.readings`,
which also measures it on replies that were not used for the choice."""

_Span = tuple[int, int]
Job = tuple[str, str, list[Window]]
"""A statement's part, a premise, and the windows of the premise."""


class EntailmentCritic:
    """Support = the best probability of entailment over a premise's windows [S4].

    The whole premise is read in windows of whole sentences. In each window the sentences nearest to
    the statement are also read separately, and the higher of both probabilities counts most. A
    statement longer than half the model's window is judged in parts, and its least supported part
    counts. If a server finds a pair too long, the texts are divided again into smaller windows.

    A fact-checker with two labels, such as MiniCheck (Tang et al., EMNLP 2024), works too; the
    option ``supported`` of the reference names the supporting label if its own name does not.
    """

    method: Literal["entailment"] = "entailment"

    def __init__(self, reference: Reference) -> None:
        options = dict(reference.options)
        supported = options.pop("supported", None)
        bare = replace(reference, options=options)
        self._model: PairClassifier = load_cross_encoder(str(bare))
        self._labels = read_labels(self._model.labels, str(reference), supported)
        self.name = f"entailment:{reference}"

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its premises, in their order."""
        same_number(statements, premises)
        while True:
            window = self._model.window
            with suppress(OverlongPairError):
                judged = self._judged(statements, premises)
                # Another thread may have found in the meantime that the model reads less.
                if self._model.window == window:
                    return judged

    def _judged(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """The supports, with texts divided by the model's window."""
        model = self._model
        half = model.room() // 2
        parts = {
            text: [text[w.start : w.end] for w in windows(text, half, model.count_tokens)]
            for text in statements
        }
        cut: dict[tuple[str, int], list[Window]] = {}
        jobs: list[Job] = []
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
            [_weakest([found[part, premise] for part in parts[statement]]) for premise in group]
            for statement, group in zip(statements, premises, strict=True)
        ]

    def _supports(self, jobs: Sequence[Job]) -> list[Support]:
        """The support by each window as a whole, and by its sentences nearest to the statement.

        A small model overlooks one sentence among twenty, and a sentence alone may lack what the
        one before it says: the higher probability counts most. The evidence is one of those
        sentences, or two neighbours, because a sentence may refer to the one before it ('It is
        caused by …'). If a window supports the statement and none of these does, the whole window
        is searched.
        """
        wide = self._rows(jobs, [[text[w.start : w.end] for w in item] for _, text, item in jobs])
        near = [[_nearest(part, text, w) for w in item] for part, text, item in jobs]
        close = self._rows(jobs, [[one.text for found in item for one in found] for item in near])
        drafts = [
            _draft(item, found, rows, near_rows, self._labels)
            for (_, _, item), found, rows, near_rows in zip(jobs, near, wide, close, strict=True)
        ]
        searched = self._rows(
            jobs,
            [
                [text[start:end] for start, end in draft.search]
                for (_, text, _), draft in zip(jobs, drafts, strict=True)
            ],
        )
        return [
            draft.support
            if not draft.search
            else _with_evidence(draft.support, draft.search, rows[:, draft.column])
            for draft, rows in zip(drafts, searched, strict=True)
        ]

    def _rows(self, jobs: Sequence[Job], texts: Sequence[Sequence[str]]) -> list[Scores]:
        """The probabilities for the texts of each job's premise, (texts, labels) each."""
        pairs = [
            (text, part) for (part, _, _), item in zip(jobs, texts, strict=True) for text in item
        ]
        borders = np.cumsum([len(item) for item in texts])[:-1]
        return np.split(self._probabilities(pairs), borders) if jobs else []

    def _probabilities(self, pairs: list[tuple[str, str]]) -> Scores:
        if not pairs:
            return np.empty((0, len(self._model.labels)), np.float32)
        alternatives = self._labels.alternatives
        found = np.zeros((len(pairs), len(self._model.labels)), np.float32)
        found[:, alternatives] = softmax(self._model.logits(pairs)[:, alternatives])
        return found


class _NearbySentences(NamedTuple):
    """Sentences near a statement, and the text by which they are judged."""

    span: _Span
    text: str


class _Draft(NamedTuple):
    """A support, and the spans to search for its evidence, with the label."""

    support: Support
    search: Sequence[_Span]
    column: int


def _draft(
    windows: Sequence[Window],
    near: Sequence[Sequence[_NearbySentences]],
    rows: Scores,
    close: Scores,
    labels: Labels,
) -> _Draft:
    """The support by a premise's windows and by their nearest sentences."""
    entailment, contradiction = labels.entailment, labels.contradiction
    if not windows:
        return _Draft(Support(0.0, None if contradiction is None else 0.0, 0, 0), (), entailment)
    by_window = np.split(close, np.cumsum([len(found) for found in near])[:-1])
    supports = np.array(
        [
            _combined(row[entailment], near_rows[:, entailment].max())
            if len(near_rows)
            else row[entailment]
            for row, near_rows in zip(rows, by_window, strict=True)
        ]
    )
    probability = float(supports.max())
    against = None if contradiction is None else float(rows[:, contradiction].max())
    column, at = entailment, int(supports.argmax())
    if contradiction is not None and against is not None and against > probability:
        column, at = contradiction, int(rows[:, contradiction].argmax())
    support = Support(probability, against, windows[at].start, windows[at].end)
    if max(probability, against or 0.0) < _SEARCHED_FROM or len(windows[at].sentences) < 2:
        return _Draft(support, (), column)
    near_rows = by_window[at][:, column]
    if len(near_rows) and near_rows.max() >= _SEARCHED_FROM:
        start, end = near[at][0 if near_rows[0] >= _SEARCHED_FROM else int(near_rows.argmax())].span
        return _Draft(support._replace(start=start, end=end), (), column)
    sentences = windows[at].sentences
    pairs = ((one[0], other[1]) for one, other in pairwise(sentences))
    return _Draft(support, (*sentences, *pairs), column)


def _combined(window: float, nearest: float) -> float:
    """The support by a window and by its nearest sentences, nearer to the higher of the two."""
    low, high = sorted((log_odds(window), log_odds(nearest)))
    return from_log_odds(HIGHER * high + (1 - HIGHER) * low)


def _with_evidence(support: Support, spans: Sequence[_Span], scores: Scores) -> Support:
    """The support with its evidence: the best sentence if it suffices, otherwise the best span."""
    alone = scores[: (len(spans) + 1) // 2]
    best = alone if alone.max() >= _SEARCHED_FROM else scores
    start, end = spans[int(best.argmax())]
    return support._replace(start=start, end=end)


def _nearest(statement: str, premise: str, window: Window) -> list[_NearbySentences]:
    """The sentence, and the pair of neighbours, that share most words with a statement.

    The sentence is also read after the window's first one, which often names the topic.
    """
    if len(window.sentences) < 2:
        return []
    asked = content_stems(statement)
    shared = [content_stems(premise[start:end]) & asked for start, end in window.sentences]
    one = max(range(len(shared)), key=lambda at: len(shared[at]))
    two = max(range(len(shared) - 1), key=lambda at: len(shared[at] | shared[at + 1]))
    spans = window.sentences
    best, first, pair = spans[one], spans[0], (spans[two][0], spans[two + 1][1])
    found = [_NearbySentences(best, premise[best[0] : best[1]])]
    if len(spans) > 2:  # otherwise the window itself
        found.append(_NearbySentences(pair, premise[pair[0] : pair[1]]))
    if one > 1:  # otherwise the pair, or the window
        led = f"{premise[first[0] : first[1]]} {found[0].text}"
        found.append(_NearbySentences(best, led))
    return found


def nearest_sentence(part: str, premise: str, window: Window) -> tuple[int, int]:
    """The position of the sentence of a window that shares most words with a statement."""
    near = _nearest(part, premise, window)
    return near[0].span if near else (window.start, window.end)


def _weakest(supports: Sequence[Support]) -> Support:
    """A statement's support from its parts: the weakest support, the worst contradiction."""
    if not supports:  # an empty statement says nothing that could be supported
        return Support(0.0, None, 0, 0)
    against = [s.contradiction for s in supports if s.contradiction is not None]
    weakest = min(supports, key=lambda support: support.probability)
    return weakest._replace(contradiction=max(against) if against else None)
