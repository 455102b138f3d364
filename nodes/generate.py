"""Write an answer as separate statements, each citing passages [R5, S3, H4, H6]."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from langgraph.runtime import Runtime

from anamnesis import ModelError
from nodes.checking.published import with_sources
from nodes.choosing.choice import new_draft
from nodes.evidence.safety import all_safe
from nodes.evidence.unused import insufficient
from nodes.fields.codes import Problem
from nodes.parts import EXTRACTIVE, Parts
from nodes.question.several import is_open, merged_draft, question_states
from nodes.settings.context import Context, settings
from nodes.settings.derived import least_relevance
from nodes.state import Draft, State, Update
from nodes.writing.by_model import prompt_of, record_of, write_draft
from nodes.writing.draft import ParsedReply
from nodes.writing.early import EarlyChecker, early_checks
from nodes.writing.quoting import quoted_draft

_log = logging.getLogger(__name__)


def generate(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """A draft from the selected passages: quoted, or written by the chat model.

    If the chat model fails, or writes an unusable reply twice, the passages are quoted. Each of
    several questions has its own draft, if its evidence is good enough.
    """
    context = settings(runtime)
    early = early_checks(state, context, parts, runtime.stream_writer)
    updates = [
        (number, _draft(entry, context, parts, early and partial(early, number)))
        for number, entry in question_states(state)
        if is_open(state, number)
    ]
    whole: Update = {"draft": merged_draft([(number, entry["draft"]) for number, entry in updates])}
    left = [item for _, entry in updates for item in entry.get("dropped", [])]
    return {**whole, "dropped": left} if left else whole


def _draft(
    state: State,
    context: Context,
    parts: Parts,
    begin: Callable[[Sequence[str]], EarlyChecker] | None = None,
) -> Update:
    """The draft for one question, and the passages and sentences that are not used for it."""
    passages = all_safe(parts.passages([item["id"] for item in state["selected"]], context))

    def quoted(
        choice: str | None = None,
        problem: Problem | None = None,
        prompt: dict[str, Any] | None = None,
    ) -> Update:
        update = quoted_draft(state, context, parts, passages)
        draft: Draft = update["draft"]
        draft = {**draft, "prompt": prompt or {}, "problem": problem}
        if choice:  # the model's, not the one that the passages are nearest to
            draft = {**draft, "choice": choice, "choice_probability": None}
        return {**update, "draft": draft}

    chat = parts.chat(context)
    if chat is None:  # a model is set but could not be loaded
        return quoted(problem=None if context.generator.model == EXTRACTIVE else "silent")
    best = max((item["relevance"] for item in state["selected"]), default=0.0)
    # one of several questions may lack good evidence
    least = least_relevance(state["keyed_options"], context, chat=True)
    if best < least:
        left = insufficient(state["selected"], least)
        return {"draft": new_draft([], None, None), "dropped": left}
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
        return quoted(prompt={**record, "memories": []}, problem=read.problem)
    if read.choice and not read.statements:
        return quoted(choice=read.choice, prompt=record)
    statements = with_sources(read.statements, record["documents"], context.generator.prompt_form)
    return {"draft": {**new_draft(statements, read.choice, None), "prompt": record}}
