"""Parts of other programs that can only be awaited."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnableParallel
from langchain_core.vectorstores import VectorStore

from anamnesis import ModelError
from graph import as_tool, build_graph
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import ScriptedChat, ToolChat, in_turn
from tests.graph.conftest import ASK, ASTHMA, CHECKED, GOOD, Always, ScriptedCritic
from tests.graph.test_given_parts import ANYTHING, Fixed, Hashed, asthma
from tests.retrievers.conftest import records

Loops = list[asyncio.AbstractEventLoop]
USED: Loops = []
"""The loops in which the parts of a test were awaited."""


def note() -> None:
    USED.append(asyncio.get_running_loop())


class Retriever(Fixed):
    """A retriever that can only be awaited."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        raise NotImplementedError

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        note()
        return self.documents


class Store(VectorStore):
    """A store that can only be awaited, without scores."""

    def similarity_search(self, query: str, k: int = 4, **more: Any) -> list[Document]:
        raise NotImplementedError

    async def asimilarity_search(self, query: str, k: int = 4, **more: Any) -> list[Document]:
        note()
        return [asthma()]

    @classmethod
    def from_texts(cls, *given: Any, **more: Any) -> Any:
        return cls()


class Compressor(BaseDocumentCompressor):
    """A compressor that can only be awaited."""

    def compress_documents(self, documents: Any, query: str, callbacks: Any = None) -> Any:
        raise NotImplementedError

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> Sequence[Document]:
        note()
        return documents


class Vectors(Embeddings):
    """Embeddings that can only be awaited."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise NotImplementedError

    def embed_query(self, text: str) -> list[float]:
        raise NotImplementedError

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        note()
        return Hashed().embed_documents(texts)

    async def aembed_query(self, text: str) -> list[float]:
        note()
        return Hashed().embed_query(text)


class Model(ScriptedChat):
    """A chat model that can only be awaited."""

    def __init__(self) -> None:
        super().__init__(lambda _: NotImplementedError())

    async def _agenerate(self, messages: Any, *given: Any, **more: Any) -> ChatResult:
        note()
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"{GOOD} [1]"))])


class Asking(Runnable[Any, Any]):
    """A runnable in place of a chat model, which can only be awaited."""

    def invoke(self, input: Any, config: Any = None, **more: Any) -> Any:
        raise NotImplementedError

    async def ainvoke(self, input: Any, config: Any = None, **more: Any) -> Any:
        note()
        return AIMessage(f"{GOOD} [1]")


async def find(query: str) -> list[Document]:
    note()
    return [asthma()]


async def say(messages: Any) -> AIMessage:
    note()
    return AIMessage(f"{GOOD} [1]")


RETRIEVERS: list[Any] = [Retriever(documents=[asthma()]), Store(), RunnableLambda(find)]
CHATS: list[Any] = [
    Model(),
    Model().with_config(tags=["mine"]),
    Asking(),
    RunnableLambda(say),
    RunnableLambda(lambda messages: messages) | RunnableLambda(say),
    RunnableParallel(said=RunnableLambda(say)) | RunnableLambda(lambda found: found["said"]),
]


@pytest.fixture(params=["invoke", "ainvoke", "invoke within a loop"])
def run(request: pytest.FixtureRequest) -> Callable[[Any, Any], Any]:
    """Runs a graph, and checks that what was awaited was awaited in the right loop."""

    async def called(graph: Any, context: Any) -> Any:
        USED.clear()
        loop = asyncio.get_running_loop()
        if request.param == "ainvoke":
            found = await graph.ainvoke(ASK, context=context)
            assert set(USED) == {loop}
        else:
            found = graph.invoke(ASK, context=context)
            assert loop not in USED
        return found["answer"]

    def running(graph: Any, context: Any) -> Any:
        if request.param != "invoke":
            return asyncio.run(called(graph, context))
        USED.clear()
        answer = graph.invoke(ASK, context=context)["answer"]
        assert len(set(USED)) == 1
        return answer

    return running


@pytest.mark.parametrize("given", RETRIEVERS, ids=lambda given: type(given).__name__)
def test_a_retriever_is_awaited(given: BaseRetriever, run: Any, no_home: object) -> None:
    graph = build_graph(retriever=given, reranker=Always())
    for _ in range(2):
        assert run(graph, ANYTHING)["sources"][0]["id"] == "a-1"


def test_a_reranker_is_awaited(small_index: Index, run: Any) -> None:
    graph = build_graph(index=small_index, reranker=Compressor())
    assert run(graph, ANYTHING)["sources"]


def test_embeddings_are_awaited(tmp_path: Any, run: Any) -> None:
    from anamnesis.models.langchain_embeddings import LangChainEmbedder

    build(records(3), tmp_path, LangChainEmbedder(Vectors()), "one")
    graph = build_graph(index=tmp_path, embeddings=Vectors(), reranker=Always())
    assert run(graph, ANYTHING)["sources"]


@pytest.mark.parametrize("given", CHATS, ids=lambda given: type(given).__name__)
def test_a_chat_model_is_awaited_and_only_calls_that_were_made_are_counted(
    small_index: Index, given: Any, run: Any
) -> None:
    graph = build_graph(
        index=small_index, chat=given, critic=ScriptedCritic({GOOD: 0.9}), reranker=Always()
    )
    answer = run(graph, CHECKED)
    assert [item["text"] for item in answer["statements"]] == [GOOD]
    assert sum(entry["failed"] for entry in answer["usage"]["steps"].values()) == 0


def test_an_awaited_agent_awaits_the_tool(small_index: Index) -> None:
    graph = build_graph(retriever=Retriever(documents=[asthma()]), reranker=Always())
    tool = as_tool(graph, ANYTHING)
    call = {"name": tool.name, "args": ASK, "id": "1"}
    agent: Any = create_agent(ToolChat(in_turn(AIMessage("", tool_calls=[call]), "Done.")), [tool])

    async def asked() -> Any:
        USED.clear()
        found = await agent.ainvoke({"messages": [("user", "Asthma?")]})
        assert set(USED) == {asyncio.get_running_loop()}
        return found["messages"][2]

    assert asyncio.run(asked()).artifact["statements"][0]["text"] in ASTHMA


class Neither(BaseDocumentCompressor):
    """A compressor that implements nothing."""

    def compress_documents(self, documents: Any, query: str, callbacks: Any = None) -> Any:
        raise NotImplementedError


def test_a_part_that_implements_neither_is_named_with_its_methods(small_index: Index) -> None:
    graph = build_graph(index=small_index, reranker=Neither())
    named = "reranker: Neither implements neither compress_documents nor acompress_documents"
    with pytest.raises(ModelError, match=named):
        graph.invoke(ASK, context=ANYTHING)
    with pytest.raises(ModelError, match=named):
        asyncio.run(graph.ainvoke(ASK, context=ANYTHING))
