"""The draft for one question: written by the chat model, or quoted from the passages."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from anamnesis import ModelError
from anamnesis.corpus.passage import Passage
from anamnesis.models.wrapped import Chat
from nodes.checking.published import with_sources
from nodes.choosing.choice import new_draft
from nodes.evidence.unused import insufficient
from nodes.fields.codes import Problem
from nodes.parts import EXTRACTIVE, Parts
from nodes.settings.context import Context
from nodes.settings.derived import least_relevance
from nodes.state import State, Update
from nodes.writing.by_model import prompt_of, record_of, write_draft
from nodes.writing.draft import ParsedReply
from nodes.writing.early import EarlyChecker
from nodes.writing.quoting import quoted_draft, usable_passages

Begin = Callable[[Sequence[str]], EarlyChecker]
"""Makes the checker of a draft being written, from the ids of its passages by citation number."""

_log = logging.getLogger(__name__)


def draft_of_question(state: State, context: Context, parts: Parts, begin: Begin | None) -> Update:
    """The draft for one question, and the passages and sentences that are not used for it.

    ``state`` is the view of the state for the question. With ``begin``, statements are checked
    while the draft is being written.
    """
    passages = usable_passages(state, context, parts)
    chat = parts.chat(context)
    if chat is None:  # either none is set, or it could not be loaded
        quoted = quoted_draft(state, context, parts, passages)
        return _with(quoted, {}, None if context.generator.model == EXTRACTIVE else "silent")
    best = max((item["relevance"] for item in state["selected"]), default=0.0)
    # one of several questions may lack good evidence
    least = least_relevance(state["keyed_options"], context, chat=True)
    if best < least:
        unused = insufficient(state["selected"], least)
        return {"draft": new_draft([], None, None), "dropped": unused}
    return _written(chat, state, context, parts, passages, begin)


def _written(
    chat: Chat,
    state: State,
    context: Context,
    parts: Parts,
    passages: Sequence[Passage],
    begin: Begin | None,
) -> Update:
    """The chat model's draft; quotations if it is unusable, or names an option and no reason."""
    prompt = prompt_of(state, context, parts, chat, passages)
    # Citation numbers count all passages; those left out of the prompt cannot be cited.
    ids = [entry.id if place in prompt.documents else "" for place, entry in enumerate(passages)]
    early = begin(ids) if begin else None
    try:
        read = write_draft(chat, prompt, ids, state, context, early)
    except ModelError as error:
        _log.warning("the passages are quoted: %s", error)
        read = ParsedReply([], None, "silent")
    read = early.finish(read) if early else read
    record = record_of(prompt, ids, state["recalled"])
    if read.problem:
        quoted = quoted_draft(state, context, parts, passages)
        return _with(quoted, {**record, "memories": []}, read.problem)
    if read.choice and not read.statements:
        quoted = _with(quoted_draft(state, context, parts, passages), record, None)
        # the model's choice, not the option that the passages are nearest to
        draft = {**quoted["draft"], "choice": read.choice, "choice_probability": None}
        return {**quoted, "draft": draft}
    statements = with_sources(read.statements, record["documents"], context.generator.prompt_format)
    return {"draft": {**new_draft(statements, read.choice, None), "prompt": record}}


def _with(update: Update, prompt: dict[str, Any], problem: Problem | None) -> Update:
    """A draft that quotes, with the prompt of the chat model and the problem with its reply."""
    return {**update, "draft": {**update["draft"], "prompt": prompt, "problem": problem}}
