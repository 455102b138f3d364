"""The command that measures what remembered corrections change [M10, M11]."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import load_embedder
from anamnesis.models.sentence_vectors import vectors_of
from anamnesis.paths import index_at
from app.evaluate.common import asking, configuration, file_digest, running, sample_digest, show
from app.run_options import context_of
from evaluation import report, significance
from evaluation.corrections import (
    RELATED,
    Case,
    CorrectionsResult,
    Reply,
    Row,
    evaluate_corrections,
    pairs,
    read_cases,
)
from evaluation.talking import answered, statements_text
from evaluation.wording import ALPHA, SIMILAR
from graph import Context
from graph.build import build_graph
from nodes.state import Input
from retrievers.opening import open_corpus

_EXPERT = "expert"


def corrections(given: argparse.Namespace) -> int:
    """Ask exam questions, store corrections of the answers as memories, and ask again."""
    settings = context_of(given)
    file = Path(given.questions)
    context = Context.model_validate({**settings, "memory.consent": False})
    embedder = load_embedder()
    cases = read_cases(file)
    questions = pairs(cases, embedder.embed_queries([item.text for item in cases]), given.sample,
                  given.seed)  # fmt: skip
    index = open_corpus(index_at(context.index))
    setup = {
        **configuration(given, significance.MEAN_RESAMPLES),
        "questions": {**file_digest(file), "explained": len(cases), "used": len(questions)},
        "related": RELATED,
        "similar": SIMILAR,
        "alpha": ALPHA,
        "asked": sample_digest(questions),
        **asking(context, index),
    }
    with TemporaryDirectory(prefix="anamnesis-") as temporary:
        private, shared = (
            Memories(Path(temporary) / name, embedder) for name in ("private", "shared")
        )
        talks = {store: build_graph(memories=store) for store in (private, shared)}

        def ask(case: Case, row: Row) -> Reply:
            settings = {"user": row, "memory.recall": row != "baseline"}
            question: Input = {"question": case.text, "options": dict(case.options)}
            answer, recalled = answered(
                talks[shared if row == "expert's note" else private],
                question,
                context.changed(settings),
            )
            injected = [memory["text"] for memory in answer["memories"]]
            return Reply(answer["choice"], statements_text(answer), len(recalled), injected)

        with running(given, setup, "asking") as execution:
            result = evaluate_corrections(
                questions, ask, partial(_keep, private, shared),
                vectors_of(embedder), embedder.count_tokens,
                execution,
            )  # fmt: skip
    text = f"{file}: {_text(result, context)}"
    measured = {**result.to_json(), "configuration": setup}
    show(given, measured, text, result.rows, [index.manifest])
    return 0


def _text(result: CorrectionsResult, context: Context) -> str:
    turns = "at first {}, after the correction {}, at neither {}".format(*result.turns)
    return (
        f"{len(result.rows)} questions, answered by {context.generator.model}; corrected were "
        f"{result.corrected[0]} of them and {result.corrected[1]} related ones; right {turns}\n\n"
        f"{report.rows_text(result.methods, result.comparisons)}"
    )


def _keep(
    private: Memories, shared: Memories, wrong: Sequence[Case], related: Sequence[Case]
) -> None:
    """Store the corrections of the wrong answers, for each row's user."""
    private.add("same question", [_memory("same question", item) for item in wrong])
    private.add("related question", [_memory("related question", item) for item in related])
    shared.add(_EXPERT, [_memory(_EXPERT, item).changed(scope="expert") for item in wrong])


def _memory(owner: str, case: Case) -> Memory:
    return Memory.make(owner=owner, kind="response", text=case.correction)
