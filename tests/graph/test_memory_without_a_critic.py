"""On a server a critic that cannot be loaded leaves statements unchecked, and memories go on."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis import ModelError
from anamnesis.corpus.record import Record
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from graph import Context, build_graph
from retrievers.build import build

ANN = Context(user="ann", memory={"consent": True})
CAUSE = "Gout is caused by crystals of uric acid in a joint."


@pytest.fixture
def memories(tmp_path: Path) -> Memories:
    return Memories(tmp_path / "memory", load_embedder(DEFAULT_EMBEDDER))


def put(folder: Path, gout: str) -> None:
    records = [Record("gout", "Gout", gout, "What causes gout?")]
    build(records, folder, load_embedder(DEFAULT_EMBEDDER), "test")


def unavailable(*_: object) -> Any:
    raise ModelError("the weights are missing")


def test_other_memories_are_recalled_if_an_earlier_answer_cannot_be_judged_again(
    tmp_path: Path, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "index", CAUSE)
    graph = build_graph(index=tmp_path / "index", memories=memories, policy=lambda asked: asked)
    graph.invoke({"question": "I am allergic to penicillin. What causes gout?"}, context=ANN)
    put(tmp_path / "index", "Gout is caused by a lack of vitamin C.")
    monkeypatch.setattr("nodes.parts.load_critic", unavailable)
    answer = graph.invoke({"question": "What am I allergic to?"}, context=ANN)["answer"]
    assert answer["reason"] == "remembered"
    assert "penicillin" in answer["statements"][0]["text"]
    [earlier] = [memory for memory in memories.all("ann") if CAUSE in memory.text]
    assert earlier.grounds
    assert earlier.grounds.unsupported == ()


def test_a_turn_is_stored_with_all_that_follows_if_memories_cannot_be_compared(
    tmp_path: Path, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "index", CAUSE)
    graph = build_graph(index=tmp_path / "index", memories=memories, policy=lambda asked: asked)
    context = ANN.changed({"memory.max_memories": 2, "memory.contradictions": True})
    graph.invoke({"question": "I have asthma. What causes gout?"}, context=context)
    monkeypatch.setattr("nodes.parts.load_critic", unavailable)
    for checked in ("own", None):
        asked = context.changed({"verification.critic": checked})
        graph.invoke({"question": "I have no asthma. What causes gout?"}, context=asked)
        kept = [memory for memory in memories.all("ann") if memory.kind != "profile"]
        assert any("no asthma" in memory.text for memory in kept)
        assert len(kept) == 2
