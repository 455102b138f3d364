"""A draft written by the chat model: the prompt, the request, and the parsed reply [R5, S3, H6]."""

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from anamnesis.corpus.passage import Passage
from anamnesis.models.chat import ask, count_tokens, is_truncated, name_of, of_prompt, prompt_tokens
from anamnesis.models.partial_reply import on_partial_reply
from anamnesis.models.structured import (
    BROKE_OFF,
    RefusedError,
    ask_for_words,
    can_structure,
    structured,
)
from anamnesis.models.wrapped import Chat
from nodes.checking.statements import unchecked_statement
from nodes.choosing.choice import option_statement
from nodes.evidence.safety import without_orders
from nodes.fields.recalled import Memory
from nodes.parts import Parts
from nodes.settings.context import Context, unweighed
from nodes.settings.derived import fact_budget, prompt_budget
from nodes.state import State
from nodes.writing.draft import (
    ParsedReply,
    Written,
    WrittenChoice,
    problem_text,
    read_free_text,
    read_structured,
    without_unfinished_sentence,
)
from nodes.writing.early import EarlyChecker, hides_words
from nodes.writing.history import notes_on_rounds
from nodes.writing.render import memory_line
from prompts import ROUNDS, UNSUPPORTED, Prompt, document, fill

DRAFT_TAG = "draft"
"""Tag of streamed tokens, which have not been checked."""

_log = logging.getLogger(__name__)


class _Request(NamedTuple):
    """What a chat model is asked: ``ids`` are the passages by number."""

    chat: Chat
    messages: list[BaseMessage]
    ids: Sequence[str]
    options: dict[str, str]
    config: Any


def prompt_of(
    state: State, context: Context, parts: Parts, chat: Chat, passages: Sequence[Passage]
) -> Prompt:
    """The prompt of a draft, with as many passages, facts and memories as fit."""
    budget = prompt_budget(context, parts.window(context))
    # In the paper's loop the generator reads the query of the round [S3].
    question = state["queries"][-1 if context.loop.history == "rounds" else 0]
    return fill(
        f"{state['original_question']}\n\n{question}" if state.get("condensed") else question,
        [
            # A passage none of whose text may be used would be a heading without text.
            without_orders(
                document(context.generator.prompt_format, number, passage.heading, passage.text)
            )
            if passage.text.strip()
            else ""
            for number, passage in enumerate(passages, 1)
        ],
        [without_orders(memory_line(memory)) for memory in state["recalled"]],
        notes_on_rounds(state, context, parts),
        lambda text: count_tokens(chat, text),
        budget,
        state["keyed_options"],
        [place for place, passage in enumerate(passages) if passage.kind == "fact"],
        fact_budget(context, budget),
        lambda system, user: prompt_tokens(chat, system, user),
        context.generator.prompt_format,
        UNSUPPORTED if context.loop.history == "unsupported" else ROUNDS,
    )


def record_of(prompt: Prompt, ids: Sequence[str], recalled: Sequence[Memory]) -> dict[str, Any]:
    """The record of a prompt: its files and size, and which documents and memories it has.

    ``ids`` are the passages by citation number, ``recalled`` the memories that could be used.
    """
    return {
        "files": list(prompt.files),
        "sha256": prompt.sha256,
        "tokens": prompt.tokens,
        "documents": [ids[place] for place in prompt.documents],
        "memories": [recalled[place]["id"] for place in prompt.memories],
        "left_out": list(prompt.left_out),
    }


def write_draft(
    chat: Chat,
    prompt: Prompt,
    ids: Sequence[str],
    state: State,
    context: Context,
    early: EarlyChecker | None,
) -> ParsedReply:
    """The model's draft; if it is unusable, the model is asked once more, with the problem.

    A model that does not follow the schema is asked for text from then on.

    Tokens are streamed only if the settings say so, and are then tagged as a draft: they are
    unchecked, and a chat client shows every streamed token as part of the answer. ``early``
    receives them as they arrive. Raises ``ModelError`` if the model does not answer.
    """
    streamed = context.generator.stream_draft and not hides_words(context, chat)
    config = of_prompt(*(file.removesuffix(".md") for file in prompt.files))
    request = _Request(
        chat,
        [SystemMessage(prompt.system), HumanMessage(prompt.user)],
        ids,
        state["keyed_options"],
        {**config, "tags": [DRAFT_TAG]} if streamed else config,
    )
    schema = context.generator.structured and not (streamed or early) and can_structure(chat)
    tries, refused = 2, False
    while True:
        with on_partial_reply(early.receive) if early else nullcontext():
            said, found = _by_schema(request) if schema else _as_text(request)
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
        problem = problem_text(read.problem, request.options)
        again = HumanMessage(f"{problem} Answer again, in the form that was asked for.")
        messages = [*request.messages, AIMessage(said or "…"), again]
        request = request._replace(messages=messages)


def _with_reason(read: ParsedReply, state: State, context: Context) -> ParsedReply:
    """The parsed reply; an option named without a reason becomes a statement to be checked [K4].

    An option that is chosen unverified and makes no statement needs no reason.
    """
    if read.choice is None or read.statements:
        return read
    if claim := option_statement(state["queries"][0], state["keyed_options"], read.choice):
        return read._replace(statements=[unchecked_statement(claim, [])])
    if unweighed(state["keyed_options"], context):
        return read
    return read._replace(problem="no_statement")


def _by_schema(request: _Request) -> tuple[str, ParsedReply | None]:
    """The reply and its parsed form; None if the model must be asked for text.

    Text that does not follow the schema may still be an answer, if it was not cut off.
    """
    schema = WrittenChoice if request.options else Written
    try:
        value, said, problem = structured(request.chat, request.messages, schema, request.config)
    except RefusedError as error:
        _log.info("the model is asked for text: %s", error)
        return "", None
    if value is not None:
        return said, read_structured(value, request.ids, request.options)
    if problem == BROKE_OFF or "{" in said or not said.strip():
        return said or "…", None
    read = read_free_text(said, request.ids, request.options)
    return said, None if read.problem else read


def _as_text(request: _Request) -> tuple[str, ParsedReply | None]:
    reply = ask(request.chat, request.messages, name_of(request.chat), request.config)
    whole = without_unfinished_sentence(reply.text) if is_truncated(reply) else reply.text
    return reply.text, read_free_text(whole, request.ids, request.options)
