"""MedMCQA: exam questions with four options, the right one, and often an explanation [H8].

Read as published (fields question, opa to opd, cop, exp, subject_name, topic_name, id), as the
model hub exports it (the same with cop from 0), and in MIRAGE's format (question, options, answer
as a letter).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Malformed, Skip
from anamnesis.corpus.files import Row
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.language.text import tidy

_LETTERS = "ABCD"
_LOOK_AHEAD = 2000  # among so many records 0 or 4 is sure to occur as the right option


def read(file: Path, report: Report) -> Iterator[Record]:
    """Records whose text is the right option and the explanation."""
    rows, first = _first_option(_rows(file))
    return building.build(file, rows, lambda row: _record(row, first), report)


def _rows(file: Path) -> Iterator[Row]:
    """The file's rows; MIRAGE's benchmark.json has them under "medmcqa", by their ids."""
    for row in files.json_rows(file):
        inner = row.values.get("medmcqa") if isinstance(row.values, dict) else None
        if isinstance(inner, dict):
            for identity, values in inner.items():
                named = {"id": identity, **values} if isinstance(values, dict) else values
                yield Row(f"medmcqa {identity}", named)
        else:
            yield row


def _first_option(rows: Iterable[Row]) -> tuple[Iterator[Row], int]:
    """Whether ``cop`` counts from 1, as published, or from 0; the first 4 or 0 decides."""
    rows = iter(rows)
    seen: list[Row] = []
    for row in rows:
        seen.append(row)
        cop = row.values.get("cop") if isinstance(row.values, dict) else None
        if str(cop) in ("0", "4") or len(seen) == _LOOK_AHEAD:
            return chain(seen, rows), 0 if str(cop) == "0" else 1
    return iter(seen), 1


def _record(values: Mapping[str, Any], first: int) -> Record:
    if values.get("dataset", "medmcqa") != "medmcqa":
        raise Skip("of another data set", str(values["dataset"]))
    question = " ".join(tidy(building.answer(values, "question")).split())
    options = _options(values)
    letter = _right(values, first)
    right = options.get(letter, "")
    if not right:
        raise Skip("the right option is not there", f"option {letter}")
    explanation = building.text(values, "exp") or building.text(values, "explanation")
    subject = building.text(values, "subject_name") or building.text(values, "subject")
    topic = building.text(values, "topic_name") or building.text(values, "topic")
    return Record(
        id=building.text(values, "id") or building.content_id("medmcqa", question, str(options)),
        title=topic or subject or "MedMCQA",
        text=tidy(f"Answer: {right}{'' if right.endswith('.') else '.'}\n\n{explanation}"),
        question=question,
        source="MedMCQA",
        focus=subject,
        kind="mcq",
        metadata={
            "options": options,
            "answer": letter,
            **({"subject": subject} if subject else {}),
            **({"topic": topic} if topic else {}),
        },
    )


def _options(values: Mapping[str, Any]) -> dict[str, str]:
    given = values.get("options")
    if isinstance(given, dict):
        return {letter: " ".join(str(option).split()) for letter, option in given.items()}
    names = [f"op{letter.lower()}" for letter in _LETTERS]
    return {
        letter: " ".join(building.text(values, name, required=True).split())
        for letter, name in zip(_LETTERS, names, strict=True)
    }


def _right(values: Mapping[str, Any], first: int) -> str:
    if "cop" not in values and "answer" not in values:
        raise Malformed("no field 'cop' or 'answer'", f"fields found: {', '.join(values)}")
    cop, letter = values.get("cop"), building.text(values, "answer")
    if cop is None and not letter:
        raise Skip("no right option given")
    if cop is None:
        return letter.upper()
    if not str(cop).isdigit() or not 0 <= int(cop) - first < len(_LETTERS):
        raise Skip("the number of the right option is out of range", f"cop {cop}")
    return _LETTERS[int(cop) - first]
