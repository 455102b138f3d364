"""Chat models by reference [H6]: a provider's, or a local one through transformers.

    openai:gpt-4o-mini            any provider of LangChain's init_chat_model; its key is read
    ollama:phi3                   from the environment, as its package documents
    openai:mine?base_url=URL      an OpenAI-compatible server, such as vLLM; it gets the key that
                                  was set for its address, if one was (``anamnesis.models.keys``)
    hf:Qwen/Qwen2.5-1.5B-Instruct a causal model, run here; also a folder, a GGUF file or
                                  package:NAME, with the options device=auto|cpu|cuda and
                                  dtype=auto|float32|bfloat16|float16

Other options of a provider's reference are passed to its class.
"""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from langchain_core.caches import RETURN_VAL_TYPE, BaseCache
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.constants import TAG_NOSTREAM

from anamnesis.errors import ModelError, SettingError, UnansweredError
from anamnesis.language.text import without_thoughts
from anamnesis.models.caching import current
from anamnesis.models.once import LoadedObjects
from anamnesis.models.provided import provided
from anamnesis.models.redaction import redaction
from anamnesis.models.reference import FILE_SCHEMES, Reference, chat_providers, parse
from anamnesis.models.scrub import scrubbed
from anamnesis.models.wrapped import Chat, can_await, core

# The name of the maximum length of an answer in a provider's class, if it is not max_tokens.
_LENGTH = {"ollama": "num_predict", "google_genai": "max_output_tokens"}
# The assumed window of a chat model that does not state one: Ollama's default.
_WINDOW = 2048
# The finish reasons of providers for a reply that reached its maximum length.
_CUT_OFF = ("length", "max_tokens")
_log = logging.getLogger(__name__)

PROMPTS = "prompts"
"""The key, in the metadata of a call, for the names of its prompt files."""

MODEL = "chat_model"
"""The key, in the metadata of a call, for the chat model's name (``name_of``)."""

_loaded = LoadedObjects[tuple[str, float, int, int | None], BaseChatModel]()
Reply = TypeVar("Reply")


def load_chat(
    reference: str, temperature: float = 0.3, max_tokens: int = 1024, seed: int | None = None
) -> BaseChatModel:
    """The chat model that a reference names; a local model's weights are loaded once per process.

    ``max_tokens`` limits the answer. ``seed`` makes a local model deterministic and, if set, is
    sent to a provider. Raises SettingError for an invalid reference, ModelError with the remedy
    (such as a missing pip package) if the model cannot be loaded.
    """
    parsed = parse(reference)
    if not parsed.is_chat:
        raise SettingError(
            f"{reference!r} is not a chat model; name a provider's model (openai:…, ollama:…), "
            "hf:NAME, a folder or a GGUF file"
        )
    key = (str(parsed), temperature, max_tokens, seed)

    def made() -> BaseChatModel:
        load = _local if parsed.scheme in FILE_SCHEMES else _provided
        model = load(parsed, temperature, max_tokens, seed)
        model.cache = _ReplyCache(repr(key), key[0], parsed.scheme in FILE_SCHEMES)
        model.name = display_name(parsed)
        return model

    return _loaded.get_or_load(key, made)


def display_name(reference: Reference) -> str:
    """The name of a chat model for users: its reference without options, which may be an
    address.
    """
    return str(replace(reference, options={}))


def name_of(chat: Chat) -> str:
    """The name of a chat model: its reference, or its class if it has no reference."""
    model = core(chat)
    return getattr(model, "name", None) or type(model).__name__


class _ReplyCache(BaseCache):
    """The cache of the process or the run, if any, keyed by a model's reference and settings.

    LangChain would ask the model's class for these, and not every class returns all of them.
    ``here``: whether the model runs in this process.
    """

    def __init__(self, model: str, reference: str, here: bool) -> None:
        self.model, self.reference, self.here = model, reference, here

    def lookup(self, prompt: str, llm_string: str) -> RETURN_VAL_TYPE | None:
        cache = current()
        return None if cache is None else cache.lookup(prompt, f"{self.model} {llm_string}")

    def update(self, prompt: str, llm_string: str, return_val: RETURN_VAL_TYPE) -> None:
        if (cache := current()) is not None:
            cache.update(prompt, f"{self.model} {llm_string}", return_val)

    def clear(self, **kwargs: Any) -> None:
        if (cache := current()) is not None:
            cache.clear(**kwargs)


