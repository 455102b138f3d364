"""The layer that finds questions in messages: ``python -m training.asks --data FOLDER``.

Logistic regression on the embedder's vectors (``anamnesis.models.question_sentences``). Positives:
the one-line summaries of MeQSum, the precise questions of ``asked``, the questions of MedicationQA,
and the sentences of messages that end in a question mark, with all parts of joined questions.
Negatives: the other sentences of messages that contain a question mark, subject lines, which name
only a topic, and courtesies. Half of the sentences are used as written, but without half of the
question marks, because many questions have none; the others as a hurried writer would type them:
without the punctuation at the end, and half of these with another beginning ('and' or 'also', which
is added, or removed if it is there). Case does not matter to the embedder. Prints the results on
held-out messages.
"""

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anamnesis.corpus.topics import is_held_out_message
from anamnesis.models.embedding import load_embedder
from anamnesis.models.question_sentences import (
    WEIGHTS,
    joined_questions,
    layer_inputs,
    marked_sentences,
)
from training.examples import records
from training.linear_layer import store_layer
from training.question_passages import read_question_passages

_SEED = 7
_ENDS = ".?! "
_BEGINNING = re.compile(r"(?:and|also|so|but|then)\b[\s,]+", re.IGNORECASE)
_ADDED = ("and", "and", "also", "and also")
# They ask for an answer without a question.
COURTESIES = (
    "Can you help me?", "Can anyone help?", "Please can you help me with this?", "Any advice?",
    "Any ideas?", "Any suggestions?", "Can you recommend something please?",
    "Can you please answer me?", "Could you answer my question?", "Could you reply soon?",
    "Does anyone know?", "Has anyone had this?", "Has anybody else been through this?",
    "Can you give me some information please?", "Could you offer me any information on this?",
    "Can someone please explain this to me?", "May I ask you something?", "Can I ask a question?",
    "I have a question.", "I have two questions.", "I was wondering about two things.",
    "Please help.", "Please help me.", "Please advise.", "Please let me know.", "Please reply.",
    "Any help would be appreciated.", "I would appreciate any information.", "Thank you!",
    "Thanks in advance.", "I hope you can answer my questions.", "I look forward to your reply.",
    "Hello, how are you?", "Hi there, is anybody here?", "Are you a doctor?",
    "Sorry for the long message.", "If so will you please inform me?", "Is anyone there?",
)  # fmt: skip


class Sentence(NamedTuple):
    """A sentence, whether it asks, and whether its message is held out."""

    text: str
    asks: bool
    held_out: bool


def sentences_of(folder: Path) -> Iterator[Sentence]:
    """All sentences, in a fixed order."""
    messages: list[tuple[str, bool]] = []
    for row in records(folder, "meqsum"):
        held_out = is_held_out_message(row["message"])
        yield Sentence(row["summary"], True, held_out)
        if row["subject"] and "?" not in row["subject"]:
            yield Sentence(row["subject"], False, held_out)
        messages.append((row["message"], held_out))
    for item in read_question_passages(folder):
        if item.style == "specific":
            yield Sentence(item.question, True, item.held_out)
        elif item.style == "message":
            messages.append((item.question, item.held_out))
    for row in records(folder, "medication_qa"):
        yield Sentence(row["question"], True, is_held_out_message(row["question"]))
    for message, held_out in messages:
        if "?" in message:
            for sentence in marked_sentences(message):
                for text in joined_questions(sentence):
                    yield Sentence(text, _marked(sentence), held_out)
    for text in COURTESIES * 2:
        yield Sentence(text, False, False)


def _marked(text: str) -> bool:
    return re.search(r"\?\W*$", text) is not None


def hurried(text: str, rng: random.Random) -> str:
    """The sentence without the punctuation at its end, half of the time with another beginning."""
    text = text.rstrip(_ENDS)
    if rng.random() < 0.5:
        return text
    bare = _BEGINNING.sub("", text)
    return bare if bare != text else f"{rng.choice(_ADDED)} {text}"


def forms(sentences: Sequence[Sentence]) -> tuple[list[str], list[str]]:
    """The sentences as written, without half of the question marks; and as typed in a hurry."""
    rng = random.Random(_SEED)
    return [
        item.text.rstrip("? ") if item.asks and rng.random() < 0.5 else item.text
        for item in sentences
    ], [hurried(item.text, rng) for item in sentences]


def fit(sentences: Sequence[Sentence]) -> tuple[np.ndarray, np.ndarray]:
    """Weight (dimensions + 1,) and bias (1,); prints the figures on held-out messages."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    asks = np.array([item.asks for item in sentences])
    aside = np.array([item.held_out for item in sentences])
    texts, typed = forms(sentences)
    drawn = np.random.default_rng(_SEED).random(len(texts)) < 0.5
    embedder = load_embedder()
    used = np.where(drawn & ~aside, typed, texts).tolist()
    seen = layer_inputs(used, embedder.embed_queries(used))
    again = np.array(typed)[aside].tolist()
    model = LogisticRegression(C=10, max_iter=5000).fit(seen[~aside], asks[~aside])
    unmarked = np.array(["?" not in text for text in np.array(texts)[aside]])
    wanted, chances = asks[aside], model.predict_proba(seen[aside])[:, 1]
    hurriedly = model.predict_proba(layer_inputs(again, embedder.embed_queries(again)))[:, 1]
    for name, layer, known in (
        ("kept aside", wanted, chances),
        ("of these without a question mark", wanted[unmarked], chances[unmarked]),
        ("as a hurried writer would type them", wanted, hurriedly),
    ):
        print(f"{name}: {len(layer)} sentences, AUROC {roc_auc_score(layer, known):.3f}")
    return model.coef_[0].astype(np.float32), model.intercept_.astype(np.float32)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    return store_layer(
        "training.asks", __doc__, WEIGHTS, lambda folder: fit(list(sentences_of(folder))), arguments
    )


if __name__ == "__main__":
    raise SystemExit(main())
