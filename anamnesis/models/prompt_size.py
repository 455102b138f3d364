"""How many tokens a prompt has, including those that a chat template adds [H4]."""

from langchain_core.messages import HumanMessage, SystemMessage

from anamnesis.models.chat import count_tokens
from anamnesis.models.wrapped import Chat, core

MARKS = 16
"""Tokens that a chat template adds to a system message, a user message and the reply, if the
template is not available: ChatML's has 13, Llama 3's 15."""


def prompt_tokens(chat: Chat, system: str, user: str) -> int:
    """Tokens that the model reads for a system message and a user message.

    Exact for a local model, whose template and tokenizer are available; otherwise an estimate that
    tends to be too high.
    """
    own = core(chat)
    render, tokenizer = (getattr(own, name, None) for name in ("_to_chat_prompt", "tokenizer"))
    if callable(render) and callable(tokenizer):
        text = render([SystemMessage(system), HumanMessage(user)])
        return len(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
    return count_tokens(chat, system) + count_tokens(chat, user) + MARKS
