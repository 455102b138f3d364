"""The layer on messages about somebody's health: ``python -m training.health_message``.

Logistic regression on the inputs of ``anamnesis.models.health_message``. Positives: messages of the
triage about symptoms, illnesses or medicines of the writer or another person, the questions with a
story of ``asked``, and real letters of MeQSum that name a person: of 92 held-out letters that were
read, 81 name one, and 76 of these are about that person's health. Negatives: messages about
studies, films, pets, work and insurance, search words and precise questions of ``asked``, one-line
summaries of MeQSum, and topics. Prints the figures on held-out messages.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anamnesis.corpus.topics import is_held_out_message
from anamnesis.models.embedding import load_embedder
from anamnesis.models.health_message import LEAST, WEIGHTS, names_person, person_inputs
from training import urgent
from training.examples import records
from training.linear_layer import store_layer
from training.question_passages import read_question_passages

_SEED = 7
_MOST = 700
"""Emergencies and urgent messages that are used."""
_ASKED = {"message": 450, "search": 550, "specific": 550}
"""Questions of each style in ``asked`` that are used."""
_SUMMARIES = 250
_TOPICS = 150
_LETTERS = 200
_LONGEST = 700
"""Maximum characters of a letter that is used."""
# What the names of the kinds of routine messages begin with; the others are not used, because some
# of them are about a person and some are not.
_SOMEBODY = (
    "everyday", "minor", "child_mild", "chronic", "pregnancy_calm", "followup", "elder_mild",
    "skin_minor", "reassurance", "consumer_letter", "rare_disease_letter", "routine_chronic",
)  # fmt: skip
_NOBODY = (
    "search_question", "knowledge", "routine_knowledge", "routine_search",
    "routine_homework", "study", "film", "job_training", "insurance", "pet", "routine_study",
    "routine_film", "routine_stats",
)  # fmt: skip


class Message(NamedTuple):
    """A message, and whether it is about somebody's health."""

    text: str
    about: bool


def messages(folder: Path) -> Iterator[Message]:
    """All messages, in a fixed order."""
    rng = random.Random(_SEED)
    rows = urgent.rows(folder)
    acute = [row["text"] for row in rows if row["level"] != "routine"]
    for text in rng.sample(acute, _MOST):
        yield Message(text, True)
    for row in rows:
        if row["level"] == "routine" and row["kind"].startswith((*_SOMEBODY, *_NOBODY)):
            about = row["kind"].startswith(_SOMEBODY)
            yield Message(row["text"], about)
    asked = read_question_passages(folder)
    for style, number in _ASKED.items():
        for item in rng.sample([item for item in asked if item.style == style], number):
            yield Message(item.question, style == "message")
    for row in rng.sample(list(records(folder, "meqsum")), _SUMMARIES):
        yield Message(row["summary"], False)
    for topic in rng.sample([item.topic for item in asked if item.topic], _TOPICS):
        yield Message(topic, False)
    letters = [
        f"{row['subject']} {row['message']}".strip()
        for row in records(folder, "meqsum")
        if not is_held_out_message(row["message"])
    ]
    named = [item for item in letters if names_person(item) and len(item) < _LONGEST]
    for text in random.Random(_SEED).sample(named, _LETTERS):
        yield Message(text, True)


def fit(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Weight (dimensions,) and bias (1,); prints the figures on held-out messages."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    found = list(messages(folder))
    texts = [item.text for item in found]
    inputs = person_inputs(texts, load_embedder().embed_queries(texts))
    about = np.array([item.about for item in found])
    aside = np.array([is_held_out_message(item) for item in texts])
    model = LogisticRegression(C=3, max_iter=5000).fit(inputs[~aside], about[~aside])
    chances = model.predict_proba(inputs)[:, 1]
    print(f"{aside.sum()} held out, AUROC {roc_auc_score(about[aside], chances[aside]):.3f}")
    named = inputs[:, -1] > 0
    for name, part in (("about a person", aside & about), ("others", aside & ~about)):
        print(
            f"{name}: {part.sum()}, of these {(chances[part] >= LEAST).mean():.3f} from {LEAST}, "
            f"and {(named | (chances >= LEAST))[part].mean():.3f} with those that name a person"
        )
    return model.coef_[0].astype(np.float32), model.intercept_.astype(np.float32)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    return store_layer("training.health_message", __doc__, WEIGHTS, fit, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
