"""What a further round could find for questions that the first round does not answer.

    python -m benchmarks.further_rounds --index DIR --queries FILE [--number N]

FILE has queries with ``relevant`` grades, as for ``benchmarks.coverage``. For each, passages are
retrieved and read as in the graph by default. If no passage is relevant enough, several ways of
searching again are tried: the next ten and the next thirty of the fused list, only the words of the
topic, the question as written, the heading of the nearest passage, and each list separately.
Passages read in the first round are left out. Printed, for each way: how many of the unanswered
questions it answers from a passage with a grade of 2 or more, of 1, and of 0 or none; and for how
many it reads a passage that helps, even if it is not relevant enough. Unjudged passages count as 0.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from anamnesis.language.words import topic_terms
from anamnesis.models.reranker import load_reranker
from benchmarks.command_line import command_line
from benchmarks.coverage import Candidate, read_hits
from evaluation.helpfulness import MIN_HELPFUL_GRADE
from evaluation.methods import hybrid
from evaluation.reading import Query, read_queries
from nodes.evidence.relevance import OWN, combined_log_odds, relevance
from nodes.settings.context import Context
from nodes.settings.derived import least_relevance
from retrievers.index import Index, open_index
from retrievers.search import Hit


def search_variants(
    index: Index, query: str, first: Sequence[Candidate], context: Context
) -> Iterator[tuple[str, list[Hit]]]:
    """Each way of searching again: its name, and the hits to read."""
    most = context.retrieval.rerank_depth
    whole = hybrid(index, query, context)
    yield "next ten", whole[most : 2 * most]
    yield "next thirty", whole[most : 4 * most]
    if words := " ".join(topic_terms(query)):
        yield "topic alone", hybrid(index, words, context)[:most]
    written = context.changed({"retrieval.reduce_query": False})
    yield "as written", hybrid(index, query, written)[:most]
    if first:
        nearest = max(first, key=_order)
        yield "nearest heading", hybrid(index, nearest.passage.heading or query, context)[:most]
    for name in ("dense", "sparse"):
        alone = context.changed({"retrieval.methods": (name,)})
        yield f"{name} alone", hybrid(index, query, alone)[:most]


def _order(candidate: Candidate) -> float:
    return combined_log_odds(candidate.reading, candidate.fused, OWN)


def answer_of(found: Sequence[Candidate], least: float) -> Candidate | None:
    """The passage that would be quoted first; None if none is relevant enough."""
    best = max(found, key=_order, default=None)
    enough = best is not None and relevance(best.reading, best.fused, OWN) >= least
    return best if enough else None


def grade(query: Query, candidate: Candidate) -> float:
    """How well the record of a passage answers; 0 if it was not judged."""
    return query.relevant.get(candidate.passage.record_id, 0)


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--index", type=Path, required=True, help="folder of the index")
    parser.add_argument("--queries", type=Path, required=True, help="queries with grades")
    parser.add_argument("--number", type=int, help="so many queries at most")
    chosen = parser.parse_args()
    context, index, reader = Context.model_validate({}), open_index(chosen.index), load_reranker()
    least = least_relevance({}, context)
    queries = list(read_queries(chosen.queries, graded=True))[: chosen.number]
    silent, answered = 0, Counter[str]()
    found: dict[str, Counter[str]] = {}
    for place, query in enumerate(queries, 1):
        first = read_hits(index, reader, query.text, hybrid(index, query.text, context)[:10])
        quoted = answer_of(first, least)
        if place % 20 == 0:
            print(f"{place}/{len(queries)}", file=sys.stderr)
        if quoted:
            answered[_worth(grade(query, quoted))] += 1
            continue
        silent += 1
        seen = {item.passage.id for item in first}
        if any(grade(query, item) >= MIN_HELPFUL_GRADE for item in first):
            found.setdefault("(first round)", Counter())["read"] += 1
        for name, hits in search_variants(index, query.text, first, context):
            unseen = [item for item in hits if item["id"] not in seen]
            new = read_hits(index, reader, query.text, unseen)
            counts = found.setdefault(name, Counter())
            counts["read"] += any(grade(query, item) >= MIN_HELPFUL_GRADE for item in new)
            if later := answer_of(new, least):
                counts[_worth(grade(query, later))] += 1
    print(f"{len(queries)} questions: {dict(answered)} in the first round, {silent} silent")
    print(f"{'':18} {'reads one that helps':>20} {'right':>6} {'partly':>6} {'wrong':>6}")
    for name, counts in found.items():
        row = [counts[key] for key in ("read", "right", "partly", "wrong")]
        print(f"{name:18} {row[0]:>20} {row[1]:>6} {row[2]:>6} {row[3]:>6}")


def _worth(grade: float) -> str:
    return "right" if grade >= MIN_HELPFUL_GRADE else "wrong" if grade <= 0 else "partly"


if __name__ == "__main__":
    main()
