"""Questions as people ask them, with the sentences of a passage that answer, for training and
measuring the reader.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from anamnesis.corpus.record import Record
from anamnesis.corpus.topics import is_held_out_topic
from anamnesis.errors import CorpusError
from anamnesis.language.text import sentences
from anamnesis.language.words import content_stems
from anamnesis.models.embedding import Embedder
from evaluation.question_passages import starter_topics
from training.examples import json_lines, records
from training.medquad import medquad

OWN = Path(__file__).with_name("asked.jsonl.gz")
"""Further questions with replies, written for this project, each with its record and sentence
positions."""

OWN_STARTER = Path(__file__).with_name("starter_questions.jsonl.gz")
"""Further questions over the starter corpus, none on a held-out topic."""


@dataclass(frozen=True, slots=True)
class QuestionPassage:
    """A question and a passage. ``answers`` are the positions (from 0) of answering sentences.

    A near miss has none. ``polar`` is the passage's yes, no or depends, or None.
    """

    question: str
    passage: str
    topic: str
    heading: str
    sentences: tuple[str, ...]
    answers: frozenset[int]
    polar: str | None
    style: str

    @property
    def held_out(self) -> bool:
        """Whether its topic is one of the tenth that is never used for training."""
        return is_held_out_topic(self.topic)


def read_question_passages(folder: Path) -> list[QuestionPassage]:
    """All questions: those over MedQuAD, over the starter corpus, and the project's own.

    Raises CorpusError, with the file, for an invalid row.
    """
    return [
        *(item for item, _ in question_passage_rows(folder)),
        *(item for item, _ in own_rows(folder)),
        *_own_starter(),
    ]


def question_passage_rows(folder: Path) -> Iterator[tuple[QuestionPassage, dict[str, Any]]]:
    """The questions of the shared data with their rows, which contain the replies.

    Those over MedQuAD come first, then those over the starter corpus.
    """
    passages = {item["passage"]: item for item in records(folder, "asked_passages")}
    for row in records(folder, "asked"):
        passage = passages[row["passage"]]
        topic = passage["focus"] or passage["record"]
        yield _question_passage(row, row["passage"], topic, passage), row
    topics = starter_topics()
    for row in records(folder, "asked_starter"):
        yield _question_passage(row, row["record"], topics[row["record"]], row), row


def _own_starter() -> Iterator[QuestionPassage]:
    """The project's own rows over the starter corpus, in the form of the shared data."""
    topics = starter_topics()
    for number, row in enumerate(json_lines(OWN_STARTER), start=1):
        if row["record"] not in topics:
            raise CorpusError(
                f"{OWN_STARTER}, line {number}: the starter corpus has no record "
                f"{row['record']!r}; take the row out, or name the record as it is called now"
            )
        yield _question_passage(row, row["record"], topics[row["record"]], row)


def own_rows(folder: Path) -> Iterator[tuple[QuestionPassage, dict[str, Any]]]:
    """The project's own questions over MedQuAD with their rows, which contain the replies.

    Their sentences are parts of MedQuAD's records. Raises CorpusError, with file and line, for a
    record that MedQuAD does not have.
    """
    if not OWN.is_file():
        return
    texts = {item.id: item for item in medquad(folder)}
    for number, row in enumerate(json_lines(OWN), start=1):
        if row["record"] not in texts:
            raise CorpusError(f"{OWN}, line {number}: there is no record {row['record']!r}")
        record = texts[row["record"]]
        cut = (" ".join(record.text[a:b].split()) for a, b in row["spans"])
        passage = {"heading": record.question, "sentences": list(cut)}
        yield _question_passage(row, row["passage"], record.focus or record.id, passage), row


