"""The command that measures retrieval on judged queries."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from anamnesis import SettingError
from anamnesis.address import Address, parse_location
from anamnesis.corpus.loading import read
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.models.embedding import Embedder, load_embedder
from anamnesis.models.reranker import DEFAULT_RERANKER
from app.evaluate.common import (
    configuration,
    file_digest,
    made_by,
    model,
    running,
    sample_digest,
    show,
)
from app.progress import Bars
from app.run_options import settings_of
from evaluation import report, significance
from evaluation.behaviour import change
from evaluation.focus import focus_queries, spread
from evaluation.liveqa import Asked as LiveQAText
from evaluation.liveqa import liveqa_pool, liveqa_queries
from evaluation.methods import Ranker, check_methods, rankers
from evaluation.reading import Query, read_queries
from evaluation.retrieval import Counts, RetrievalResult, evaluate_retrieval
from nodes.settings.context import Context
from retrievers.corpus import Corpus
from retrievers.index import Index
from retrievers.methods import HYBRID, RERANKED
from retrievers.opening import embedder_of, manifest_at, open_corpus, writer_at

# The settings of retrieval that the methods use.
SETTINGS = (
    "methods",
    "candidates",
    "bm25",
    "fusion",
    "rrf_k",
    "weights",
    "reduce_query",
    "query_adapter",
    "rerank_depth",
    "rerank_by",
)


class RetrievalQueries(NamedTuple):
    """The documents, the queries, and the queries of each run [R7]."""

    records: Callable[[], Iterable[Record]]
    queries: Sequence[Query]
    runs: Sequence[Sequence[Query]] = ()


Methods = Callable[[Index], dict[str, Ranker]]
# Additions to a result and its text, from the queries, the methods on an index, the result, and the
# index's embedder.
Further = Callable[
    [RetrievalQueries, Methods, RetrievalResult, Embedder], tuple[dict[str, Any], str]
]


def retrieval(given: argparse.Namespace, further: Further | None = None) -> int:
    """Measure methods of retrieval on queries whose relevant documents are known.

    ``further`` adds to the result and the text [R8].
    """
    chosen = [] if given.rerank_depth is None else [f"retrieval.rerank_depth={given.rerank_depth}"]
    context = Context.model_validate(settings_of(chosen, {"preset": given.preset}))
    methods = check_methods([name.strip() for name in given.methods.split(",")])
    reranker = given.reranker or context.retrieval.reranker or DEFAULT_RERANKER
    reading = Report()
    queried = retrieval_queries(given, reading)

    def rankers_of(index: Corpus) -> dict[str, Ranker]:
        return rankers(index, methods, reranker, context)

    with indexed(queried.records, given) as index:
        setup = {
            **_setup(given, queried, index, methods),
            "reranker": model(reranker) if RERANKED in methods else None,
            "settings": {name: getattr(context.retrieval, name) for name in SETTINGS},
        }
        with running(given, setup, "asking") as execution:
            result = evaluate_retrieval(
                index,
                queried.queries,
                rankers_of(index),
                execution,
                gain=given.gain,
                own_left_out=given.protocol == "focus-own-left-out",
            )
    setup["corpus"] |= {"skipped": dict(reading.skipped)}
    setup["queries"] |= _counted(result.counts)
    measured = result.to_json()
    report_text = f"{given.corpus}: {reading}\n{given.queries or given.protocol}: "
    report_text += report.retrieval_text(result)
    if {HYBRID, RERANKED} <= set(methods):
        changed = change(result.rows, HYBRID, RERANKED, given.seed)
        measured["reranking"] = {name: item._asdict() for name, item in changed.items()}
    if queried.runs:
        measured["runs"] = spread(queried.runs, result.rows)
        runs = report.runs_rows(measured["runs"], "mean ± sd of the runs, %")
        report_text += f"\n\n{report.table(runs)}"
    if further is not None:
        more, text = further(queried, rankers_of, result, index.embedder)
        setup["sizes"] = given.sizes
        measured |= more
        report_text += f"\n\n{text}"
    show(given, {**measured, "configuration": setup}, report_text, result.rows, [index.manifest])
    return 0


def retrieval_queries(given: argparse.Namespace, reading: Report) -> RetrievalQueries:
    """The documents and queries of the chosen protocol.

    Raises SettingError if a file is missing or superfluous, CorpusError as the loaders do.
    """
    corpus = Path(given.corpus)
    if given.protocol.startswith("focus"):
        if given.queries:
            raise SettingError("the focus protocols draw their queries from the corpus; leave out "
                               "--queries")  # fmt: skip
        records = list(read(given.format or "medquad-jsonl", [corpus], report=reading))
        runs = focus_queries(
            records, runs=given.runs, sample=given.sample, min_records=given.min_records,
            held_out=given.held_out, seed=given.seed,
        )  # fmt: skip
        return RetrievalQueries(lambda: records, [query for run in runs for query in run], runs)
    if not given.queries:
        raise SettingError(f"the protocol {given.protocol} needs --queries FILE")
    queries = Path(given.queries)
    if given.protocol == "judged":
        found = read_queries(queries, given.split)
        return RetrievalQueries(
            lambda: read(given.format or "beir", [corpus], report=reading), found
        )

    if given.gain != "linear":
        raise SettingError(
            f"the grades of {given.protocol} are gains already; leave out --gain {given.gain}"
        )

    def pool() -> list[Record]:
        records = liveqa_pool(corpus)
        reading.read = len(records)
        return records

    asked: LiveQAText = "message" if given.protocol == "liveqa" else "summary"
    return RetrievalQueries(pool, liveqa_queries(queries, asked))


def _setup(
    given: argparse.Namespace, question: RetrievalQueries, index: Corpus, methods: Sequence[str]
) -> dict[str, Any]:
    """What the measurement was made with, for the result."""
    setup = {
        **configuration(given, significance.MEAN_RESAMPLES),
        "permutations": significance.PERMUTATIONS,
        "protocol": given.protocol,
        "corpus": {
            **file_digest(Path(given.corpus)),
            "documents": index.manifest.records,
            "passages": index.manifest.passages,
            "index": index.manifest.corpus,
        },
        "queries": {**file_digest(Path(given.queries or given.corpus)), "split": given.split},
        "methods": methods,
        "gain": given.gain,
        "embedder": made_by(index),
        "asked": sample_digest(question.queries),
    }
    if question.runs:
        setup["runs"] = {"number": len(question.runs), "queries": len(question.runs[0])}
        setup["runs"] |= {"held_out": given.held_out, "least_records": given.min_records}
    return setup


def _counted(counts: Counts) -> dict[str, int]:
    return {
        "used": counts.used,
        "excluded": counts.excluded,
        "relevant": counts.relevant,
        "relevant_not_in_corpus": counts.not_in_corpus,
    }


@contextmanager
def indexed(records: Callable[[], Iterable[Record]], given: argparse.Namespace) -> Iterator[Corpus]:
    """The corpus as an index, at the named place, otherwise in a temporary folder."""
    with TemporaryDirectory(prefix="anamnesis-") as temporary:
        where = parse_location(given.index or temporary)
        if (manifest := manifest_at(where)) is not None:
            others = sorted(set(manifest.collections) - {given.collection})
            if others:
                raise SettingError(
                    f"the index in {where} contains other documents ({', '.join(others)}), which "
                    "would be found among those of the corpus; name a folder of its own, or with "
                    "--collection the one that the corpus is to take the place of"
                )
        embedder = load_embedder(embedder_of(where, given.embedder))
        writer_at(where, lambda: embedder).put(records(), given.collection, Bars())
        if isinstance(where, Address):
            yield open_corpus(where, embedder)
            return
        index = Index.open(where, embedder)
        try:
            yield index
        finally:
            index.close()
