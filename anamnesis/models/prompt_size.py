"""How many tokens a prompt has with the marks that a chat template puts around it (row H4)."""

from langchain_core.messages import HumanMessage, SystemMessage

from anamnesis.models.chat import count_tokens
from anamnesis.models.wrapped import Chat, core

MARKS = 16
"""Tokens of a template around a system's and a user's message, and before the reply, where the
template is not at hand: ChatML has 13, Llama 3's has 15."""


def prompt_tokens(chat: Chat, system: str, user: str) -> int:
    """Tokens that the model reads for a system's and a user's message.

    Exact for a local model, whose template and tokenizer are at hand; elsewhere an estimate that
    is rather too high.
    """
    own = core(chat)
    render, tokenizer = (getattr(own, name, None) for name in ("_to_chat_prompt", "tokenizer"))
    if callable(render) and callable(tokenizer):
        text = render([SystemMessage(system), HumanMessage(user)])
        return len(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
    return count_tokens(chat, system) + count_tokens(chat, user) + MARKS
