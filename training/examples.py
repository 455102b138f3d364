"""Training examples: pairs of texts with their labels."""

import gzip
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from anamnesis.entailment import LABELS as NLI
from anamnesis.errors import CorpusError

T = TypeVar("T")

LABELS = ("relevant", *NLI)
"""The model's outputs. Readers look them up by name in ``config.json``."""


DATA = (
    "medquad", "rqe", "medical_question_pairs", "medication_qa", "mediqa2019_qa",
    "bioasq_questions", "bioasq_passages", "pubmedqa_pqal", "ir_scifact_corpus",
    "ir_scifact_queries", "nli_healthver", "nli_scifact", "nli_nli4ct", "nli_covidfact",
    "nli_general_train", "nli_general_dev_sample", "asked", "asked_passages", "asked_starter",
)  # fmt: skip
"""The data sets, each ``NAME.jsonl.gz``."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question and a passage with ``relevance`` in 0..1, or a premise and a hypothesis.

    Exactly one of ``relevance`` and ``label`` (one of ``NLI``) is set.
    """

    first: str
    second: str
    relevance: float | None = None
    label: str | None = None


def records(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The records of ``NAME.jsonl.gz`` in the data folder, after ``check``.

    Raises CorpusError, with file and line, for an invalid line.
    """
    return json_lines(folder / f"{name}.jsonl.gz")


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a compressed file of JSON Lines.

    Raises CorpusError, with file and line, for an invalid line, and if the file is missing.
    """
    if not path.is_file():
        raise CorpusError(f"{path}: there is no such file; --data names the folder of the data")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise CorpusError(f"{path}, line {number}: not JSON ({error})") from error


def check(folder: Path) -> None:
    """Raise CorpusError with every data set that is missing in the folder."""
    missing = [f"{name}.jsonl.gz" for name in DATA if not (folder / f"{name}.jsonl.gz").is_file()]
    if missing:
        raise CorpusError(
            f"training data missing in {folder}: {', '.join(missing)}; put the files there, or "
            "name the folder that holds them with --data"
        )


def plain(text: str) -> str:
    """The text for comparison with others, regardless of case and spacing."""
    return " ".join(text.casefold().split())


def without(examples: Iterable[Example], held_out: frozenset[str]) -> list[Example]:
    """The examples without held-out texts (each ``plain``)."""
    return [
        item
        for item in examples
        if plain(item.first) not in held_out and plain(item.second) not in held_out
    ]


def at_most(items: Sequence[T], number: int, rng: random.Random) -> list[T]:
    """``number`` of the items at random, or all if there are fewer, in random order."""
    return rng.sample(list(items), min(number, len(items)))
