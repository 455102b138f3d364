"""What the questions in other words (``asked_as``) of the starter corpus bring.

    python -m benchmarks.asked_as [--data DIR]

The starter corpus is indexed without these questions (``retrievers.asked_as``), with the first one
or two of each record, and with all. Two sets of questions are searched for and asked in each index:

- ``asked_as_questions.tsv``: one question for each of 210 records, by two writers who had seen
  neither the questions of the records nor other writers';
- ``asked_starter.jsonl.gz`` of the data sets: the questions on topics that no model was trained on.

Printed are the shares of questions for whose fused list the record is among the first 1, 6 and 12,
that are answered with the record cited first, and that are answered with anything.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from anamnesis.corpus.passage import ASKED_AS
from anamnesis.corpus.record import Record
from anamnesis.corpus.starter import read_starter
from anamnesis.models.embedding import load_embedder
from benchmarks.command_line import command_line
from benchmarks.misses import ask, is_right, starter_questions
from benchmarks.typed_answers import rows
from evaluation.helpfulness import MIN_HELPFUL_GRADE
from evaluation.methods import hybrid
from evaluation.reading import Query
from evaluation.significance import mean_intervals
from graph import Context, build_graph
from retrievers.build import build
from retrievers.opening import open_corpus

PLACES = (1, 6, 12)
NUMBERS = (0, 1, 2, 4)


def written() -> list[Query]:
    """The questions of ``asked_as_questions.tsv``, with the record that answers each."""
    return [
        Query(row["record"], row["question"], {row["record"]: MIN_HELPFUL_GRADE})
        for row in rows("asked_as_questions.tsv")
    ]


def with_asked_as(number: int, record: Record) -> Record:
    """The record with the first ``number`` of its questions in other words."""
    asked = record.metadata.get(ASKED_AS, ())
    assert isinstance(asked, tuple), record.id
    return replace(record, metadata={**record.metadata, ASKED_AS: asked[:number]})


def figures(index: Path, queries: Sequence[Query]) -> Iterator[str]:
    """The shares, with intervals, for an index."""
    graph, corpus = build_graph(), open_corpus(index)
    context = Context.model_validate({"index": str(index)})
    places, right, answered = [], [], []
    for query in queries:
        found = dict.fromkeys(hit["record_id"] for hit in hybrid(corpus, query.text, context))
        order = [*found, *query.relevant]
        places.append(min(order.index(name) for name in query.relevant) + 1)
        state = ask(graph, query.text, context)
        right.append(is_right(state, query.relevant))
        answered.append(bool(state["answer"]["statements"]))
    shares = {f"in the first {most}": np.array(places) <= most for most in PLACES}
    shares |= {"answered from it": np.array(right), "answered": np.array(answered)}
    means = mean_intervals({name: item.astype(float) for name, item in shares.items()})
    for name, mean in means.items():
        yield f"  {name}: {mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}]"


def main() -> None:
    """Print the figures of both sets for each number of questions in other words."""
    data = command_line(__doc__, "data").parse_args().data
    sets = {"written": written(), "asked_starter, held out": starter_questions(data)}
    with TemporaryDirectory() as folder:
        records, embedder = list(read_starter()), load_embedder()
        for number in NUMBERS:
            index = Path(folder, str(number))
            build(map(partial(with_asked_as, number), records), index, embedder, "starter")
            for name, queries in sets.items():
                print(f"{name}, {len(queries)} questions, {number} asked_as", flush=True)
                for line in figures(index, queries):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
