"""Causal language models run in this process, through langchain-huggingface (row H6)."""

from threading import Lock
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import run_in_executor
from langchain_huggingface import ChatHuggingFace, HuggingFacePipeline
from pydantic import PrivateAttr

from anamnesis.errors import ModelError, SettingError
from models.folders import folder_of
from models.reference import Reference

# For base models without a chat template of their own; Phi-2 was trained with this form.
_PLAIN_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'system' %}{{ message['content'] }}\n\n"
    "{% elif message['role'] == 'user' %}Instruct: {{ message['content'] }}\n"
    "{% else %}Output: {{ message['content'] }}\n{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}Output:{% endif %}"
)
_TYPES = ("auto", "float32", "bfloat16", "float16")

_pipelines: dict[str, Any] = {}


class LocalChat(ChatHuggingFace):
    """A chat model over a text-generation pipeline that others with other settings may share."""

    sampling: dict[str, Any]
    answer_tokens: int
    sampling_seed: int | None = None
    _lock: Lock = PrivateAttr(default_factory=Lock)

    def _to_chat_prompt(self, messages: list[BaseMessage]) -> str:
        try:
            return str(super()._to_chat_prompt(messages))
        except Exception:  # a template may refuse system messages, as Gemma's does
            if not any(isinstance(message, SystemMessage) for message in messages):
                raise
            return str(super()._to_chat_prompt(without_system(messages)))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        stream: bool | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        import torch

        ids = self.tokenizer(self._to_chat_prompt(messages), add_special_tokens=False)["input_ids"]
        window = context_window(self.llm.pipeline.model.config)
        left = window - len(ids)
        if left < 1:
            raise ModelError(
                f"the prompt has {len(ids)} tokens, the window of {self.model_id} {window}; "
                "lower the token budget or name a model with a longer window"
            )
        settings = {**self.sampling, "max_new_tokens": min(self.answer_tokens, left)}
        with self._lock, torch.random.fork_rng(enabled=self.sampling_seed is not None):
            if self.sampling_seed is not None:
                torch.manual_seed(self.sampling_seed)
            result = super()._generate(
                messages, stop, run_manager, stream, pipeline_kwargs=settings, **kwargs
            )
        for generation in result.generations:
            text = str(generation.message.content)
            generation.message.content = until(text, stop or []).strip()
        return result

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        stream: bool | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await run_in_executor(None, self._generate, messages, stop, **kwargs)


def without_system(messages: list[BaseMessage]) -> list[BaseMessage]:
    """The messages with what the system says put before what the user says first."""
    said = [str(m.content) for m in messages if isinstance(m, SystemMessage)]
    rest = [m for m in messages if not isinstance(m, SystemMessage)]
    for place, message in enumerate(rest):
        if isinstance(message, HumanMessage):
            text = "\n\n".join([*said, str(message.content)])
            return [*rest[:place], HumanMessage(text), *rest[place + 1 :]]
    return rest


def until(text: str, stop: list[str]) -> str:
    """The text before the first of the stop strings."""
    ends = [text.index(mark) for mark in stop if mark and mark in text]
    return text[: min(ends)] if ends else text


def context_window(config: Any) -> int:
    """Tokens that prompt and answer may have together, by a model's configuration."""
    for name in ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len"):
        value = getattr(config, name, None)
        if isinstance(value, int) and value > 0:
            return value
    return 1 << 30  # no positions to run out of


def load_local_chat(
    reference: Reference, temperature: float, max_tokens: int, seed: int | None
) -> BaseChatModel:
    """A chat model of a hub name, package or folder. Raises ModelError if it cannot be loaded."""
    reference.refuse_options_beyond(("revision", "dtype"))
    name = str(reference)
    if name not in _pipelines:
        _pipelines[name] = _pipeline(reference)
    pipeline = _pipelines[name]
    # At temperature 0 the likeliest token is taken; the sampling settings must then be absent.
    sampling: dict[str, Any] = (
        {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
    )
    return LocalChat(
        llm=HuggingFacePipeline(pipeline=pipeline, model_id=name),
        model_id=name,
        tokenizer=pipeline.tokenizer,
        disable_streaming=True,  # the pipeline streams without its settings
        sampling=sampling,
        answer_tokens=max_tokens,
        sampling_seed=seed,
    )


def _pipeline(reference: Reference) -> Any:
    from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline
    from transformers.utils import logging

    dtype = reference.options.get("dtype", "auto")
    if dtype not in _TYPES:
        raise SettingError(
            f"model reference {str(reference)!r}: dtype={dtype!r} is unknown; "
            f"known are {', '.join(_TYPES)}"
        )
    folder = str(folder_of(reference))
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        model: Any = AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, local_files_only=True
        )
    except Exception as error:  # many kinds: missing files, unknown classes, shapes
        raise ModelError(
            f"model {str(reference)!r} cannot be loaded as a causal language model "
            f"({type(error).__name__}: {error}); name a chat or text-generation model"
        ) from error
    if tokenizer.chat_template is None:
        tokenizer.chat_template = _PLAIN_TEMPLATE
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    # The library's own bound on prompt and answer together would contradict max_new_tokens.
    model.generation_config.max_length = None
    return pipeline(
        "text-generation",
        model=model,
        tokenizer=tokenizer,
        return_full_text=False,
        add_special_tokens=False,  # the chat template has written them
    )
