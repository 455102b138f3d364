"""The commands that measure the reader of passages and the triage of messages."""

import argparse
from pathlib import Path

from anamnesis.models.reranker import DEFAULT_RERANKER, load_reranker, load_triage
from app.evaluate.common import configuration, file_digest, model, running, sample_digest, show
from evaluation import report, significance
from evaluation.question_passages import read_question_passages
from evaluation.reader import evaluate_reader
from evaluation.urgency import evaluate_urgency, read_messages
from nodes.evidence.sentences import QUOTED
from nodes.question.triage import triage
from nodes.settings.context import Context
from nodes.state import Urgency


def reading(given: argparse.Namespace) -> int:
    """Measure a reader on questions whose answering sentences are known."""
    file, passages = Path(given.questions), given.passages and Path(given.passages)
    questions = read_question_passages(file, passages, given.held_out)
    context = Context.model_validate({})
    reference = given.reranker or context.retrieval.reranker or DEFAULT_RERANKER
    reader = load_reranker(reference)
    setup = {
        **configuration(given),
        "questions": {**file_digest(file), "held_out": given.held_out, "used": len(questions)},
        "passages": file_digest(passages) if passages else None,
        "asked": sample_digest(
            [[item.question, item.heading, *item.sentences] for item in questions]
        ),
        "reranker": {**model(reference), "name": reader.name, "method": reader.method},
        "quoted_from": QUOTED,
    }
    with running(given, setup, "reading") as execution:
        result = evaluate_reader(reader, questions, execution)
    counts = dict(result.counts)
    setup["questions"] |= counts
    heading = (
        f"{file}: {counts['answerable']} answerable questions and {counts['near_misses']} near "
        f"misses on {counts['passages']} passages, read by {reader.name}"
    )
    text = f"{heading}\n\n{report.metrics_text(result.metrics)}"
    show(given, {**result.to_json(), "configuration": setup}, text, result.rows)
    return 0


def urgency(given: argparse.Namespace) -> int:
    """Measure the triage on messages whose level is known."""
    file, context = Path(given.messages), Context.model_validate({})
    messages = read_messages(file, given.dev)
    name = given.triage or context.triage.classifier
    read = load_triage(name)
    setup = {
        **configuration(given, significance.MEAN_RESAMPLES),
        "messages": {**file_digest(file), "dev": given.dev, "used": len(messages)},
        "triage": name,
        "reader": model(DEFAULT_RERANKER) if read else None,
    }

    def taken(text: str) -> Urgency:
        return triage(text, read)

    with running(given, setup, "reading") as execution:
        result = evaluate_urgency(messages, taken, execution)
    measured = {**result.to_json(), "configuration": setup}
    parts = [
        f"{file}: {len(messages)} messages, triage by {name}",
        report.metrics_text(result.metrics),
        *map(report.table, report.counts(measured).values()),
    ]
    show(given, measured, "\n\n".join(parts), result.rows)
    return 0