def count_tokens(model: Chat, text: str) -> int:
    """Tokens of a text for a chat model, special tokens not counted [H4].

    Exact for a local model, whose tokenizer is available. Otherwise an estimate that tends to be
    too high. (Asking the model's class could download a tokenizer.)
    """
    tokenizer = getattr(core(model), "tokenizer", None)
    if callable(tokenizer):
        return len(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
    return estimated_tokens(text)


def estimated_tokens(text: str) -> int:
    """An estimate of a text's tokens, which for English tends to be too high [H4].

    3.5 ASCII characters per token, other characters one token each.
    """
    plain = sum(character.isascii() for character in text)
    return math.ceil(plain / 3.5) + len(text) - plain


def window_tokens(model: Chat) -> int:
    """The context window of a chat model in tokens [H4]: as stated, otherwise 2048."""
    return stated_window(model) or _WINDOW


def stated_window(model: Chat) -> int | None:
    """The context window in tokens that a chat model states, or None.

    For Ollama this is ``num_ctx``, whatever the model supports; for others the profile's value.
    """
    inner = core(model)
    stated = profile_of(inner).get("max_input_tokens")
    found = getattr(inner, "num_ctx", stated)
    return int(found) if found else None


def profile_of(model: Chat) -> Mapping[str, Any]:
    """LangChain's profile of a chat model; empty if it has none."""
    return getattr(core(model), "profile", None) or {}


def of_prompt(*names: str) -> RunnableConfig:
    """The config of a call with these prompt files, whose tokens no stream shows.

    A chat client would show streamed tokens as part of the answer.
    """
    return {"tags": [TAG_NOSTREAM], "metadata": {PROMPTS: list(names)}}


def ask(
    model: Runnable[Any, Reply],
    messages: Sequence[BaseMessage],
    name: str,
    config: RunnableConfig | None = None,
    chat: Chat | None = None,
) -> Reply:
    """The reply of a chat model, or of a runnable made from ``chat``, within the time limit.

    The model's reasoning is removed from a message. Raises ModelError if the call fails, without
    the provider's message: that is in the log, without keys and without the text that was sent. The
    provider's error is its ``__context__``.
    """
    from anamnesis.models.calling import call_with_retries, guard_of

    asked, hiding = chat or model, redaction()
    sent_words = list(messages) if hiding is None else hiding.redacted(messages)
    called_so = getattr(asked, "name", None) or type(asked).__name__
    call_config = merge_configs(config, {"metadata": {MODEL: called_so}})

    def call() -> Reply:
        if not can_await(asked):
            return model.invoke(sent_words, call_config)
        reply: Reply = guard_of(asked).way.call(model, "invoke", sent_words, call_config)
        return reply

    try:
        # A model in this process always returns.
        here = isinstance(asked, BaseChatModel) and getattr(asked.cache, "here", False)
        reply = _without_thoughts(call() if here else call_with_retries(asked, name, call))
        return reply if hiding is None else hiding.restored(reply)
    except ModelError:
        raise
    except NotImplementedError as error:
        _log.warning(
            "the chat model %r: %s",
            name,
            scrubbed(str(error), [message.text for message in messages]),
        )
        raise ModelError(
            f"the chat model {name!r} does not implement what was called, directly or to await; "
            "implement _generate or _agenerate of a chat model, invoke or ainvoke of another "
            "Runnable; its message is in the log"
        ) from None
    except Exception as error:  # every provider has its own kinds of errors
        kind = type(error).__name__
        sent = [message.text for message in messages]
        _log.warning("the chat model %r: %s: %s", name, kind, scrubbed(str(error), sent))
        # A provider's message may contain keys and the text that was sent, so it is not passed on.
        raise UnansweredError(
            f"the chat model {name!r} did not answer ({kind}); make sure that it runs and "
            "can be reached; its message is in the log"
        ) from None


def _without_thoughts(reply: Reply) -> Reply:
    """The reply without reasoning, if it is a message whose text has some."""
    if not isinstance(reply, BaseMessage) or (said := without_thoughts(reply.text)) == reply.text:
        return reply
    return reply.model_copy(update={"content": said})


def is_truncated(reply: BaseMessage) -> bool:
    """Whether a reply was cut off at its maximum length."""
    return any(str(value).lower() in _CUT_OFF for value in reply.response_metadata.values())


def _local(
    reference: Reference, temperature: float, max_tokens: int, seed: int | None
) -> BaseChatModel:
    from anamnesis.models.local_chat import load_local_chat

    return load_local_chat(reference, temperature, max_tokens, seed)


def _provided(
    reference: Reference, temperature: float, max_tokens: int, seed: int | None
) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    provider = reference.scheme
    options = {"temperature": temperature, _LENGTH.get(provider, "max_tokens"): max_tokens}
    if seed is not None:
        options["seed"] = seed
    model: BaseChatModel = provided(
        "chat model",
        reference,
        chat_providers()[provider],
        partial(init_chat_model, model_provider=provider),
        **options,
    )
    return model


MARKS = 16
"""Tokens that a chat template adds to a system message, a user message and the reply, if the
template is not available: ChatML's has 13, Llama 3's 15."""


def prompt_tokens(chat: Chat, system: str, user: str) -> int:
    """Tokens that the model reads for a system message and a user message.

    Exact for a local model, whose template and tokenizer are available; otherwise an estimate that
    tends to be too high.
    """
    inner = core(chat)
    render, tokenizer = (getattr(inner, name, None) for name in ("_to_chat_prompt", "tokenizer"))
    if callable(render) and callable(tokenizer):
        text = render([SystemMessage(system), HumanMessage(user)])
        return len(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
    return count_tokens(chat, system) + count_tokens(chat, user) + MARKS