def _question_passage(
    row: dict[str, Any], key: str, topic: str, passage: dict[str, Any]
) -> QuestionPassage:
    return QuestionPassage(
        question=row["question"],
        passage=key,
        topic=topic,
        heading=passage["heading"] or "",
        sentences=tuple(passage["sentences"]),
        answers=frozenset(number - 1 for number in row["answers"]),
        polar=row["polar"],
        style=row["style"],
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """A training example: a question with a passage in pieces, or a message without a passage.

    Args:
        question: The question or the message.
        pieces: The passage: its heading first (or ""), then its sentences. Empty for a message.
        relevance: Whether the passage answers, in 0..1; None if only the sentences count.
        answers: Positions in ``pieces`` of the answering sentences; None if unknown.
        polar: The passage's answer to a yes/no question; "open" for any other question.
        level: For a message one of ``anamnesis.models.reading.URGENCY_LEVELS``, otherwise None.
        kind: For a message one of ``anamnesis.models.reading.URGENCY_KINDS``, or None.
        earlier: Whether an earlier stage was trained on it; see ``training.soft_targets.softened``.
    """

    question: str
    pieces: tuple[str, ...] = ()
    relevance: float | None = None
    answers: frozenset[int] | None = None
    polar: str | None = None
    level: str | None = None
    kind: str | None = None
    earlier: bool = False


def whole_passage_reading(question: QuestionPassage) -> Reading:
    """The question with its whole passage."""
    return _with(question, question, question.heading, range(len(question.sentences)))


def readings(
    asked: Sequence[QuestionPassage], near: "Neighbours", seed: int, others: int = 1
) -> tuple[list[Reading], list[Reading]]:
    """Each question with its own passage, and with ``others`` passages that do not answer it.

    Half of the passages are shortened (keeping the answering sentences); one in four has no heading
    or only the topic's name.
    """
    rng = random.Random(seed)
    answerable = [_with(each, each, _heading(each, rng), _stretch(each, rng)) for each in asked]
    wrong = [
        _with(each, other, _heading(other, rng), _stretch(other, rng))
        for each, found in zip(asked, near.of(asked, rng, others), strict=True)
        for other in found
    ]
    return answerable, wrong


def passages_of(asked: Sequence[QuestionPassage]) -> list[QuestionPassage]:
    """One question for each passage, which represents it."""
    return list({item.passage: item for item in asked}.values())


def bare_passages(found: Sequence[Record], number: int, seed: int) -> list[QuestionPassage]:
    """``number`` parts of records, about as long as an index's passages, without a question."""
    rng = random.Random(seed)
    made = []
    for record in rng.sample(list(found), min(number, len(found))):
        spans = sentences(record.text)
        first = rng.randrange(len(spans)) if rng.random() < 0.5 else 0
        last, room = first + 1, rng.choice((60, 100, 140))
        while (
            last < len(spans)
            and len(record.text[spans[first].start : spans[last].end].split()) < room
        ):
            last += 1
        cut = tuple(" ".join(record.text[a:b].split()) for a, b in spans[first:last])
        topic = record.focus or record.id
        made.append(
            QuestionPassage("", record.id, topic, record.question, cut, frozenset(), None, "")
        )
    return made


def _heading(question: QuestionPassage, rng: random.Random) -> str:
    return question.heading if rng.random() < 0.75 else rng.choice(("", question.topic))


NEAREST = 12
"""The number of passages on other topics that negatives are drawn from: about as many as are read
for a question."""


class Neighbours:
    """Finds passages on other topics that a search for the question would return."""

    def __init__(self, passages: Sequence[QuestionPassage], embedder: Embedder) -> None:
        self._passages = passages
        self._embedder = embedder
        texts = [" ".join([item.heading, *item.sentences]) for item in passages]
        self._vectors = embedder.embed_documents(texts)
        self._topics = [content_stems(item.topic) for item in passages]

    def of(
        self, asked: Sequence[QuestionPassage], rng: random.Random, number: int
    ) -> list[list[QuestionPassage]]:
        """For each question, ``number`` of the nearest passages that share no word of its topic."""
        vectors = self._embedder.embed_queries([item.question for item in asked])
        found = []
        for item, near in zip(asked, vectors @ self._vectors.T, strict=True):
            topic = content_stems(item.topic)
            order = (int(place) for place in near.argsort()[::-1])
            places = list(islice((at for at in order if not topic & self._topics[at]), NEAREST))
            chosen = rng.sample(places, min(number, len(places)))
            found.append([self._passages[place] for place in chosen])
        return found


def _stretch(question: QuestionPassage, rng: random.Random) -> range:
    """With probability 1/2 all sentences, otherwise consecutive ones with all that answer."""
    number = len(question.sentences)
    if rng.random() < 0.5 or number < 4:
        return range(number)
    first = min(question.answers, default=rng.randrange(number))
    last = max(question.answers, default=first)
    return range(rng.randint(0, first), rng.randint(last, number - 1) + 1)


def _with(asked: QuestionPassage, passage: QuestionPassage, heading: str, places: range) -> Reading:
    same = asked.passage == passage.passage
    answers = frozenset(
        at + 1 for at, place in enumerate(places) if same and place in asked.answers
    )
    return Reading(
        asked.question,
        (heading, *(passage.sentences[place] for place in places)),
        relevance=1.0 if answers else 0.0,
        answers=answers,
        polar=(asked.polar or "open") if answers else None,
    )
