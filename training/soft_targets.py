"""Targets of a further stage that keep what the reader does already."""

from collections.abc import Sequence

import torch

from training.question_passages import Reading
from training.reader import Encoded, Reader, batch_of, sentence_logits


def softened(
    model: Reader, readings: Sequence[Reading], encoded: Sequence[Encoded], share: float
) -> list[Encoded]:
    """The earlier examples with targets averaged with the model's own probabilities.

    ``share`` is the weight of the model. So a further stage changes less of what the model does on
    examples like them (learning without forgetting, Li and Hoiem, 2016).
    """
    model.eval()
    made = list(encoded)
    places = [place for place, item in enumerate(readings) if item.earlier and item.pieces]
    places.sort(key=lambda place: len(encoded[place].ids))
    for start in range(0, len(places), 16):
        part = places[start : start + 16]
        batch = batch_of([encoded[place] for place in part])
        with torch.inference_mode():
            outputs, tokens = model(batch.ids, batch.mask, batch.types)
            logits = iter(sentence_logits(tokens, batch).sigmoid().tolist())
        for place, relevance in zip(part, outputs[:, 0].sigmoid().tolist(), strict=True):
            item = encoded[place]
            probable = [next(logits) for _ in item.targets]
            made[place] = item._replace(
                relevance=(1 - share) * item.relevance + share * relevance,
                targets=[
                    (1 - share) * target + share * chance
                    for target, chance in zip(item.targets, probable, strict=True)
                ],
            )
    return made
