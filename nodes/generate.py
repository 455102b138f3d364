"""Write an answer as separate statements, each citing passages [R5, S3, H4, H6]."""

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime

from anamnesis import ModelError
from anamnesis.corpus.passage import Passage
from anamnesis.models.chat import PROMPTS
from anamnesis.models.hearing import heard
from anamnesis.models.sentence_vectors import vectors_of
from anamnesis.models.wrapped import Chat
from nodes.checking.published import with_sources
from nodes.choosing.choice import choose, draft, stated
from nodes.choosing.nearest import nearest
from nodes.context import Context, settings, unweighed
from nodes.evidence.safety import all_safe, without_orders
from nodes.parts import EXTRACTIVE, Parts
from nodes.question.several import each, is_open, joined
from nodes.settings.derived import fact_budget, least_relevance, prompt_budget
from nodes.state import State, Update
from nodes.writing.draft import (
    NO_STATEMENT,
    Read,
    Written,
    WrittenChoice,
    finished,
    read_text,
    read_written,
    statement,
)
from nodes.writing.extract import dropped, extract
from nodes.writing.history import notes_on_rounds
from nodes.writing.render import SILENT, memory_line
from nodes.writing.streamed import Early, Standing, judging, sending, singly, streams
from nodes.writing.weighing import weighing
from prompts import ROUNDS, UNSUPPORTED, Prompt, document, fill

DRAFT_TAG = "draft"
"""Tag of streamed tokens, which have not been checked."""

_log = logging.getLogger(__name__)


