"""A small index and scripted models, so that every route of the graph can be taken."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import ConfigDict

from anamnesis.corpus.record import Record
from anamnesis.memory.store import Memories
from graph import Context, build_graph
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import FakeCritic, HashEmbedder, Queue, ScriptedReader

# In other words than the documents: a quotation needs no critic.
GOOD = "Wheezing is caused by asthma."
TREATED = "Inhaled medicines treat asthma."
WRONG = "Asthma is cured by honey."
WORSE = "Asthma is caused by cats."
ASK = {"question": "What is asthma?"}
# Three documents: every round finds the same ones.
CHECKED = Context(retrieval={"min_relevance": 0.0}, loop={"stop_without_new_passages": False})
ASTHMA = "Asthma causes wheezing. Asthma is treated with inhaled medicines. Attacks can be severe."
GOUT = "Gout is caused by uric acid crystals. Gout often strikes the big toe."
MEASLES = "Measles causes a rash. Measles spreads through the air."


@pytest.fixture(scope="session")
def small_index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("small")
    records = [
        Record("asthma", "Asthma", ASTHMA, "What is asthma?", "Test", "https://a.test", "Asthma"),
        Record("gout", "Gout", GOUT, "What is gout?", "Test", "https://g.test", "Gout"),
        Record("measles", "Measles", MEASLES, "What is measles?", "Test", "", "Measles"),
    ]
    build(records, folder, HashEmbedder(), "small")
    return Index.open(folder, HashEmbedder())


class ScriptedCritic(FakeCritic):
    """Gives each statement the probability that a table says (0 where it says nothing)."""

    def __init__(self, table: Mapping[str, float], against: Sequence[str] = ()) -> None:
        super().__init__(
            lambda said, _: (table.get(said, 0.0), 0.99 if said in against else 0.0), "scripted"
        )


class Always(ScriptedReader):
    """A reader that keeps the order and finds that everything answers."""

    def __init__(self) -> None:
        super().__init__(lambda _, pages: [0.99 - at / 100 for at in range(len(pages))], "always")


class WaitingChat(BaseChatModel):
    """Writes word by word, and the last sentence only once ``released`` is set, or in vain."""

    released: Event
    last: str
    first: str
    waited: list[bool] = []  # noqa: RUF012

    model_config = ConfigDict(arbitrary_types_allowed=True)

    @property
    def _llm_type(self) -> str:
        return "waiting"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise AssertionError("asked for all at once")

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any
    ) -> Iterator[ChatGenerationChunk]:
        for word in [*self.first.split(), "", *self.last.split()]:
            if not word:
                self.waited.append(self.released.wait(5))
                continue
            chunk = ChatGenerationChunk(message=AIMessageChunk(f"{word} "))
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


@pytest.fixture
def queue() -> Callable[..., Queue]:
    return lambda *replies: Queue(messages=iter([AIMessage(reply) for reply in replies]), seen=[])


@pytest.fixture
def memories(tmp_path: Path) -> Memories:
    """A store without a memory."""
    return Memories(tmp_path / "memory", HashEmbedder())


def built(
    index: Index,
    chat: Queue | None,
    table: dict[str, float],
    *,
    memories: Memories | None = None,
    **more: Any,
) -> Any:
    """The graph with scripted models: ``table`` gives the critic's probabilities."""
    return build_graph(
        index=index,
        chat=chat,
        critic=ScriptedCritic(table, **more),
        reranker=Always(),
        memories=memories,
    )


def ask(index: Index, memories: Memories, question: str, context: Context) -> Any:
    """The answer of a graph without a chat model, whose critic finds nothing supported."""
    graph = built(index, None, {}, memories=memories)
    return graph.invoke({"question": question}, context=context)["answer"]


def path_of(graph: Any, question: dict[str, Any], context: Context = CHECKED) -> list[str]:
    """The steps of a run, in their order."""
    return [
        name
        for update in graph.stream(question, context=context, stream_mode="updates")
        for name in update
    ]
