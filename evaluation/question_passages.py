"""Reading questions with passages split into sentences, and the answering sentences."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from anamnesis.corpus import building
from anamnesis.corpus.building import Malformed
from anamnesis.corpus.starter import read_starter
from anamnesis.corpus.topics import is_held_out_topic
from anamnesis.errors import CorpusError
from anamnesis.models.reading import POLAR_OUTPUTS
from evaluation.reading import labelled, text_of

_POLAR = tuple(name for name in POLAR_OUTPUTS if name != "open")


class QuestionPassage(NamedTuple):
    """A question and a passage.

    ``answers`` are the positions (from 0) of the answering sentences, of which a near miss has
    none; ``polar`` is the passage's answer to a yes/no question: yes, no or depends.
    """

    question: str
    heading: str
    sentences: tuple[str, ...]
    answers: frozenset[int]
    polar: str | None = None
    style: str = ""


class _Text(NamedTuple):
    """A passage: its heading, its sentences, and its topic ("" if unknown)."""

    heading: str
    sentences: tuple[str, ...]
    topic: str


def read_question_passages(
    file: Path, passages: Path | None = None, held_out: bool = False
) -> list[QuestionPassage]:
    """Questions of a JSON Lines file, which may be compressed: question, answers [number, …].

    Each has ``heading`` and ``sentences``, or names a ``passage`` of the file ``passages``, which
    has these fields. ``polar`` (yes, no, depends) and ``style`` are optional, other fields are
    ignored.

    ``held_out`` keeps only questions on topics that no model of the project was trained on: the
    passage's ``focus``, or that of the starter corpus' ``record``, otherwise the name of the
    record.

    Raises CorpusError, with file and line, if a record cannot be read or is invalid, and if no
    question is left.
    """
    texts = None if passages is None else _passages(passages)
    found = [
        item
        for _, item in labelled(file, None, lambda item: _question_passage(item, texts, held_out))
    ]
    kept = [item for item in found if item is not None]
    if not kept:
        raise CorpusError(
            f"{file}: none of its {len(found)} questions is on a topic that is held out from "
            "training. Leave --held-out out, or give more questions."
        )
    return kept


def _passages(file: Path) -> dict[str, _Text]:
    texts: dict[str, _Text] = {}
    for where, (key, item) in labelled(
        file, None, lambda row: (text_of(row, "passage"), _text(row))
    ):
        if key in texts:
            raise CorpusError(
                f"{file}, {where}: the passage {key!r} occurs twice. Give each its own name."
            )
        texts[key] = item
    return texts


def _question_passage(
    values: Mapping[str, Any], texts: Mapping[str, _Text] | None, held_out: bool
) -> QuestionPassage | None:
    """The question; None if only held-out topics are kept and its topic is not one."""
    question = text_of(values, "question")
    if texts is not None:
        key = text_of(values, "passage")
        if key not in texts:
            raise Malformed(f"there is no passage {key!r}", "check the file of --passages")
        text = texts[key]
    elif "sentences" not in values and "passage" in values:
        raise Malformed("no field 'sentences'", "name the file of its passage with --passages")
    else:
        text = _text(values)
    if held_out and not text.topic:
        raise Malformed("its topic is not known", "give 'focus', or 'record'")
    asked = QuestionPassage(
        question,
        text.heading,
        text.sentences,
        _answers(values, len(text.sentences)),
        _polar(values),
        building.text(values, "style"),
    )
    return asked if not held_out or is_held_out_topic(text.topic) else None


def _text(values: Mapping[str, Any]) -> _Text:
    given = values.get("sentences")
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        found = type(given).__name__ if "sentences" in values else "no such field"
        raise Malformed("field 'sentences' is not a list of texts", f"found {found}")
    sentences = tuple(item.strip() for item in given)
    if not all(sentences) or not sentences:
        raise Malformed("field 'sentences' is empty, or a sentence is", f"{len(given)} sentences")
    record = building.text(values, "record")
    topic = building.text(values, "focus") or starter_topics().get(record, record)
    return _Text(building.text(values, "heading"), sentences, topic)


def _answers(values: Mapping[str, Any], most: int) -> frozenset[int]:
    given = values.get("answers")
    if not isinstance(given, list):
        found = type(given).__name__ if "answers" in values else "no such field"
        raise Malformed("field 'answers' is not a list of numbers", f"found {found}")
    for item in given:
        if isinstance(item, bool) or not isinstance(item, int) or not 1 <= item <= most:
            raise Malformed(f"answer {item!r} is not a sentence", f"numbers go from 1 to {most}")
    return frozenset(item - 1 for item in given)


def _polar(values: Mapping[str, Any]) -> str | None:
    given = building.text(values, "polar")
    if given and given not in _POLAR:
        raise Malformed(f"unknown polar {given!r}", f"it is null or one of {', '.join(_POLAR)}")
    return given or None


@cache
def starter_topics() -> dict[str, str]:
    """The topic of each record of the starter corpus, by id."""
    return {item.id: item.focus or item.id for item in read_starter()}
