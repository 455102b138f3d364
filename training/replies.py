"""Replies to people's questions, faithful to a passage or with one error: pairs for the critic.

Each reply of ``asked.jsonl.gz`` and ``asked_starter.jsonl.gz`` is used sentence by sentence, as the
graph judges it, once with the passage and once with its answering sentences. A sentence of the
wrong reply that also occurs in the faithful one is not an error and is left out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anamnesis.language.text import sentence_texts
from training.examples import Example, plain
from training.question_passages import QuestionPassage, own_rows, question_passage_rows


def replies(folder: Path, *, held_out: bool = False, own: bool = False) -> list[Example]:
    """The pairs on training topics, or on held-out topics; with ``own`` the project's own."""
    return [
        pair
        for asked, row in (own_rows if own else question_passage_rows)(folder)
        if asked.held_out == held_out and row["reply"]
        for pair in _pairs(asked, row)
    ]


def _pairs(asked: QuestionPassage, row: dict[str, Any]) -> Iterator[Example]:
    passage = " ".join(asked.sentences)
    answering = " ".join(
        text for place, text in enumerate(asked.sentences) if place in asked.answers
    )
    faithful = sentence_texts(row["reply"])
    known = set(map(plain, faithful))
    wrong = [text for text in sentence_texts(row["wrong"]) if plain(text) not in known]
    label = "contradiction" if row["denied"] else "neutral"
    for premise in dict.fromkeys((passage, answering)):
        if premise:
            yield from (Example(premise, text, label="entailment") for text in faithful)
            # If two sentences differ, one of them may still be true.
            if len(wrong) == 1:
                yield Example(premise, wrong[0], label=label)
