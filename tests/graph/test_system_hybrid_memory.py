"""The preset `hybrid-memory`, row by row [H1–H6]."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamnesis.memory.content import Exchange, Shown
from anamnesis.memory.store import Memories
from anamnesis.models.chat import MARKS, count_tokens, prompt_tokens
from graph import Context
from prompts import NOT_FOUND
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.graph.conftest import ASK, GOOD, Queue, built

Chat = Callable[..., Queue]
HYBRID: dict[str, Any] = {"preset": "hybrid-memory", "user": "ann", "memory.consent": True}


def context(**more: Any) -> Context:
    return Context.model_validate({**HYBRID, **more})


def test_an_exchange_is_kept_unchecked_and_recalled_by_cosine(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    chat = queue(f"{GOOD} [1]", f"{GOOD} [1]")
    graph = built(small_index, chat, {}, memories=memories)
    first = graph.invoke(ASK, context=context())["answer"]
    assert (first["reason"], first["outcome"]) == ("unchecked", "answered")
    [kept] = memories.all("ann")
    assert (kept.kind, kept.text) == ("exchange", f"What is asthma?\n{GOOD} (not checked)")
    shown = (Shown(text=GOOD, checked=False),)
    assert kept.content == Exchange(question="What is asthma?", statements=shown)
    second = graph.invoke(ASK, context=context())["answer"]
    assert [memory["id"] for memory in second["memories"]] == [kept.id]
    assert second["memories"][0]["score"]["cosine"] >= 0.4
    assert "(not checked)" in chat.seen[-1][-1].content
    # What is recalled is no source.
    assert {source["id"] for source in second["sources"]} == {"asthma"}


def test_every_exchange_is_appended_also_one_without_an_answer(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    graph = built(small_index, queue(NOT_FOUND), {}, memories=memories)
    answer = graph.invoke(ASK, context=context())["answer"]
    assert answer["outcome"] == "abstained"
    [kept] = memories.all("ann")
    assert kept.content == Exchange(question="What is asthma?")
    assert kept.text == "What is asthma?\nThis was not answered."


def test_exchanges_alone_are_kept_and_only_with_consent(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    graph = built(small_index, queue(GOOD, GOOD), {}, memories=memories)
    said = {"question": "I have asthma. What is asthma?"}
    graph.invoke(said, context=context(**{"memory.consent": False}))
    assert memories.all("ann") == []
    graph.invoke(said, context=context())
    assert [memory.kind for memory in memories.all("ann")] == ["exchange"]


def test_an_emergency_is_answered_by_us_and_not_kept(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    graph = built(small_index, queue(), {}, memories=memories)
    said = {"question": "I have crushing chest pain and I can't breathe"}
    assert graph.invoke(said, context=context())["answer"]["outcome"] == "urgent"
    assert memories.all("ann") == []


def test_two_memories_above_the_threshold_are_recalled(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    graph = built(small_index, queue(*[GOOD] * 6), {}, memories=memories)
    for said in ("What is asthma?", "What is asthma like?", "What is asthma caused by?"):
        graph.invoke({"question": said}, context=context())
    graph.invoke({"question": "Dose of zinc?"}, context=context())
    assert len(graph.invoke(ASK, context=context())["answer"]["memories"]) == 2
    far = graph.invoke({"question": "Treating measles rash"}, context=context())["answer"]
    assert far["memories"] == []


def test_the_model_is_asked_though_no_passage_reaches_a_gate(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    chat = queue(NOT_FOUND)
    graph = built(small_index, chat, {}, memories=memories)
    # A reader that finds nothing relevant stands in no model's way.
    graph.invoke({"question": "Thanks"}, context=context(**{"retrieval.min_relevance": 1.0}))
    assert "Question: Thanks" in chat.seen[0][-1].content


def test_the_prompt_holds_documents_memories_and_question_within_1024_tokens(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    chat = queue(GOOD, GOOD)
    graph = built(small_index, chat, {}, memories=memories)
    graph.invoke(ASK, context=context())
    updates = graph.stream(ASK, context=context(), stream_mode="updates")
    [prompt] = [update["generate"]["draft"]["prompt"] for update in updates if "generate" in update]
    system, user = (message.content for message in chat.seen[-1])
    assert prompt["tokens"] == prompt_tokens(chat, system, user) <= 1024
    assert all(heading in user for heading in ("Documents:", "Earlier exchanges", "Question:"))
    assert "Asthma causes" in user
    assert f"{GOOD} (not checked)" in user
    assert context().generator.prompt_tokens == 1024


def test_memories_and_documents_are_searched_side_by_side(small_index: Index, queue: Chat) -> None:
    drawing = built(small_index, queue(), {}).get_graph()
    edges = {(edge.source, edge.target) for edge in drawing.edges}
    wanted = {
        (a, b) for text in ("recall", "retrieve") for a, b in (("screen", text), (text, "rerank"))
    }
    assert wanted <= edges
    assert not {("recall", "retrieve"), ("retrieve", "recall")} & edges


def test_one_document_of_the_dense_list_is_always_in_the_prompt(
    small_index: Index, queue: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    [measles] = [hit for hit in small_index.sparse("measles", 3) if hit.id.startswith("measles")]
    monkeypatch.setattr(Index, "dense", lambda self, vector, k: [measles])
    chat = queue(GOOD)
    weights = {"sparse": 50.0, "dense": 1.0}
    settings = {
        "memory.consent": False, "generator.passages": 2, "retrieval.weights": weights
    }  # fmt: skip
    graph = built(small_index, chat, {})
    graph.invoke({"question": "Asthma or gout?"}, context=context(**settings))
    prompt = chat.seen[0][-1].content
    assert [f"[{n}]" in prompt for n in (1, 2, 3)] == [True, True, False]
    assert "Measles" in prompt


def test_a_memory_below_the_threshold_is_not_recalled(
    small_index: Index, queue: Chat, tmp_path: Path
) -> None:
    class Turned(HashEmbedder):
        """Puts each text about gout at a cosine of .39, or .41, from the question."""

        def embed_documents(self, texts: Sequence[str], progress: Any = None) -> Any:
            said = [0.39 if "zinc" in text else 0.41 if "gout" in text else 1.0 for text in texts]
            found = np.zeros((len(texts), self.dimensions), np.float32)
            found[:, 0], found[:, 1] = said, np.sqrt(1 - np.square(said))
            return found

        embed_queries = embed_documents

    memories = Memories(tmp_path / "turned", Turned())
    graph = built(small_index, queue(*[GOOD] * 3), {}, memories=memories)
    for said in ("Dose of zinc?", "What is gout?"):
        graph.invoke({"question": said}, context=context())
    # No word of the question is in a memory: only the cosine decides.
    recalled = graph.invoke({"question": "Measles"}, context=context())["answer"]["memories"]
    assert [memory["text"].splitlines()[0] for memory in recalled] == ["What is gout?"]


def test_the_tokens_of_the_chat_template_count(small_index: Index, queue: Chat) -> None:
    chat = queue(GOOD, GOOD)
    graph = built(small_index, chat, {})
    graph.invoke(ASK, context=context(**{"memory.consent": False}))
    system, user = (message.content for message in chat.seen[0])
    least = count_tokens(chat, system) + count_tokens(chat, user) + MARKS
    assert prompt_tokens(chat, system, user) == least
    # Below the size of the whole prompt, marks and all, something is left out.
    graph.invoke(
        ASK, context=context(**{"memory.consent": False, "generator.prompt_tokens": least - 1})
    )
    assert len(chat.seen[1][-1].content) < len(user)
