"""The command that measures how often the right option is chosen."""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anamnesis import SettingError
from anamnesis.paths import default_index
from app.evaluating import bar, configuration, described, drawn, kept, model, show
from evaluation import report, significance
from evaluation.answers import Answerer, evaluate_answers
from evaluation.reading import Question, read_questions
from graph import Context, graph
from nodes.state import Input
from retrievers.index import open_index

# What the questions of others have nothing to do with.
_ALONE = {"memory": False, "remember": False}


def answers(given: argparse.Namespace, settings: dict[str, Any]) -> int:
    """Ask multiple choice questions without facts and with them, and compare the answers."""
    file = Path(given.questions)
    read, excluded = read_questions(file, given.dataset)
    questions = _sampled(read, given.sample, given.seed)
    contexts = rows(settings, given.facts_k, given.fact_search)
    first = next(iter(contexts.values()))
    index = open_index(Path(first.index) if first.index else default_index())
    if index.facts is None:
        raise SettingError(
            f"the index in {index.folder} has no facts to compare with; put some into it: "
            f"`anamnesis index facts PATH --index {index.folder}`"
        )
    told = {
        **configuration(given, significance.MEAN_RESAMPLES),
        "questions": {**described(file), "dataset": given.dataset, "used": len(questions)}
        | {"sample": given.sample, "excluded": excluded},
        "asked": drawn(questions),
        "critic": model(first.critic) if first.critic else None,
        "reranker": model(first.reranker) if first.reranker else None,
        "embedder": index.manifest.embedder.reference,
        "facts": index.manifest.facts,
        "index": index.manifest.corpus,
        "settings": {name: context.model_dump() for name, context in contexts.items()},
    }
    with kept(given, told) as rows_before, bar("asking") as progress:
        result = evaluate_answers(
            questions,
            {name: _answerer(context) for name, context in contexts.items()},
            seed=given.seed,
            progress=progress,
            kept=rows_before,
        )
    text = f"{file}: {report.answers_text(result)}"
    if excluded:
        text += f"\n\n{excluded} questions of the file cannot be asked: their options are alike"
    show(given, {**result.to_json(), "configuration": told}, text, result.asked)
    return 0


def rows(
    settings: dict[str, Any], facts_k: str | None, fact_search: str | None
) -> dict[str, Context]:
    """The settings of each row: without facts, and with them in every way that is named.

    Raises SettingError for a number that is none or a way that is unknown.
    """
    plain = Context.model_validate({**settings, **_ALONE})
    passages = tuple(name for name in plain.methods if name != "facts")
    if not passages:
        raise SettingError("the row without facts needs a list of passages; add one to methods")
    numbers = facts_k.split(",") if facts_k else [str(plain.facts_k)]
    ways = fact_search.split(",") if fact_search else [plain.fact_search]
    found = {"no facts": plain.model_copy(update={"methods": passages})}
    for way in ways:
        for number in numbers:
            own = {"methods": (*passages, "facts"), "facts_k": number.strip()}
            try:
                context = Context.model_validate(
                    {**settings, **_ALONE, **own, "fact_search": way.strip()}
                )
            except ValueError:
                raise SettingError(
                    f"{number!r} facts by {way!r}: --facts-k takes numbers from 1 to 100, "
                    "--fact-search broad, refined and names, each with commas between them"
                ) from None
            name = f"{context.facts_k} facts"
            found[name if len(ways) == 1 else f"{name}, {context.fact_search}"] = context
    return found


def _sampled(questions: Sequence[Question], size: int | None, seed: int) -> Sequence[Question]:
    if size is None or size >= len(questions):
        return questions
    if size < 1:
        raise SettingError(f"--sample takes a number from 1 up, not {size}")
    return random.Random(seed).sample(questions, size)


def _answerer(context: Context) -> Answerer:
    def answer(question: Question) -> str | None:
        asked: Input = {"question": question.text, "options": dict(question.options)}
        choice: str | None = graph.invoke(asked, context=context)["answer"]["choice"]
        return choice

    return answer
