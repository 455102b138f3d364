"""MKRAG: exam questions with and without facts, and facts that the model knows [K1–K6]."""

import random
from collections.abc import Mapping

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from anamnesis.corpus.record import Record
from anamnesis.corpus.triplets import read_facts
from anamnesis.models.chat import ask, count_tokens, load_chat
from evaluation.answers import Answerer, by_graph, evaluate_answers
from evaluation.knowledge import evaluate_knowledge, triplets
from evaluation.reading import Question, read_questions
from evaluation.reproduce.asking import cells, drawn, emergencies
from evaluation.reproduce.running import Measured, Run
from evaluation.significance import Estimate
from graph import Context, build_graph
from nodes.question.options import find_choice
from prompts import fill, load

NUMBERS = (4, 8, 16)
_LARGE = 1 << 20  # tokens of a prompt
_AGAIN = "This names no option. Answer again, in the form that was asked for."


def measure(run: Run) -> Measured:
    """Tables 1 and 2, figures 1 and 3."""
    found, _ = read_questions(run.files["MedQA"], "medqa")
    asked = drawn(found, run.sizes["questions"], run.seed)
    facts = _facts(run)
    context = run.context()
    rows = {
        f"{number} facts": by_graph(
            build_graph(index=run.index("facts", ("facts", facts))),
            run.context({"retrieval.facts_k": number}),
        )
        for number in NUMBERS
    }
    if run.models["sapbert"] is not None:
        other = run.index("facts", ("facts", facts), role="sapbert")
        largest = run.context({"retrieval.facts_k": NUMBERS[-1]})
        rows[f"{NUMBERS[-1]} facts, SapBERT"] = by_graph(build_graph(index=other), largest)
    chat = context.generator.model != "extractive"
    with run.bar("questions") as progress:
        result = evaluate_answers(
            asked,
            ({"no facts": _alone(context)} if chat else {}) | rows,
            seed=run.seed,
            progress=progress,
            kept=run.kept("questions"),
        )
    tables: dict[str, Mapping[str, Mapping[str, Estimate]]] = {"answers": cells(result)}
    notes = [
        f"{result.used} questions of MedQA over {len(facts)} facts. Guessing would have an "
        f"accuracy of {result.chance:.3f}."
    ]
    deviations = emergencies(asked, context, "MedQA")
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
    return random.Random(run.seed).sample(found, most) if 0 < most < len(found) else found


def _chat(context: Context) -> BaseChatModel:
    own = context.generator
    return load_chat(own.model, own.temperature, own.max_tokens, own.seed)


def _alone(context: Context) -> Answerer:
    """The same prompt without facts; a reply without an option chooses none."""
    model = _chat(context)

    def answer(question: Question) -> str | None:
        prompt = fill(
            question.text, [], [], [], lambda text: count_tokens(model, text), _LARGE,
            options=question.options, form="facts",
        )  # fmt: skip
        messages = [SystemMessage(prompt.system), HumanMessage(prompt.user)]
        reply = ask(model, messages, context.generator.model).text
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
    some = random.Random(run.seed).sample(known, min(run.sizes["known"], len(known)))
    with run.bar("facts") as progress:
        result = evaluate_knowledge(
            some, complete, seed=run.seed, progress=progress, kept=run.kept("facts")
        )
    return {"medical facts": {"its tail": result.metrics["known"],
                              "a tail of the base": result.metrics["any_tail"]}}, (
        f"{len(some)} facts drawn from the base to test what the model itself knows."
    )  # fmt: skip
