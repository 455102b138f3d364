"""Write an answer as separate statements, each citing passages [R5, S3, H4, H6]."""

import logging

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime

from anamnesis import ModelError
from corpus.passage import Passage
from nodes.context import Context, settings
from nodes.draft import parse, says_not_found
from nodes.extract import extract
from nodes.parts import Parts
from nodes.state import Draft, State, Update
from prompts import NOT_FOUND, Prompt, fill

_log = logging.getLogger(__name__)


def generate(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """A draft from the selected passages: quoted, or written by the chat model."""
    context = settings(runtime)
    selected = state["selected"]
    index = parts.index(context)
    passages = index.passages([item["id"] for item in selected])
    chat = parts.chat(context)
    if chat is None:
        # A model can tell which documents help; the extractor quotes none that does not fit.
        fitting = [
            passage
            for passage, item in zip(passages, selected, strict=True)
            if item["evidence"] >= context.min_evidence
        ]
        statements = extract(
            state["queries"][0],
            fitting,
            parts.reranker(context),
            index.sparse.idf,
            context.max_statements,
        )
        return {"draft": {"statements": statements, "found": bool(statements), "prompt": {}}}
    return {"draft": _written(state, context, chat, passages)}


def _written(state: State, context: Context, chat: BaseChatModel, passages: list[Passage]) -> Draft:
    """The chat model's draft, with what its prompt held and left out."""
    from models.chat import count_tokens

    prompt = fill(
        state["queries"][0],
        [f"{passage.heading}: {passage.text}" for passage in passages],
        [f"{memory['question']} — {memory['answer']}" for memory in state["recalled"]],
        [
            statement["text"]
            for earlier in state["rounds"]
            for statement in earlier["statements"]
            if statement["verdict"] != "supported"
        ],
        lambda text: count_tokens(chat, text),
        context.prompt_tokens,
    )
    try:
        text = _said(chat, prompt, context)
    except ModelError:
        if not state["rounds"]:
            raise
        # What an earlier round could support is not lost with a later one.
        _log.warning("the chat model failed in a later round", exc_info=True)
        text = NOT_FOUND
    # Numbers go by place among all passages; those left out of the prompt cannot be cited.
    ids = [
        passage.id if place in prompt.documents else "" for place, passage in enumerate(passages)
    ]
    statements = parse(text, ids)
    for item in statements:
        item["citations"] = [cited for cited in item["citations"] if cited]
    found = bool(statements) and not says_not_found(text)
    return {
        "statements": statements if found else [],
        "found": found,
        "prompt": {
            "file": "answer.md",
            "sha256": prompt.sha256,
            "tokens": prompt.tokens,
            "documents": [ids[place] for place in prompt.documents],
            "memories": [state["recalled"][place]["id"] for place in prompt.memories],
            "left_out": list(prompt.left_out),
        },
    }


def _said(chat: BaseChatModel, prompt: Prompt, context: Context) -> str:
    """What the model says.

    Its words are streamed only where the settings ask for it: nobody has checked them yet, and a
    chat client shows every streamed token as part of the answer. Raises ``ModelError`` if the
    model does not answer.
    """
    messages = [SystemMessage(prompt.system), HumanMessage(prompt.user)]
    tags = [] if context.stream_draft else [TAG_NOSTREAM]
    try:
        reply = chat.invoke(messages, {"tags": tags})
    except Exception as error:  # every provider has its own
        raise ModelError(
            f"the chat model {context.generator!r} did not answer ({type(error).__name__}: "
            f"{error}); see that it runs and can be reached, or use the extractive generator"
        ) from error
    return reply.text
