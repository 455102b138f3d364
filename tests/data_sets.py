"""Messages and questions that were not written for the rules that tests measure with them."""

from functools import cache
from pathlib import Path
from typing import Any

from anamnesis.language.text import sentence_texts
from training.examples import json_lines

ROOT = Path(__file__).parents[1]


@cache
def messages() -> tuple[dict[str, Any], ...]:
    """1,435 messages to a health site with ``text``, ``level`` and ``kind``, by four writers.

    The triage is judged by them (benchmarks/README.md), and nothing was trained on them.
    """
    from json import loads

    files = [f"{name}_messages.jsonl" for name in ("everyday", "further", "short")]
    lines = [(ROOT / "benchmarks" / file).read_text("utf-8").splitlines() for file in files]
    return tuple(loads(line) for each in lines for line in each)


@cache
def sentences_of_messages() -> tuple[str, ...]:
    """The sentences of these messages."""
    return tuple(
        " ".join(sentence.split())
        for message in messages()
        for sentence in sentence_texts(message["text"])
    )


@cache
def questions_on_passages() -> tuple[str, ...]:
    """7,336 questions in the words of a search, a message or an expert: ``training/asked``."""
    return tuple(row["question"] for row in json_lines(ROOT / "training" / "asked.jsonl.gz"))
