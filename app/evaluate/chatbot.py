"""The command that measures answers in prose, with and without memories [H9]."""

import argparse
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from anamnesis import SettingError
from anamnesis.corpus.loading import read
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.likelihood import Likelihood
from anamnesis.models.token_vectors import TokenVectors
from anamnesis.paths import index_at
from app.evaluate import common as evaluating
from app.evaluate.common import asking, configuration, file_digest, running, show
from app.progress import Bars
from app.run_options import context_of
from evaluation import report
from evaluation.chatbot import ChatbotResult, draw_questions, evaluate_chatbot
from evaluation.talking import asker, converse, measurer, ranker
from graph import Context
from graph.build import build_graph
from nodes.parts import Parts
from retrievers.build import build
from retrievers.opening import open_corpus


def chatbot(given: argparse.Namespace) -> int:
    """Ask the questions of records, and compare the answers with those of the records."""
    settings = context_of(given)
    given.bertscore_model = given.bertscore_model or DEFAULT_EMBEDDER
    numbers = _numbers(given.memories)
    file = Path(given.questions)
    records = list(read(given.format, [file]))
    questions = draw_questions(records, given.sample, max(numbers), given.seed)
    # Rows often have equal answers.
    encoder = lru_cache(8)(TokenVectors(given.bertscore_model))
    likely = lru_cache(8)(Likelihood(given.perplexity_model)) if given.perplexity_model else None
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="anamnesis-")))
        if given.corpus:
            corpus = list(read(given.format, [Path(given.corpus)]))
            build(corpus, folder / "index", load_embedder(), "evaluation", Bars())
            settings = {**settings, "index": str(folder / "index")}
            records += [item for item in corpus if item.id not in {each.id for each in records}]
        context = Context.model_validate({**settings, "memory.recalled_kinds": ["exchange"]})
        index = open_corpus(index_at(context.index))
        talk = build_graph(memories=Memories(folder / "memories", load_embedder()))
        setup = {
            **configuration(given),
            "questions": {**file_digest(file), "sample": given.sample, "used": len(questions)},
            "corpus": file_digest(Path(given.corpus)) if given.corpus else None,
            "asked": evaluating.sample_digest([item.record.id for item in questions]),
            **asking(context, index),
            "bertscore_model": given.bertscore_model,
            "perplexity_model": given.perplexity_model,
            "memories": numbers,
        }

        # Loading is not part of a question's time.
        keeping = Context.model_validate({"index": context.index})
        converse(talk, [questions[0].record.question], "nobody", keeping)
        Parts().chat(context)
        ask = asker(talk, context, keeping)
        rank, measure = ranker(index, context), measurer(encoder)
        with running(given, setup, "asking") as execution:
            result = evaluate_chatbot(
                questions, records, {_name(item): item for item in numbers},
                ask, rank, measure, likely,
                execution,
            )  # fmt: skip
    text = f"{file}: {_text(result, given, context)}"
    measured = {**result.to_json(), "configuration": setup}
    show(given, measured, text, result.rows, [index.manifest])
    return 0


def _text(result: ChatbotResult, given: argparse.Namespace, context: Context) -> str:
    medians = ", ".join(f"{name} {ms:.0f} ms" for name, ms in result.median_ms.items())
    return (
        f"{len(result.rows)} questions, answered by {context.generator.model}; BERTScore by "
        f"{given.bertscore_model}, perplexity by {given.perplexity_model or 'none'}\n\n"
        f"{report.rows_text(result.methods, result.comparisons)}\n\n"
        f"median time of an answer: {medians}"
    )


def _name(memories: int) -> str:
    return {0: "no memory", 1: "1 memory"}.get(memories, f"{memories} memories")


def _numbers(given: str) -> list[int]:
    try:
        found = list(dict.fromkeys(int(item) for item in given.split(",")))
    except ValueError:
        found = [-1]
    if not all(0 <= item <= 20 for item in found):
        raise SettingError(
            f"--memories takes numbers from 0 to 20, with commas between them: {given!r}"
        )
    return found
