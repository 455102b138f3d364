"""MKRAG: exam questions with and without facts, and facts that the model knows [K1–K6]."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.outputs import LLMResult

from anamnesis.corpus.record import Record
from anamnesis.corpus.triplets import read_facts
from anamnesis.language.text import without_thoughts
from anamnesis.models.chat import ask, count_tokens, load_chat
from evaluation.answers import Answerer, evaluate_answers
from evaluation.knowledge import contains, evaluate_knowledge, triplets
from evaluation.reading import Question, read_questions
from evaluation.reproduce.asking import cells, drawn, emergencies
from evaluation.reproduce.running import Measured, Run
from evaluation.results import Rows
from evaluation.significance import Estimate, mean_intervals
from graph import Context, build_graph
from graph.build import Graph
from nodes.question.options import find_choice
from nodes.state import Input
from prompts import fill, load

NUMBERS = (4, 8, 16)
MATCHED = "accuracy, by the words of the reply"
_LARGE = 1 << 20  # tokens of a prompt
_AGAIN = "This names no option. Answer again, in the form that was asked for."


def measure(run: Run) -> Measured:
    """Tables 1 and 2, figures 1 and 3."""
    found, _ = read_questions(run.files["MedQA"], "medqa")
    questions = drawn(found, run.sizes["questions"], run.seed)
    facts = _facts(run)
    context = run.context()
    replies = run.kept("first replies")
    rows = {
        f"{number} facts": _with_facts(
            build_graph(index=run.index("facts", ("facts", facts))),
            run.context({"retrieval.facts_k": number}),
            _FirstReplies(replies, f"{number} facts"),
        )
        for number in NUMBERS
    }
    if run.models["sapbert"] is not None:
        other = run.index("facts", ("facts", facts), role="sapbert")
        largest = run.context({"retrieval.facts_k": NUMBERS[-1]})
        name = f"{NUMBERS[-1]} facts, SapBERT"
        rows[name] = _with_facts(build_graph(index=other), largest, _FirstReplies(replies, name))
    chat = context.generator.model != "extractive"
    if chat:
        rows = {"no facts": _without_facts(context, _FirstReplies(replies, "no facts"))} | rows
    with run.executing("questions") as execution:
        result = evaluate_answers(questions, rows, execution)
    found_cells = cells(result)
    if chat:
        matched = _matched(questions, list(rows), replies, run.seed)
        found_cells = {name: matched[name] | item for name, item in found_cells.items()}
    tables: dict[str, Mapping[str, Mapping[str, Estimate]]] = {"answers": found_cells}
    notes = [
        f"{result.used} questions of MedQA over {len(facts)} facts. Guessing would have an "
        f"accuracy of {result.chance:.3f}."
    ]
    deviations = emergencies(questions, context, "MedQA")
    if chat and deviations:
        deviations.append("The questions of the row 'no facts' are not checked for emergencies.")
    if chat:
        tables["knowledge"], note = _knowledge(run, facts, context)
        notes.append(note)
    else:
        deviations.append(
            "Without a chat model the option nearest to its facts is chosen, no question is asked "
            "without facts, and the model's own knowledge is not tested."
        )
    return Measured(tables, notes, deviations)


def _facts(run: Run) -> list[Record]:
    found = list(read_facts([run.files["facts"]], run.files.get("aliases")))
    most = run.sizes["facts"]
    return drawn(found, most, run.seed) if 0 < most < len(found) else found


def _chat(context: Context) -> BaseChatModel:
    settings = context.generator
    return load_chat(settings.model, settings.temperature, settings.max_tokens, settings.seed)


class _FirstReplies(NamedTuple):
    """Keeps the model's first reply to each question of a row, for the paper's own score."""

    replies: Rows
    row: str

    def put(self, question: Question, reply: str) -> None:
        self.replies[_key(self.row, question)] = without_thoughts(reply)


class _FirstReplyListener(BaseCallbackHandler):
    """Hears the first reply of a chat model in a run of the graph."""

    text: str | None = None

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        if self.text is None:
            self.text = response.generations[0][0].text


def _key(row: str, question: Question) -> str:
    return f"{row}: {question.text}"


def _with_facts(talk: Graph, context: Context, kept: _FirstReplies) -> Answerer:
    """Answers by the graph. An emergency is answered without the model, so it has no reply."""

    def answer(question: Question) -> str | None:
        first = _FirstReplyListener()
        inputs: Input = {"question": question.text, "options": dict(question.options)}
        choice = talk.invoke(inputs, {"callbacks": [first]}, context=context)["answer"]["choice"]
        kept.put(question, first.text or "")
        return cast("str | None", choice)

    return answer


def _matched(
    questions: Sequence[Question], rows: Sequence[str], replies: Rows, seed: int
) -> dict[str, dict[str, Estimate]]:
    """The paper's score: the share of first replies that contain the words of the right option."""
    found = {}
    for row in rows:
        right = [
            contains(item.options[item.answer], replies.get(_key(row, item), ""))
            for item in questions
        ]
        found[row] = mean_intervals({MATCHED: np.array(right, np.float64)}, seed)
    return found


def _without_facts(context: Context, kept: _FirstReplies) -> Answerer:
    """The same prompt without facts; a reply without an option chooses none."""
    model = _chat(context)

    def answer(question: Question) -> str | None:
        prompt = fill(
            question.text, [], [], [], lambda text: count_tokens(model, text), _LARGE,
            options=question.options, form="facts",
        )  # fmt: skip
        messages = [SystemMessage(prompt.system), HumanMessage(prompt.user)]
        reply = ask(model, messages, context.generator.model).text
        kept.put(question, reply)
        if choice := find_choice(reply, question.options):
            return choice
        messages += [AIMessage(reply or "…"), HumanMessage(_AGAIN)]
        return find_choice(ask(model, messages, context.generator.model).text, question.options)

    return answer


def _knowledge(
    run: Run, facts: list[Record], context: Context
) -> tuple[dict[str, dict[str, Estimate]], str]:
    """The model's replies, without documents, about facts drawn from the base (figure 1)."""
    model = _chat(context)

    def complete(sentence: str) -> str:
        messages = [SystemMessage(load("knowledge").strip()), HumanMessage(sentence)]
        return ask(model, messages, context.generator.model).text

    known = triplets([item.metadata for item in facts])
    some = drawn(known, run.sizes["known"], run.seed)
    with run.executing("facts") as execution:
        result = evaluate_knowledge(some, complete, execution)
    return {"medical facts": {"its tail": result.metrics["known"],
                              "a tail of the base": result.metrics["any_tail"]}}, (
        f"{len(some)} facts drawn from the base to test what the model itself knows."
    )  # fmt: skip
