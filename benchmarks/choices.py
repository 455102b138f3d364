"""Yes/no questions, answered by what the critic finds in the evidence.

    python -m benchmarks.choices SET --data ../shared/data --index DIR [--number N]

``pubmedqa``: questions that are titles of abstracts, answered yes, no or maybe by experts; the
documents are the abstracts without their conclusions. ``bioasq``: MIRAGE's yes/no questions; the
documents are the pool of PubMed snippets. DIR keeps the index of the set and is used again.

Printed for one, two and three rounds: the share of questions answered, of these the share answered
right, and of all questions the share answered right, with bootstrap intervals, beside the majority
class.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from corpus.record import Record
from evaluation.significance import Estimate, intervals
from graph import Context, graph
from models.embedding import load_embedder
from nodes.state import Input
from retrievers.build import build
from training.examples import records as rows


class Asked(NamedTuple):
    """A question with its right answer and the answers that it allows."""

    question: str
    right: str
    options: tuple[str, ...]


def pubmedqa(data: Path) -> tuple[list[Record], list[Asked]]:
    records, asked = [], []
    for own in rows(data, "pubmedqa_pqal"):
        text = "\n\n".join(own["contexts"])
        records.append(Record(own["id"], own["question"], text, source="PubMed"))
        asked.append(Asked(own["question"], own["final_decision"], ("yes", "no", "maybe")))
    return records, asked


def bioasq(data: Path) -> tuple[list[Record], list[Asked]]:
    records = [
        Record(own["id"], f"PubMed {own['pmid']}", own["text"], source="PubMed")
        for own in rows(data, "bioasq_passages")
        if own["text"].strip()
    ]
    asked = [
        Asked(own["question"], own["options"][own["answer"]].lower(), ("yes", "no"))
        for own in rows(data, "mirage")
        if own["dataset"] == "bioasq"
    ]
    return records, asked


SETS = {"pubmedqa": pubmedqa, "bioasq": bioasq}


def told(found: list[str | None], right: list[str]) -> str:
    """Coverage, accuracy where answered, and accuracy over all questions, as one line."""
    answered = np.array([own is not None for own in found])
    correct = np.array([own == other for own, other in zip(found, right, strict=True)])
    shares = intervals(
        lambda picked: {
            "answered": float(answered[picked].mean()),
            "right of answered": float(correct[picked].sum() / answered[picked].sum())
            if answered[picked].any()
            else float("nan"),
            "right of all": float(correct[picked].mean()),
        },
        len(right),
    )
    return "  ".join(f"{name} {interval(own)}" for name, own in shares.items())


def interval(own: Estimate) -> str:
    """A share with its interval, for a reader."""
    return f"{own.mean:.3f} [{own.low:.3f}, {own.high:.3f}]"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("set", choices=SETS)
    options.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    options.add_argument("--index", type=Path, required=True, help="folder for the set's index")
    options.add_argument("--number", type=int, help="ask only the first questions")
    chosen = options.parse_args()
    records, asked = SETS[chosen.set](chosen.data)
    build(records, chosen.index, load_embedder(), chosen.set)
    asked = asked[: chosen.number]
    right = [own.right for own in asked]
    answer, number = Counter(right).most_common(1)[0]
    print(f"{len(asked)} questions; majority class {answer}: {number / len(right):.3f}")
    for rounds in (1, 2, 3):
        context = Context.model_validate(
            {"index": str(chosen.index), "memory": False, "max_rounds": rounds}
        )
        found: list[str | None] = []
        for place, own in enumerate(asked, 1):
            given: Input = {"question": own.question, "options": list(own.options)}
            found.append(graph.invoke(given, context=context)["answer"]["choice"])
            print(f"\r{rounds}: {place}/{len(asked)}", end="", file=sys.stderr)
        print(f"at most {rounds} rounds: {told(found, right)}", flush=True)


if __name__ == "__main__":
    main()
