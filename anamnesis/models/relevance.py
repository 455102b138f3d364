"""The reranker that is a cross-encoder [R4]."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from anamnesis.language.text import sentences
from anamnesis.models.classifier import Scores
from anamnesis.models.cross_encoder import load_cross_encoder
from anamnesis.models.labels import read_relevance, sigmoid, softmax
from anamnesis.models.reading import Reading
from anamnesis.models.reference import Reference
from anamnesis.models.windows import windows


class CrossEncoderReranker:
    """A passage's score is that of its best window with the question [R4].

    A single output, or a relevance output in addition to those of an entailment model, is passed
    through the sigmoid. Otherwise the score is the softmax of the output whose label means
    relevance. A question longer than half the window is read in parts, and the best part counts,
    because the question may be anywhere in a long message.
    """

    method: Literal["cross-encoder"] = "cross-encoder"

    def __init__(self, reference: Reference) -> None:
        self._model = load_cross_encoder(str(reference))
        self.name = f"cross-encoder:{reference}"
        self._relevance = read_relevance(self._model.labels, str(reference))

    def score(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        """A score in 0..1 for each passage, given as (heading, text); higher is better."""
        model = self._model
        asked = windows(query, model.room() // 2, model.count_tokens)
        questions = [query[part.start : part.end] for part in asked] or [""]
        rooms = [model.room(question) for question in questions]
        pairs: list[tuple[str, str]] = []
        sizes = []
        for heading, text in passages:
            whole = f"{heading} {text}".strip()
            before = len(pairs)
            for question, room in zip(questions, rooms, strict=True):
                parts = windows(whole, room, model.count_tokens)
                pairs += [(question, whole[part.start : part.end]) for part in parts]
            if len(pairs) == before:  # a passage without text
                pairs.append((questions[0], ""))
            sizes.append(len(pairs) - before)
        if not pairs:
            return []
        values = self._probabilities(model.logits(pairs))
        ends = np.cumsum(sizes)
        return [
            float(values[end - size : end].max()) for end, size in zip(ends, sizes, strict=True)
        ]

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """The same score as relevance; the score of a sentence is that of the sentence read as a
        passage.
        """
        spans = [sentences(text) for _, text in passages]
        alone = [
            (heading, text[start:end])
            for (heading, text), item in zip(passages, spans, strict=True)
            for start, end in item
        ]
        scores = iter(self.score(question, alone))
        return [
            Reading(relevance, tuple((start, end, next(scores)) for start, end in item), {})
            for relevance, item in zip(self.score(question, passages), spans, strict=True)
        ]

    def _probabilities(self, logits: Scores) -> Scores:
        place, alternatives = self._relevance
        return softmax(logits)[:, place] if alternatives else sigmoid(logits[:, place])
