"""The shares of right and wrong answers for every minimum relevance of a passage.

    python -m benchmarks.coverage --index DIR --queries FILE [--unanswerable] [--cases]
        [--weights R,F,S,A]

FILE has queries with ``relevant`` grades, as for ``anamnesis evaluate helpfulness``; a query
without any should not be answered. ``--unanswerable`` adds fifty questions that no medical index
answers. For each query, passages are retrieved and read as in the graph by default. The first
quoted passage is right with a grade of 2 or more, wrong with none or 0. Printed for each minimum
relevance: the shares answered, right and wrong. ``min_relevance`` and the weights of the relevance
(``nodes.evidence.relevance.OWN``) are chosen with this table, on topics that the reader was not
trained on. ``--cases`` also prints each query without a record that answers whose first passage
reaches the default minimum, with the page.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anamnesis.address import Location
from anamnesis.corpus.passage import Passage
from anamnesis.models.encoder import Vectors
from anamnesis.models.reading import Reading
from anamnesis.models.reranker import Reranker, load_reranker
from anamnesis.models.sentence_vectors import vectors_of
from benchmarks.command_line import command_line
from evaluation.helpfulness import MIN_HELPFUL_GRADE
from evaluation.methods import hybrid
from evaluation.questions import UNANSWERABLE
from evaluation.reading import Query, read_queries
from nodes.evidence.relevance import OWN, Weights, combined_log_odds, relevance
from nodes.fields.passages import Selected
from nodes.question.siblings import with_siblings
from nodes.settings.context import Context
from nodes.settings.derived import QUOTED_RELEVANCE
from retrievers.asked_as import headings
from retrievers.corpus import Corpus
from retrievers.opening import open_corpus
from retrievers.search import Hit

SELECTED = 3
"""The number of passages that the generator gets by default."""
_LEAST = (0.05, 0.1, 0.2, 0.31, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Candidate(NamedTuple):
    """A passage that was read, its fused score, and the reader's output."""

    passage: Passage
    fused: float
    reading: Reading

    def selected(self, weights: Weights) -> Selected:
        """The passage in the form used by the graph."""
        return {
            "id": self.passage.id, "record_id": self.passage.record_id, "score": self.fused,
            "ranks": {}, "scores": {}, "sentences": [], "polar": {},
            "relevance": relevance(self.reading, self.fused, weights),
        }  # fmt: skip


def candidates(index: Location, queries: Sequence[Query], reranker: str) -> list[list[Candidate]]:
    """For each query, the passages that the graph would read."""
    context, opened = Context.model_validate({}), open_corpus(index)
    reader = load_reranker(reranker)
    found = []
    for place, query in enumerate(queries, 1):
        hits = hybrid(opened, query.text, context)[: context.retrieval.rerank_depth]
        found.append(read_hits(opened, reader, query.text, hits))
        if place % 50 == 0:
            print(f"{place}/{len(queries)}", file=sys.stderr)
    return found


def read_hits(index: Corpus, reader: Reranker, query: str, hits: Sequence[Hit]) -> list[Candidate]:
    """The passages of the hits, read for the question."""
    passages = index.passages([hit["id"] for hit in hits])
    texts = [item.text for item in passages]
    readings = reader.read(query, list(zip(headings(query, passages), texts, strict=True)))
    return [
        Candidate(passage, hit["score"], item)
        for passage, hit, item in zip(passages, hits, readings, strict=True)
    ]


def table(
    queries: Sequence[Query],
    read: Sequence[Sequence[Candidate]],
    weights: Weights,
    vectors: Callable[[Sequence[str]], Vectors],
) -> Iterator[str]:
    """For each minimum relevance the shares answered, right and wrong.

    ``vectors`` returns unit vectors of headings.
    """
    answerable = sum(
        max(item.relevant.values(), default=0) >= MIN_HELPFUL_GRADE for item in queries
    )
    number = len(queries)
    yield f"{number} queries, {answerable} of them with a record that answers"
    firsts = [_first(found, weights) for found in read]
    grades = np.array(
        [
            item.relevant.get(top[0].passage.record_id, 0)
            for item, top in zip(queries, firsts, strict=True)
        ]
    )
    for least in _LEAST:
        chances = np.array([_chance(top, weights, least, vectors) for top in firsts])
        shown = chances >= least
        right, wrong = (shown & (grades >= MIN_HELPFUL_GRADE)).sum(), (shown & (grades <= 0)).sum()
        yield (
            f"  least {least:.2f}: answered {shown.mean():.3f}, right {right / number:.3f} "
            f"({right / max(1, answerable):.3f} of the answerable), wrong {wrong / number:.3f}"
        )


def answered_wrongly(
    queries: Sequence[Query],
    read: Sequence[Sequence[Candidate]],
    weights: Weights,
    vectors: Callable[[Sequence[str]], Vectors],
) -> Iterator[str]:
    """The queries without an answering record whose first passage reaches the default minimum.

    Each with its relevance and the page, by relevance, highest first.
    """
    found = []
    for query, items in zip(queries, read, strict=True):
        if max(query.relevant.values(), default=0) >= MIN_HELPFUL_GRADE:
            continue
        chance = _chance(_first(items, weights), weights, QUOTED_RELEVANCE, vectors)
        if chance >= QUOTED_RELEVANCE:
            found.append((chance, query.text, _first(items, weights)[0].passage))
    for chance, text, page in sorted(found, key=lambda item: -item[0]):
        yield f"    {chance:.2f} {' '.join(text.split())} | {page.record_id}: {page.heading}"


def _first(found: Sequence[Candidate], weights: Weights) -> list[Candidate]:
    """The passages that the generator gets, best first."""
    return sorted(found, key=lambda item: -combined_log_odds(item.reading, item.fused, weights))[
        :SELECTED
    ]


def _chance(
    first: Sequence[Candidate],
    weights: Weights,
    least: float,
    vectors: Callable[[Sequence[str]], Vectors],
) -> float:
    """The relevance of the first passage, combined with its siblings if the graph combines them."""
    pages = {item.passage.id: item.passage for item in first}
    found = with_siblings([item.selected(weights) for item in first], pages, least, vectors)
    return found[0]["relevance"]


def main() -> None:
    parser = command_line(__doc__, "index")
    parser.add_argument("--queries", type=Path, help="queries with grades, one JSON object a line")
    parser.add_argument(
        "--unanswerable", action="store_true", help="add fifty questions that no index answers"
    )
    parser.add_argument("--cases", action="store_true", help="print what is answered wrongly")
    parser.add_argument(
        "--weights",
        default=",".join(map(str, OWN)),
        help="of reader and lists, shift, least of the reader alone "
        "(nodes.evidence.relevance.Weights)",
    )
    parser.add_argument("--reranker", default="own")
    chosen = parser.parse_args()
    queries = list(read_queries(chosen.queries, graded=True)) if chosen.queries else []
    if chosen.unanswerable:
        queries += [Query(f"none-{n}", text, {}) for n, text in enumerate(UNANSWERABLE)]
    read = candidates(chosen.index, queries, chosen.reranker)
    vectors = vectors_of(open_corpus(chosen.index).embedder)
    weights = Weights(*map(float, chosen.weights.split(",")))
    for line in table(queries, read, weights, vectors):
        print(line)
    for line in answered_wrongly(queries, read, weights, vectors) if chosen.cases else ():
        print(line)


if __name__ == "__main__":
    main()
