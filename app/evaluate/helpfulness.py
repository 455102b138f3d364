"""The command that measures whether answers help the person who asked."""

import argparse
from collections import Counter
from pathlib import Path

from anamnesis.corpus.loading import read
from anamnesis.corpus.report import Report
from app.evaluate.common import (
    ALONE,
    asking,
    configuration,
    file_digest,
    running,
    sample_digest,
    show,
)
from app.evaluate.retrieval import indexed
from app.run_options import context_of
from evaluation import report, significance
from evaluation.helpfulness import evaluate_helpfulness
from evaluation.reading import read_queries
from graph import Context, build_graph
from nodes.state import Answer, Input


def helpfulness(given: argparse.Namespace) -> int:
    """Ask each query through the graph, and grade the first source that its answer cites."""
    corpus, file = Path(given.corpus), Path(given.queries)
    queries = read_queries(file, given.split, graded=True)
    context = Context.model_validate({**context_of(given), **ALONE})
    reading = Report()
    with indexed(lambda: read(given.format or "beir", [corpus], report=reading), given) as index:
        talk = build_graph(index=index)
        setup = {
            **configuration(given, significance.MEAN_RESAMPLES),
            "corpus": {**file_digest(corpus), "documents": index.manifest.records},
            "queries": {**file_digest(file), "split": given.split, "used": len(queries)},
            "asked": sample_digest(queries),
            **asking(context, index),
        }

        def ask(question: str) -> Answer:
            query: Input = {"question": question}
            answer: Answer = talk.invoke(query, context=context)["answer"]
            return answer

        with running(given, setup, "asking") as execution:
            result = evaluate_helpfulness(queries, ask, execution)
    reasons = Counter(f"{row['outcome']}: {row['reason']}" for row in result.rows)
    setup["corpus"] |= {"skipped": dict(reading.skipped)}
    text = f"{corpus}: {reading}\n{file}: {len(queries)} queries\n\n"
    text += report.metrics_text(result.metrics)
    measured = {**result.to_json(), "outcomes": dict(reasons.most_common()), "configuration": setup}
    text += "".join(f"\n\n{report.table(item)}" for item in report.counts(measured).values())
    show(given, measured, text, result.rows, [index.manifest])
    return 0
