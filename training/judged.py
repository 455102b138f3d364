"""Real people's questions with retrieved passages, judged one by one.

They show the reader the conditions in the graph: the nearest passages, most of which do not answer.
The rows name the messages and the passages by their ids and positions.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamnesis.corpus.record import Record
from anamnesis.corpus.starter import read_starter
from anamnesis.corpus.topics import is_held_out_topic
from anamnesis.errors import CorpusError
from training.examples import json_lines, records
from training.medquad import medquad
from training.question_passages import Reading

OWN = Path(__file__).with_name("judged.jsonl.gz")
"""The judgements, made for this project."""

RANKED_HIGH = Path(__file__).with_name("ranked_high.jsonl.gz")
"""Judgements of the passages that the product itself ranked highest for other messages.

Messages that were written for this project are in the rows. Each passage has the ``relevance`` for
which it was chosen.
"""

FIRST_PAGES = Path(__file__).with_name("first_pages.jsonl.gz")
"""Judgements of the first eight pages that the search finds for questions as people type them.

Each page has the ``heading`` that the reader reads in the graph. The questions were written for
this project, and are in the rows. ``polar`` is what the sentences of a page that helps say to a
yes/no question, ``open`` if the question is none, and null if they do not decide it.
"""

SECOND = "#2"
"""What follows the id of a pair of questions in the id of its second question."""

WORTH = (0.0, 0.12, 0.85, 1.0)
"""The relevance of the grades: something else, related, partial, answered."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A message with passages.

    Args:
        id: The message's id in its data set.
        message: The message as sent.
        summary: Its question in one line, or "".
        level: Its urgency: one of ``anamnesis.models.reading.URGENCY_LEVELS``, or "" in a further
            row on the same message.
        passages: Its passages, each with its grade, 0 to 3.
    """

    id: str
    message: str
    summary: str
    level: str
    passages: tuple["Graded", ...]

    @property
    def held_out(self) -> bool:
        """Whether it is one of the tenth of the messages that are never used for training."""
        return is_held_out_topic(self.id.removesuffix(SECOND))


@dataclass(frozen=True, slots=True)
class Graded:
    """A passage: its heading and sentences, its grade, and the positions of answering sentences.

    The heading is the record's question, or the one that the reader had read, if the row has it.
    ``relevance``: the probability for which it was chosen to be judged, if it was.
    """

    topic: str
    pieces: tuple[str, ...]
    grade: int
    answers: frozenset[int]
    polar: str | None
    relevance: float | None = None


def read_judged(folder: Path, path: Path | None = None) -> list[Judged]:
    """The judged messages of ``OWN`` or of another file.

    Raises CorpusError, with file and line, for an invalid row.
    """
    path = path or OWN
    asked = dict(_messages(folder))
    texts = texts_of(folder)
    found = []
    for number, row in enumerate(json_lines(path), start=1):
        try:
            message, summary = (row["message"], "") if "message" in row else asked[row["id"]]
            passages = tuple(_graded(texts, item) for item in row["passages"])
        except KeyError as error:
            raise CorpusError(f"{path}, line {number}: there is no record {error}") from error
        found.append(Judged(row["id"], message, summary, row["level"], passages))
    return found


def _messages(folder: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    for row in records(folder, "meqsum"):
        yield row["id"], (f"{row['subject']} {row['message']}".strip(), row["summary"])
    for row in records(folder, "medical_question_pairs"):
        yield row["id"], (row["question_1"], "")
        yield row["id"] + SECOND, (row["question_2"], "")
    for row in records(folder, "rqe"):
        yield row["id"], (row["question"], "")
    for row in records(folder, "medication_qa"):
        yield row["id"], (row["question"], "")


def texts_of(folder: Path) -> dict[str, Record]:
    """The records of MedQuAD and of the starter corpus by id."""
    return {item.id: item for item in [*medquad(folder), *read_starter()]}


def cut(record: Record, spans: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The parts of a record's text, each on one line."""
    return tuple(" ".join(record.text[start:end].split()) for start, end in spans)


def _graded(texts: Mapping[str, Record], row: dict[str, Any]) -> Graded:
    record = texts[row["record"]]
    return Graded(
        topic=record.focus or record.id,
        pieces=(row.get("heading", record.question), *cut(record, row["spans"])),
        grade=row["grade"],
        answers=frozenset(row["answers"]),
        polar=row["polar"],
        relevance=row.get("relevance"),
    )


def judged_readings(judged: list[Judged], seed: int) -> list[Reading]:
    """Each message, or its question in one line, with each passage on a training topic."""
    rng = random.Random(seed)
    found = []
    for item in judged:
        for passage in item.passages:
            if is_held_out_topic(passage.topic):
                continue
            question = item.summary if item.summary and rng.random() < 0.5 else item.message
            heading = passage.pieces[0] if rng.random() < 0.8 else ""
            helps = passage.grade > 1
            found.append(
                Reading(
                    question,
                    (heading, *passage.pieces[1:]),
                    relevance=WORTH[passage.grade],
                    answers=passage.answers if helps else frozenset(),
                    polar=(passage.polar or "open") if helps else None,
                )
            )
        if item.level:
            found.append(Reading(item.message, level=item.level))
    return found