def generate(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """A draft from the selected passages: quoted, or written by the chat model.

    If the chat model fails, or writes an unusable reply twice, the passages are quoted. Each of
    several questions has its own draft, if its evidence is good enough.
    """
    context = settings(runtime)
    early = _early(state, context, parts, runtime.stream_writer)
    updates = [
        (number, _drafted(entry, context, parts, early and partial(early, number)))
        for number, entry in each(state)
        if is_open(state, number)
    ]
    whole: Update = {"draft": joined([(number, entry["draft"]) for number, entry in updates])}
    left = [item for _, entry in updates for item in entry.get("dropped", [])]
    return {**whole, "dropped": left} if left else whole


def _early(
    state: State, context: Context, parts: Parts, write: Callable[[Any], None]
) -> Callable[[int, Sequence[str]], Early] | None:
    """Makes the checker of a draft being written, from a question's number and passage ids.

    None if statements are not streamed, or if they cannot be judged before the draft is complete:
    the text contains placeholders or reasoning, or the critic is a chat model, which judges all
    statements in one call.
    """
    chat = parts.chat(context) if streams(state, context) else None
    critic = parts.critic(context) if chat is not None else None
    if critic is None or not singly(critic) or _hidden(context, chat):
        return None
    judged, send = judging(state, context, parts, critic), sending(context, parts, write)
    standing = Standing(state["rounds"])
    standing.begin()
    return lambda number, ids: Early(ids, number, judged, standing, send)


def _hidden(context: Context, chat: Chat | None) -> bool:
    """Whether streamed text would contain redaction placeholders, or reasoning."""
    from anamnesis.models.chat import profile_of

    return context.generator.redact or bool(chat and profile_of(chat).get("reasoning_output"))


def _drafted(
    state: State,
    context: Context,
    parts: Parts,
    begin: Callable[[Sequence[str]], Early] | None = None,
) -> Update:
    passages = all_safe(parts.passages([item["id"] for item in state["selected"]], context))
    chat = parts.chat(context)
    if chat is None:
        update = quoted(state, context, parts, passages)
        # The named model cannot be loaded.
        problem = None if context.generator.model == EXTRACTIVE else SILENT
        return {**update, "draft": {**update["draft"], "problem": problem}}
    best = max((item["relevance"] for item in state["selected"]), default=0.0)
    # one of several questions may lack good evidence
    if best < least_relevance(state["choices"], context, chat=True):
        return {"draft": draft([], None, None)}
    prompt = _prompt(state, context, parts, chat, passages)
    # Citation numbers count all passages; those left out of the prompt cannot be cited.
    ids = [entry.id if place in prompt.documents else "" for place, entry in enumerate(passages)]
    early = begin(ids) if begin else None
    try:
        read = _written(chat, prompt, ids, state, context, early)
    except ModelError as error:
        _log.warning("the passages are quoted: %s", error)
        read = Read([], None, SILENT)
    read = early.finish(read) if early else read
    shown = [ids[place] for place in prompt.documents]
    record = {
        "files": list(prompt.files),
        "sha256": prompt.sha256,
        "tokens": prompt.tokens,
        "documents": shown,
        "memories": [state["recalled"][place]["id"] for place in prompt.memories],
        "left_out": list(prompt.left_out),
    }
    if read.problem:
        update = quoted(state, context, parts, passages)
        whole = {"prompt": {**record, "memories": []}, "problem": read.problem}
        return {**update, "draft": {**update["draft"], **whole}}
    if read.choice and not read.statements:
        update = quoted(state, context, parts, passages)
        named = {"choice": read.choice, "chosen": None, "prompt": record}
        return {**update, "draft": {**update["draft"], **named}}
    said = with_sources(read.statements, shown, context.generator.prompt_form)
    return {"draft": {**draft(said, read.choice, None), "prompt": record}}


def quoted(state: State, context: Context, parts: Parts, passages: Sequence[Passage]) -> Update:
    """The draft that quotes the passages that are relevant enough to the question.

    A chat model can judge which documents help; the extractive generator relies on the threshold.
    """
    question, least = state["queries"][0], least_relevance(state["choices"], context)
    both = zip(passages, state["selected"], strict=True)
    read = [
        (passage, item)
        for passage, item in both
        if passage.text.strip() and item["relevance"] >= least
    ]
    fitting = [passage for passage, _ in read]
    if choices := state["choices"]:
        if unweighed(choices, context):
            vectors = vectors_of(parts.index(context).embedder)
            return {"draft": nearest(question, choices, fitting, vectors)}
        chooser = parts.chooser(context)
        return {
            "draft": choose(
                question, choices, fitting, chooser, context.verification.min_choice_probability
            )
        }
    quoted = extract(
        fitting,
        [item for _, item in read],
        least,
        context.generator.max_statements,
        weigh=weighing(context),
    )
    left = dropped(passages, state["selected"], least, quoted)
    return {"draft": draft(quoted, None, None), "dropped": left}


def _prompt(
    state: State, context: Context, parts: Parts, chat: Chat, passages: Sequence[Passage]
) -> Prompt:
    from anamnesis.models.chat import count_tokens
    from anamnesis.models.prompt_size import prompt_tokens

    budget = prompt_budget(context, parts.window(context))
    # In the paper's loop the generator reads the query of the round [S3].
    return fill(
        state["queries"][-1 if context.loop.history == "rounds" else 0],
        [
            without_orders(
                document(context.generator.prompt_form, number, passage.heading, passage.text)
            )
            for number, passage in enumerate(passages, 1)
        ],
        [without_orders(memory_line(memory)) for memory in state["recalled"]],
        notes_on_rounds(state, context, parts),
        lambda text: count_tokens(chat, text),
        budget,
        state["choices"],
        [place for place, passage in enumerate(passages) if passage.kind == "fact"],
        fact_budget(context, budget),
        lambda system, user: prompt_tokens(chat, system, user),
        context.generator.prompt_form,
        UNSUPPORTED if context.loop.history == "unsupported" else ROUNDS,
    )


def _written(
    chat: Chat,
    prompt: Prompt,
    ids: Sequence[str],
    state: State,
    context: Context,
    early: Early | None,
) -> Read:
    """The model's draft; if it is unusable, the model is asked once more and given the problem.

    A model that does not follow the schema is asked for text from then on.

    Tokens are streamed only if the settings say so, and are then tagged as a draft: they are
    unchecked, and a chat client shows every streamed token as part of the answer. ``early``
    receives them as they arrive. Raises ``ModelError`` if the model does not answer.
    """
    from anamnesis.models.structured import ask_for_words, can_structure

    choices = state["choices"]
    messages: list[BaseMessage] = [SystemMessage(prompt.system), HumanMessage(prompt.user)]
    streamed = context.generator.stream_draft and not _hidden(context, chat)
    config = {
        "tags": [DRAFT_TAG if streamed else TAG_NOSTREAM],
        "metadata": {PROMPTS: [file.removesuffix(".md") for file in prompt.files]},
    }
    schema = context.generator.structured and not (streamed or early) and can_structure(chat)
    tries, refused = 2, False
    while True:
        with heard(early.hear) if early else nullcontext():
            said, found = (_by_schema if schema else _as_text)(chat, messages, ids, choices, config)
        tries -= 1
        if found is None:
            # An empty reply means that the model refused the schema.
            schema, tries, refused = False, 1, not said
            continue
        if refused:
            ask_for_words(chat)
        read = _with_reason(found, state, context)
        if not read.problem or not tries:
            return read
        again = HumanMessage(f"{read.problem} Answer again, in the form that was asked for.")
        messages = [*messages, AIMessage(said or "…"), again]


def _with_reason(read: Read, state: State, context: Context) -> Read:
    """The parsed reply; an option named without a reason becomes a statement to be checked [K4].

    An option that is chosen unverified and makes no statement needs no reason.
    """
    if read.choice is None or read.statements:
        return read
    if claim := stated(state["queries"][0], state["choices"], read.choice):
        return read._replace(statements=[statement(claim, [])])
    return read if unweighed(state["choices"], context) else read._replace(problem=NO_STATEMENT)


def _by_schema(
    chat: Chat,
    messages: list[BaseMessage],
    ids: Sequence[str],
    choices: dict[str, str],
    config: Any,
) -> tuple[str, Read | None]:
    """The reply and its parsed form; None if the model must be asked for text.

    Text that does not follow the schema may still be an answer, if it was not cut off.
    """
    from anamnesis.models.structured import BROKE_OFF, RefusedError, structured

    schema = WrittenChoice if choices else Written
    try:
        value, said, problem = structured(chat, messages, schema, config)
    except RefusedError as error:
        _log.info("the model is asked for text: %s", error)
        return "", None
    if value is not None:
        return said, read_written(value, ids, choices)
    if problem == BROKE_OFF or "{" in said or not said.strip():
        return said or "…", None
    read = read_text(said, ids, choices)
    return said, None if read.problem else read


def _as_text(
    chat: Chat,
    messages: list[BaseMessage],
    ids: Sequence[str],
    choices: dict[str, str],
    config: Any,
) -> tuple[str, Read | None]:
    from anamnesis.models.chat import ask, cut_off, name_of

    reply = ask(chat, messages, name_of(chat), config)
    whole = finished(reply.text) if cut_off(reply) else reply.text
    return reply.text, read_text(whole, ids, choices)
