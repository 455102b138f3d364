"""Stand-ins for models: deterministic, instant, offline."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

from anamnesis.errors import ModelError
from anamnesis.language.text import sentences, tokenize
from anamnesis.models.critic import Support
from anamnesis.models.reading import Reading


@cache
def _direction(word: str, dimensions: int) -> npt.NDArray[np.float64]:
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest())
    return np.random.default_rng(seed).standard_normal(dimensions)


def count_words(texts: Sequence[str]) -> list[int]:
    """In place of a model's tokens."""
    return [len(text.split()) for text in texts]


class HashEmbedder:
    """Embeds a text as the unit sum of one pseudo-random direction for each of its words.

    Texts that share words are near each other; ``calls`` keeps every document it embedded.
    """

    dimensions = 64
    window = query_window = 64
    normalized = True

    def __init__(self, fingerprint: str = "hash-1") -> None:
        self.reference = f"fake:{fingerprint}"
        self.fingerprint = fingerprint
        self.calls: list[str] = []

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return count_words(texts)

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> npt.NDArray[np.float32]:
        self.calls += texts
        if progress is not None and texts:
            progress(len(texts))
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in tokenize(text) or [text]:
                vectors[row] += _direction(word, self.dimensions)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(norms, 1e-9)


class Clock:
    """Tells the seconds that ``now`` was set to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


Judged = float | tuple[float, float | None] | Support
Method = Literal["similarity", "entailment", "llm"]


class FakeCritic:
    """Judges a statement by a premise with a function of both, and keeps the pairs in ``asked``.

    The function returns the entailment, or it and the contradiction, or a ``Support``.
    """

    def __init__(
        self,
        rule: Callable[[str, str], Judged],
        name: str = "fake",
        method: Method = "entailment",
    ) -> None:
        self.rule, self.name, self.method = rule, name, method
        self.asked: list[tuple[str, str]] = []

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        return [
            [self._one(s, p) for p in premise]
            for s, premise in zip(statements, premises, strict=True)
        ]

    def _one(self, statement: str, premise: str) -> Support:
        self.asked.append((statement, premise))
        found = self.rule(statement, premise)
        if isinstance(found, Support):
            return found
        both = found if isinstance(found, tuple) else (found, 0.0)
        return Support(*both, 0, len(premise))


def by_words(*rows: tuple[str, str, float, float]) -> Callable[[str, str], Judged]:
    """Entailment and contradiction of the first row with words of the statement and the premise.

    The words of the statement are in lower case. Without such a row, both are 0.
    """

    def judged(statement: str, premise: str) -> Judged:
        for said, there, entailment, contradiction in rows:
            if said in statement.lower() and there in premise:
                return entailment, contradiction
        return 0.0

    return judged


def silent(*_: object) -> Judged:
    """The judgement of a critic that does not answer."""
    raise ModelError("silent")


def shared_words(statement: str, premise: str) -> float:
    """The share of the statement's words that the premise has."""
    words = set(statement.lower().split())
    return len(words & set(premise.lower().split())) / len(words)


class WordCritic(FakeCritic):
    """Entailment by shared words, contradiction where the hypothesis has the word 'cause'."""

    def __init__(self) -> None:
        super().__init__(
            lambda said, text: (
                shared_words(said, text),
                0.9 if "cause" in said.lower().split() else 0.0,
            ),
            "words",
        )


class ScriptedReader:
    """A reader that reads passages with a function, and keeps the questions in ``asked``.

    The function gets the question, and headings with texts. It returns readings, or scores, which
    each sentence of the passage gets as well.
    """

    method: Literal["similarity", "cross-encoder"] = "cross-encoder"

    def __init__(
        self,
        rule: Callable[[str, Sequence[tuple[str, str]]], Sequence[float | Reading]],
        name: str = "scripted",
    ) -> None:
        self.rule, self.name = rule, name
        self.asked: list[str] = []

    def score(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        return [item.relevance for item in self.read(query, passages)]

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        self.asked.append(question)
        return [
            found
            if isinstance(found, Reading)
            else Reading(found, tuple((*span, found) for span in sentences(text)), {})
            for found, (_, text) in zip(self.rule(question, passages), passages, strict=True)
        ]


class NoReranker(ScriptedReader):
    """Finds all passages equal."""

    def __init__(self) -> None:
        super().__init__(lambda _, passages: [0.5] * len(passages), "none")


Reply = str | list[Any] | dict[str, Any] | AIMessage | Exception
Rule = Callable[[list[BaseMessage]], Reply]


class Call(NamedTuple):
    """What a chat model was asked: the messages, the tags, and what was bound (stop, tools)."""

    messages: list[BaseMessage]
    tags: list[str]
    bound: dict[str, Any]


class ScriptedChat(BaseChatModel):
    """A chat model that replies by a function of the messages, and keeps its calls in ``seen``.

    The function returns text, a message, or an error, which is raised.
    """

    rule: Rule
    seen: list[Call] = Field(default_factory=list)

    def __init__(self, rule: Rule, **fields: Any) -> None:
        super().__init__(rule=rule, **fields)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def asked(self) -> list[str]:
        """The text of the last message of each call."""
        return [call.messages[-1].text for call in self.seen]

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **bound: Any
    ) -> ChatResult:
        tags = run_manager.tags if run_manager else []
        self.seen.append(Call(messages, tags, {"stop": stop, **bound}))
        reply = self.rule(messages)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, dict):
            call = {"name": bound["tools"][0].__name__, "args": reply, "id": "1"}
            reply = AIMessage("", tool_calls=[call])
        message = reply if isinstance(reply, AIMessage) else AIMessage(reply)
        return ChatResult(generations=[ChatGeneration(message=message)])


class ToolChat(ScriptedChat):
    """The same with tools: a dictionary is a call of the tool, with these arguments."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=tools)


class FailingChat(ScriptedChat):
    """A chat model that fails every call."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(lambda _: error or RuntimeError("out of order"))


def in_turn(*replies: Reply, then: Rule | None = None) -> Rule:
    """These replies, one for each call, and after them those of ``then``."""
    left = deque(replies)
    return lambda messages: then(messages) if then and not left else left.popleft()


class Queue(GenericFakeChatModel):
    """A chat model that replies with what it was given, also word by word; keeps the messages."""

    seen: list[Any] = []  # noqa: RUF012

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.seen.append(messages)
        return super()._generate(messages, *args, **kwargs)
