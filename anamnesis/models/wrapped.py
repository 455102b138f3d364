"""Chat models inside LangChain's wrappers: retries, fallbacks, settings of a call.

``model.with_retry()``, ``.with_fallbacks()``, ``.configurable_fields()``, ``.with_config()`` and
``.bind()`` give runnables that are called like the model but lack some of its attributes; so does a
chain that ends in a model, such as ``RunnableLambda(hide_names) | model``. The project reads
attributes from the ``core``, and sends its calls through the wrappers. Any other runnable that maps
messages to a message may stand in place of a model, such as ``RunnableLambda(ask)``.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from langchain_core.language_models import BaseChatModel, BaseLanguageModel
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import BaseOutputParser
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnableParallel, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.configurable import DynamicRunnable
from langchain_core.runnables.fallbacks import RunnableWithFallbacks

from anamnesis.awaiting import result_of
from anamnesis.errors import ModelError, SettingError

Chat = Runnable[Any, Any]
"""A chat model of LangChain, with or without wrappers, or a function in its place."""

# Settings that make a model call tools. The graph has no tools, and would get calls, not text.
_TOOLS = frozenset(
    "tools tool_choice parallel_tool_calls functions function_call tool_config".split()
)
# Runnables that give texts or documents.
_NO_CHAT = (BaseLanguageModel, BaseOutputParser, BaseRetriever)
# The form of a reply: where a schema is asked for, the schema is its form.
_FORMS = frozenset({"response_format", "format"})


def core(chat: Chat) -> Chat:
    """The chat model inside the wrappers; the first one of several (fallbacks, alternatives)."""
    while not isinstance(chat, BaseChatModel):
        if isinstance(chat, RunnableBindingBase):
            chat = chat.bound
        elif isinstance(chat, RunnableWithFallbacks):
            chat = chat.runnable
        elif isinstance(chat, DynamicRunnable):
            chat = chat.default
        elif isinstance(chat, RunnableSequence):
            chat = chat.last
        else:
            break
    return chat


def cores(chat: Chat) -> list[Chat]:
    """The chat models that may answer: the core, and those of all fallbacks."""
    if isinstance(chat, RunnableBindingBase):
        return cores(chat.bound)
    if isinstance(chat, RunnableWithFallbacks):
        return [model for item in chat.runnables for model in cores(item)]
    if isinstance(chat, RunnableSequence):
        return cores(chat.last)
    return [core(chat)]


def without_bound_tools(chat: Chat) -> Chat:
    """The chat model as the graph calls it: without tools that were bound to it.

    Raises SettingError for what gives no message, such as a chain that ends in a parser, or a
    class.
    """
    if isinstance(chat, type):
        raise SettingError(f"chat: {chat.__name__} is a class; give an object of it")
    inner = core(chat)
    _refuse_completion_models(chat)
    # init_chat_model without a model returns a placeholder that is not a BaseChatModel.
    if not isinstance(inner, BaseChatModel) and not hasattr(inner, "with_structured_output"):
        if isinstance(inner, Runnable) and not isinstance(inner, _NO_CHAT):
            given: Chat = with_functions(chat)
            return given | RunnableLambda(_message)
        raise SettingError(
            f"chat is {_named(chat)}, not a chat model; give a chat model of LangChain, alone, at "
            "the end of a chain, or with .with_retry(), .with_fallbacks(), .configurable_fields() "
            "or .bind(); or a Runnable that returns a message, such as a RunnableLambda"
        )
    return _without_tools(with_functions(chat))


def with_functions(given: Any) -> Any:
    """The runnable, with a function in each of its lambdas that have a coroutine function only.

    Other objects are returned as they are.
    """
    if isinstance(given, RunnableLambda) and not hasattr(given, "func"):
        return RunnableLambda(
            lambda value, config: result_of(given.ainvoke(value, config)), given.afunc, given.name
        )
    if isinstance(given, RunnableSequence):
        return RunnableSequence(*map(with_functions, given.steps), name=given.name)
    if isinstance(given, RunnableParallel):
        return RunnableParallel({name: with_functions(x) for name, x in given.steps__.items()})
    if isinstance(given, RunnableBindingBase):
        return given.model_copy(update={"bound": with_functions(given.bound)})
    if isinstance(given, RunnableWithFallbacks):
        return _rebuild_each(given, with_functions)
    return given


def can_await(chat: Chat) -> bool:
    """Whether a chat model has methods of its own that must be awaited."""
    inner = core(chat)
    base, names = (
        (BaseChatModel, ("_agenerate", "_astream"))
        if isinstance(inner, BaseChatModel)
        else (Runnable, ("ainvoke",))
    )
    return any(getattr(type(inner), name) is not getattr(base, name) for name in names)


def _refuse_completion_models(chat: Chat) -> None:
    """Raise SettingError if a model that may answer completes texts, and takes no messages."""
    for model in cores(chat):
        if isinstance(model, BaseLanguageModel) and not isinstance(model, BaseChatModel):
            name = type(model).__name__
            raise SettingError(
                f"chat: {name} is a completion model, which returns a text and not a message; give "
                f"the chat model of its provider (such as ChatOpenAI for OpenAI), or "
                f"{name}(…) | RunnableLambda(lambda text: AIMessage(text))"
            )


def _named(chat: Chat) -> str:
    inner = core(chat)
    end = f" that ends in {type(inner).__name__}" if inner is not chat else ""
    return type(chat).__name__ + end


def _message(reply: Any) -> BaseMessage:
    if not isinstance(reply, BaseMessage):
        raise ModelError(
            f"chat: the runnable returned {type(reply).__name__}; return a message, such as "
            "AIMessage(text)"
        )
    return reply


def _without_tools(chat: Chat) -> Chat:
    if isinstance(chat, RunnableBindingBase):
        kept = {name: value for name, value in chat.kwargs.items() if name not in _TOOLS}
        return chat.model_copy(update={"bound": _without_tools(chat.bound), "kwargs": kept})
    if isinstance(chat, RunnableWithFallbacks):
        return _rebuild_each(chat, _without_tools)
    if isinstance(chat, RunnableSequence):
        return RunnableSequence(*chat.steps[:-1], _without_tools(chat.last))
    return chat


def with_schema(
    chat: Chat,
    schema: type,
    can: Callable[[Chat], bool],
    given: Mapping[str, Any] = MappingProxyType({}),
) -> Chat:
    """The chat model, in its wrappers, which asks for ``schema``; it returns LangChain's ``{"raw",
    "parsed", "parsing_error"}``.

    Arguments that were bound to it, and those ``given``, are part of every call of the model.
    Models that cannot be asked for a schema (``can``) are asked for text. Raises the errors of the
    model's class, and NotImplementedError if the arguments would be lost.
    """
    if isinstance(chat, RunnableBindingBase):
        # Wrappers pass on their arguments; the runnable that is made of the model here takes none.
        bound = with_schema(chat.bound, schema, can, {**chat.kwargs, **given})
        return chat.model_copy(update={"bound": bound, "kwargs": {}})

    def each(model: Chat) -> Chat:
        if can(model):
            return with_schema(model, schema, can, given)
        return model.bind(**given) | RunnableLambda(
            lambda reply: {"raw": reply, "parsed": None, "parsing_error": None}
        )

    if isinstance(chat, RunnableWithFallbacks):
        return _rebuild_each(chat, each)
    if isinstance(chat, RunnableSequence):
        return RunnableSequence(*chat.steps[:-1], with_schema(chat.last, schema, can, given))
    if isinstance(chat, DynamicRunnable):
        return RunnableLambda(lambda _, config: each(chat.prepare(config)[0]))
    asked: Chat = chat.with_structured_output(schema, include_raw=True)  # type: ignore[attr-defined]
    settings = {name: value for name, value in given.items() if name not in _FORMS}
    return _called_with(settings, asked) if settings else asked


def _called_with(given: Mapping[str, Any], asked: Chat) -> Chat:
    """LangChain's runnable that asks a model for a schema, with these arguments for the model.

    Raises NotImplementedError for a runnable of another form, whose model cannot be accessed.
    """
    first = asked.first if isinstance(asked, RunnableSequence) else None
    within = first.steps__ if isinstance(first, RunnableParallel) else {}
    if not isinstance(asked, RunnableSequence) or set(within) != {"raw"}:
        raise NotImplementedError("arguments that were bound to the model would not reach it")
    model = within["raw"]
    # The arguments for the schema override those that the caller bound.
    schema = model.kwargs if isinstance(model, RunnableBindingBase) else {}
    bound: Chat = RunnableParallel(raw=model.bind(**{**given, **schema}))
    return RunnableSequence(bound, *asked.middle, asked.last)


def _rebuild_each(chat: RunnableWithFallbacks[Any, Any], make: Callable[[Chat], Chat]) -> Chat:
    """The model and its fallbacks, each rebuilt."""
    made = {"runnable": make(chat.runnable), "fallbacks": [make(item) for item in chat.fallbacks]}
    return chat.model_copy(update=made)
