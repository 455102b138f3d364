"""All five systems together: their union, and presets with only what a paper has [A1, A2]."""

from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from anamnesis.corpus.record import Record
from anamnesis.corpus.triplets import Fact, record
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from graph import Context, build_graph
from nodes.settings.presets import PRESETS
from prompts import NOT_FOUND
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder, ScriptedReader
from tests.graph.conftest import (
    ASK,
    ASTHMA,
    GOOD,
    GOUT,
    MEASLES,
    WRONG,
    Queue,
    ScriptedCritic,
    built,
    path_of,
)

Chat = Callable[..., Queue]
# The few documents of this index are found in every round.
SETTINGS: dict[str, Any] = {"user": "ann", "loop.stop_without_new_passages": False}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("union")
    passages = [
        Record(name.lower(), name, text, f"What is {name.lower()}?", "Test", "", name)
        for name, text in (("Asthma", ASTHMA), ("Gout", GOUT), ("Measles", MEASLES))
    ]
    build(passages, folder, HashEmbedder(), "passages")
    facts = [Fact(text, "may_treat", "Asthma", ("kb",)) for text in ("Salbutamol", "Budesonide")]
    build([record(fact, {}) for fact in facts], folder, HashEmbedder(), "kb")
    return Index.open(folder, HashEmbedder())


@pytest.fixture
def memories(tmp_path: Path) -> Memories:
    kept = Memories(tmp_path / "memory", HashEmbedder())
    make = Memory.make
    kept.add(
        "ann",
        [
            make(owner="ann", kind="exchange", text="What is asthma?\nAn illness of the airways."),
            make(owner="ann", kind="question", text="Inferred: the user asks what asthma is."),
        ],
    )
    return kept


def test_the_default_has_the_steps_of_all_five(
    index: Index, memories: Memories, queue: Chat
) -> None:
    methods = ("sparse", "dense", "facts")
    context = Context.model_validate(
        {**SETTINGS, "memory.consent": True, "retrieval.methods": methods}
    )
    chat = queue(f"{WRONG} [1]", f"{GOOD} [1]")
    graph = built(index, chat, {GOOD: 0.9}, memories=memories)
    answer: Any = None
    path = []
    hits: list[Any] = []
    for update in graph.stream(ASK, context=context, stream_mode="updates"):
        for step, item in update.items():
            path.append(step)
            hits = (item or {}).get("hits", hits)
            answer = (item or {}).get("answer", answer)
    # H2, S1: memory and retrieval; read, write, verify, and search again for what failed.
    again = ["rerank", "generate", "verify"]
    assert sorted(path[:3]) == ["recall", "retrieve", "screen"]
    assert path[3:] == [*again, "rewrite", "retrieve", *again, "remember"]
    # R3, K7: passages of two lists, and facts.
    assert {name for hit in hits for name in hit["ranks"]} == set(methods)
    prompt = chat.seen[0][-1].content
    for said in ("Asthma causes wheezing", "Salbutamol may treat Asthma", "illness of the airways"):
        assert said in prompt
    # S3: a statement with its citation; S7: what failed is not shown.
    [statement] = answer["statements"]
    assert (statement["text"], bool(statement["citations"])) == (GOOD, True)
    assert answer["rounds"] == 2
    assert WRONG not in answer["text"]
    # H1: the exchange is remembered.
    assert any(GOOD in memory.text for memory in memories.all("ann"))
    # H5: without an answer the run ends in the fallback.
    silent = built(index, queue(NOT_FOUND), {}, memories=memories)
    assert path_of(silent, ASK, context)[-2:] == ["fallback", "remember"]


LAST = ScriptedReader(lambda _, pages: [*[0.01] * (len(pages) - 1), 0.99])
"""Finds that only the last passage of the list answers."""
PARTS = {
    "default": {"memory", "sparse", "dense", "reranker", "critic", "loop"},
    "hybrid-memory": {"memory", "sparse", "dense"},
    "mark": {"memory", "dense"},
    "sparse-dense": {"sparse", "dense", "reranker"},
    "mkrag": {"facts"},
    "self-medrag": {"sparse", "dense", "critic", "loop"},
}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_the_parts_of_its_paper_and_no_other(
    index: Index, memories: Memories, preset: str
) -> None:
    graph = build_graph(
        index=index,
        chat=Queue(messages=repeat(AIMessage(f"{WRONG} [1]")), seen=[]),
        critic=ScriptedCritic({}),
        reranker=LAST,
        memories=memories,
    )
    context = Context.model_validate({**SETTINGS, "preset": preset})
    state: dict[str, Any] = {}
    for update in graph.stream(ASK, context=context, stream_mode="updates"):
        for step in update.values():
            state |= step or {}
    selected = [item["id"] for item in state["selected"]]
    fused = [hit["id"] for hit in state["hits"] if hit["id"] in selected]
    found = {name for hit in state["hits"] for name in hit["ranks"]}
    used = {
        "memory": state["draft"]["prompt"]["memories"],
        "reranker": selected != fused,
        "critic": state["answer"]["critic"],
        "loop": state["answer"]["rounds"] > 1,
    }
    assert found | {part for part, is_used in used.items() if is_used} == PARTS[preset]
