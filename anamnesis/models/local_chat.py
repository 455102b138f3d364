"""Causal language models run in this process, through langchain-huggingface [H6]."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from threading import Lock
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import run_in_executor
from langchain_huggingface import ChatHuggingFace, HuggingFacePipeline

from anamnesis.errors import ModelError, SettingError
from anamnesis.language.text import without_thoughts
from anamnesis.models.calling import time_left
from anamnesis.models.folders import folder_of, gguf_of
from anamnesis.models.gguf_parsing import parsed_once
from anamnesis.models.reference import Reference

# For base models without a chat template; Phi-2 was trained with this form.
_PLAIN_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'system' %}{{ message['content'] }}\n\n"
    "{% elif message['role'] == 'user' %}Instruct: {{ message['content'] }}\n"
    "{% else %}Output: {{ message['content'] }}\n{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}Output:{% endif %}"
)
_TYPES = ("auto", "float32", "bfloat16", "float16")
_DEVICES = ("auto", "cpu", "cuda")

_pipelines: dict[str, Any] = {}
# One call at a time, because chats with different settings share weights, tokenizer and torch's
# random state.
_generating = Lock()


class LocalChat(ChatHuggingFace):
    """A chat model on a text-generation pipeline, which several of them may share."""

    sampling: dict[str, Any]
    answer_tokens: int
    sampling_seed: int | None = None

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
                f"the prompt has {len(ids)} tokens, the window of {self.model_id} has {window}; "
                "lower the token budget or name a model with a longer window"
            )
        settings = {**self.sampling, "max_new_tokens": min(self.answer_tokens, left)}
        device = self.llm.pipeline.device
        forked = [device.index or 0] if device.type == "cuda" else []
        seeded = self.sampling_seed is not None
        with _turn(str(self.model_id)), torch.random.fork_rng(forked, enabled=seeded):
            if self.sampling_seed is not None:
                torch.manual_seed(self.sampling_seed)
            left_s = time_left()
            if left_s is not None:
                settings["max_time"] = max(left_s, 0.0)
            result = super()._generate(
                messages, stop, run_manager, stream, pipeline_kwargs=settings, **kwargs
            )
            in_time = time_left()
        for generation in result.generations:
            message = cast(AIMessage, generation.message)
            text = str(message.content)
            message.content = without_thoughts(until(text, stop or [])).strip()
            # Counted as providers do; a text may have one token less than were generated.
            output_tokens = len(self.tokenizer(text, add_special_tokens=False)["input_ids"])
            whole = output_tokens < settings["max_new_tokens"] - 1 and (
                in_time is None or in_time > 0
            )
            message.usage_metadata = {
                "input_tokens": len(ids),
                "output_tokens": output_tokens,
                "total_tokens": len(ids) + output_tokens,
            }
            message.response_metadata["finish_reason"] = "stop" if whole else "length"
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


@contextmanager
def _turn(name: str) -> Iterator[None]:
    """Wait until no other call generates, for as long as the run has time."""
    left = time_left()
    if not _generating.acquire(timeout=-1 if left is None else max(left, 0.0)):
        raise ModelError(
            f"the chat model {name!r} was busy with other calls until the time of the run was up"
        )
    try:
        yield
    finally:
        _generating.release()


def without_system(messages: list[BaseMessage]) -> list[BaseMessage]:
    """The messages with the system messages put in front of the first user message."""
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
    return 1 << 30  # no maximum position


def load_local_chat(
    reference: Reference, temperature: float, max_tokens: int, seed: int | None
) -> BaseChatModel:
    """A chat model of a hub name, package, folder or GGUF file.

    Raises SettingError for an unknown option, ModelError if the model cannot be loaded.
    """
    reference.refuse_options_beyond(("revision", "dtype", "device"))
    name = str(reference)
    if name not in _pipelines:
        _pipelines[name] = _pipeline(reference)
    pipeline = _pipelines[name]
    # At temperature 0 the most probable token is taken; there must be no sampling settings.
    sampling: dict[str, Any] = (
        {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
    )
    return LocalChat(
        llm=HuggingFacePipeline(pipeline=pipeline, model_id=name),
        model_id=name,
        tokenizer=pipeline.tokenizer,
        disable_streaming=True,  # the pipeline streams without its settings
        profile={
            "max_input_tokens": context_window(pipeline.model.config),
            # The pipeline passes no tools to the model, even if its template supports them.
            "tool_calling": False,
            "structured_output": False,
        },
        sampling=sampling,
        answer_tokens=max_tokens,
        sampling_seed=seed,
    )


def load_causal(reference: Reference, dtype: str = "auto") -> tuple[Any, Any]:
    """The tokenizer and the causal language model of a hub name, package, folder or GGUF file.

    Raises ModelError if it cannot be loaded.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    packed = gguf_of(reference)
    if packed is not None:
        _need_gguf(reference)
    folder = str(folder_of(reference) if packed is None else packed.parent)
    file = {} if packed is None else {"gguf_file": packed.name}
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        with parsed_once() if packed else nullcontext():
            tokenizer: Any = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, **file)
            # Unpacked, the weights of a GGUF file are in single precision.
            read = dtype if packed is None else "float32"
            model: Any = AutoModelForCausalLM.from_pretrained(
                folder, dtype=read, local_files_only=True, trust_remote_code=False, **file
            )
        if dtype not in (read, "auto"):
            model.to(getattr(torch, dtype))
    except Exception as error:  # many kinds: missing files, unknown classes, shapes
        raise ModelError(
            f"model {str(reference)!r} cannot be loaded as a causal language model "
            f"({type(error).__name__}: {error}); name a chat or text-generation model"
        ) from error
    return tokenizer, model


def _pipeline(reference: Reference) -> Any:
    from transformers import pipeline

    device = device_of(reference)
    tokenizer, model = load_causal(reference, _option(reference, "dtype", _TYPES))
    if tokenizer.chat_template is None:
        tokenizer.chat_template = _PLAIN_TEMPLATE
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    # The library's limit on prompt and answer together would conflict with max_new_tokens.
    model.generation_config.max_length = None
    return pipeline(
        "text-generation",
        model=model,
        tokenizer=tokenizer,
        device=device,
        return_full_text=False,
        add_special_tokens=False,  # the chat template writes them
    )


def _option(reference: Reference, name: str, known: tuple[str, ...]) -> str:
    value = reference.options.get(name, "auto")
    if value not in known:
        raise SettingError(
            f"model reference {str(reference)!r}: {name}={value!r} is unknown; "
            f"known are {', '.join(known)}"
        )
    return value


def device_of(reference: Reference) -> str:
    """cpu or cuda, by a reference's option. Raises ModelError if there is no such device."""
    import torch

    wanted = _option(reference, "device", _DEVICES)
    if wanted == "cuda" and not torch.cuda.is_available():
        raise ModelError(
            f"model {str(reference)!r}: torch {torch.__version__} finds no CUDA device; write "
            "device=cpu, or install the NVIDIA driver and a torch that is built for CUDA"
        )
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return wanted


def _need_gguf(reference: Reference) -> None:
    missing = [package for package in ("gguf", "accelerate") if find_spec(package) is None]
    if missing:
        raise ModelError(
            f"model {str(reference)!r} is a GGUF file, and packages to read it are missing; "
            f"run: pip install {' '.join(missing)}"
        )
