"""Questions with a brand name over the starter corpus: the effect of reading it as the medicine.

    python -m benchmarks.brand_names --questions FILE [--others 100] [--seed 0] [--changed]

FILE is ``asked_starter.jsonl.gz``, or has rows of the same form: ``question``, ``style``, and the
``record`` of the starter corpus that the question was written for. The graph is asked the questions
that contain another name of a medicine, and ``--others`` questions that do not: with an index
without the records' aliases, with one that has them while ``question.names`` is off, and with both.
An answer is right if its first source is the record, otherwise wrong (although another record may
answer as well); of near misses, which the record does not answer, the answered ones are counted.
``--changed`` prints the questions whose judgement differs.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from anamnesis.corpus.passage import ALIASES, Passage
from anamnesis.corpus.record import Record
from anamnesis.corpus.starter import read_starter
from anamnesis.models.embedding import load_embedder
from benchmarks.command_line import command_line
from evaluation.reading import labelled, text_of
from graph import Context, build_graph
from nodes.state import Answer, Input
from retrievers.aliases import rename
from retrievers.build import build
from retrievers.index import Index

NEAR_MISS = "nearmiss"


class BrandQuestion(NamedTuple):
    """A question, the record that it was written for, and whether that record answers it."""

    question: str
    record: str
    answerable: bool


def read_questions(file: Path) -> list[BrandQuestion]:
    """The rows of a file; see the module docstring."""
    return [item for _, item in labelled(file, None, _brand_question)]


def _brand_question(values: Mapping[str, Any]) -> BrandQuestion:
    answerable = text_of(values, "style") != NEAR_MISS
    return BrandQuestion(text_of(values, "question"), text_of(values, "record"), answerable)


def with_names(
    questions: Iterable[BrandQuestion], records: Iterable[Record]
) -> list[BrandQuestion]:
    """The questions that contain an alias of any record."""
    pages = [
        Passage(
            item.id, item.id, 0, len(item.text), item.text, focus=item.focus, metadata=item.metadata
        )
        for item in records
    ]
    return [item for item in questions if rename(item.question, pages)[1]]


def without_aliases(record: Record) -> Record:
    """The record without the other names of its focus."""
    kept = {name: item for name, item in record.metadata.items() if name != ALIASES}
    return replace(record, metadata=kept)


def outcome_of(question: BrandQuestion, answer: Answer) -> str:
    """``right``, ``wrong``, ``silent``, or ``urgent``; for a near miss ``answered`` or not."""
    stated = bool(answer["statements"])
    if answer["outcome"] == "urgent":
        return "urgent"
    if not question.answerable:
        return "answered" if stated else "silent on a near miss"
    if not stated:
        return "silent"
    return "right" if answer["sources"][0]["id"] == question.record else "wrong"


def _ask(questions: Sequence[BrandQuestion], index: Index, names: bool) -> list[str]:
    context = Context.model_validate({"question.names": names, "memory.recall": False})
    talk = build_graph(index=index)
    found = []
    for item in questions:
        said: Input = {"question": item.question}
        found.append(outcome_of(item, talk.invoke(said, context=context)["answer"]))
    return found


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--others", type=int, default=100, help="questions without such a name")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--changed", action="store_true", help="print what changed")
    chosen = parser.parse_args()
    questions, records = read_questions(chosen.questions), list(read_starter())
    named = with_names(questions, records)
    rest = sorted({*questions} - {*named})
    others = random.Random(chosen.seed).sample(rest, min(chosen.others, len(rest)))
    embedder = load_embedder()
    with tempfile.TemporaryDirectory() as folder:
        plain, whole = Path(folder) / "plain", Path(folder) / "whole"
        build(map(without_aliases, records), plain, embedder, "starter")
        build(records, whole, embedder, "starter")
        ways = {
            "without aliases": (Index.open(plain, embedder), False),
            "aliases indexed": (Index.open(whole, embedder), False),
            "names read": (Index.open(whole, embedder), True),
        }
        for group, asked in (("with a name", named), ("others", others)):
            found = {way: _ask(asked, *how) for way, how in ways.items()}
            print(f"{group}: {len(asked)} questions")
            for way, judgements in found.items():
                counts = sorted(Counter(judgements).items())
                print(f"  {way}: " + ", ".join(f"{name} {count}" for name, count in counts))
            for item, *all_ways in zip(asked, *found.values(), strict=True):
                if chosen.changed and len({*all_ways}) > 1:
                    print(f"    {' / '.join(all_ways)}: {item.record}: {item.question}")


if __name__ == "__main__":
    main()
