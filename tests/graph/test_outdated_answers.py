"""Stored answers are verified again when the index changes, and their owner is informed."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from anamnesis.memory.content import Exchange, Said, Shown
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from graph import Context, build_graph
from nodes.remembering import outdated
from retrievers.build import build

CAUSE = "Gout is caused by crystals of uric acid in a joint."
SETTINGS = Context(user="ann", memory={"consent": True})
Put = Callable[..., None]


@pytest.fixture
def memories(tmp_path: Path) -> Memories:
    return Memories(tmp_path / "memory", load_embedder(DEFAULT_EMBEDDER))


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Put texts on gout, by record, into the index in place of what it held."""

    def update(folder: str = "index", *more: Record, **texts: str) -> None:
        records = [
            Record("measles", "Measles", "Measles causes a rash.", "What is measles?"),
            *more,
        ]
        records += [Record(key, "Gout", text, "What causes gout?") for key, text in texts.items()]
        build(records, tmp_path / folder, load_embedder(DEFAULT_EMBEDDER), "test")

    return update


@pytest.fixture
def ask(tmp_path: Path, memories: Memories) -> Callable[..., dict[str, Any]]:
    def asked(
        question: str = "What causes gout?", folder: str = "index", **settings: Any
    ) -> dict[str, Any]:
        graph = build_graph(index=tmp_path / folder, memories=memories)
        context = SETTINGS.changed(settings)
        answer: dict[str, Any] = graph.invoke({"question": question}, context=context)["answer"]
        return answer

    return asked


Ask = Callable[..., dict[str, Any]]


def exchange(memories: Memories) -> Memory:
    [memory] = [memory for memory in memories.all("ann") if memory.kind == "exchange"]
    return memory


def notes(answer: dict[str, Any]) -> list[str]:
    return [note for note in answer["notes"] if "have changed since" in note]


def test_an_answer_whose_source_says_something_else_is_not_recalled_and_its_owner_informed_once(
    put: Put, ask: Ask, memories: Memories
) -> None:
    put(gout=f"{CAUSE} It often begins in the big toe.")
    assert CAUSE in ask()["text"]
    assert exchange(memories).grounds
    put(gout="Gout is caused by a lack of vitamin C. It often begins in the big toe.")
    answer = ask("What is measles?")
    [note] = notes(answer)
    assert CAUSE in note
    assert "What causes gout?" in note
    assert note in answer["text"]
    [old] = [memory for memory in memories.all("ann") if CAUSE in memory.text]
    assert not old.is_active
    assert old.grounds
    assert old.grounds.unsupported[0] == CAUSE
    assert old.id not in {one.memory.id for one in memories.nearest("ann", "What causes gout?")}
    assert not notes(ask("What is measles?"))
    assert [entry["what"] for entry in memories.audit("ann")].count("verify") == 1


def test_it_counts_again_when_the_source_says_it_again(
    put: Put, ask: Ask, memories: Memories
) -> None:
    put(gout=CAUSE)
    ask()
    put(gout="Gout is caused by a lack of vitamin C.")
    ask("What is measles?")
    put(gout=CAUSE)
    assert not notes(ask("What is measles?"))
    [memory] = [memory for memory in memories.all("ann") if CAUSE in memory.text]
    assert memory.is_active


@pytest.mark.parametrize(
    "texts",
    [
        {"gout": CAUSE, "another": "Gout is more frequent in men."},
        {"gout": f"Here is what is known. {CAUSE}"},
        {"another": f"{CAUSE} It hurts."},
    ],
    ids=["nothing cited changed", "the text around it changed", "another record says it"],
)
def test_what_is_still_supported_counts(
    put: Put, ask: Ask, memories: Memories, texts: dict[str, str]
) -> None:
    put(gout=CAUSE)
    ask()
    put(**texts)
    assert not notes(ask("What is measles?"))
    [memory] = [memory for memory in memories.all("ann") if CAUSE in memory.text]
    assert memory.is_active
    assert memory.grounds
    [cited] = memory.grounds.passages
    assert cited.split("#")[0] in texts


def test_a_source_that_is_gone_supports_nothing(put: Put, ask: Ask, memories: Memories) -> None:
    put(gout=CAUSE)
    ask()
    put()
    assert notes(ask("What is measles?"))


def test_answers_from_another_index_and_with_the_setting_off_are_left_alone(
    put: Put, ask: Ask, memories: Memories
) -> None:
    put(gout=CAUSE)
    ask()
    put("other", gout="Gout is caused by a lack of vitamin C.")
    assert not notes(ask("What is measles?", folder="other"))
    put(gout="Gout is caused by a lack of vitamin C.")
    assert not notes(ask("What is measles?", **{"memory.verify_again": False}))
    assert all(memory.is_active for memory in memories.all("ann"))


def test_what_could_not_be_verified_in_this_turn_is_not_recalled_before_it_is(
    put: Put, ask: Ask, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(gout=CAUSE)
    ask()
    put(gout=f"Here is what is known. {CAUSE}")
    monkeypatch.setattr(outdated, "_MOST", 0)
    before = exchange(memories).grounds
    ask("What is measles?", **{"memory.consent": False})
    assert exchange(memories).grounds == before
    monkeypatch.undo()
    ask("What is measles?", **{"memory.consent": False})
    after = exchange(memories).grounds
    assert after
    assert before
    assert after.corpus != before.corpus


def test_the_same_answer_given_again_has_the_new_grounds_and_an_edited_one_none(
    put: Put, ask: Ask, memories: Memories
) -> None:
    put(gout=CAUSE)
    ask()
    put("index", Record("flu", "Flu", "Flu is a viral infection.", "What is flu?"), gout=CAUSE)
    ask()
    memory = exchange(memories)
    assert memory.grounds
    assert memories.edit("ann", memory.id, "Gout was asked about.").grounds is None


def test_the_question_of_an_exchange_is_whole_where_the_message_has_several_lines(
    put: Put, ask: Ask, memories: Memories
) -> None:
    put(gout=CAUSE)
    ask("Hello,\nI have asthma.\nWhat causes gout?")
    put(gout="Gout is caused by a lack of vitamin C.")
    [note] = notes(ask("What is measles?"))
    assert "your question “Hello, I have asthma. What causes gout?” was" in note
    assert note.endswith(f"no longer support: “{CAUSE}”")


def test_an_exchange_without_fields_cannot_be_verified_again_and_is_not_recalled(
    put: Put, ask: Ask, memories: Memories
) -> None:
    put(gout=CAUSE)
    ask()
    new = exchange(memories)
    assert new.grounds
    record = {"id": "0" * 32, "owner": "ann", "kind": "exchange", "text": f"Gout?\n{CAUSE}"}
    stored = json.dumps({**record, "grounds": new.grounds.model_dump()})
    memories.delete("ann", [new.id])
    memories.add("ann", [Memory.read(stored, "a row")])
    put(gout="Gout is caused by a lack of vitamin C.")
    answer = ask("What causes gout?")
    assert (notes(answer), answer["memories"]) == ([], [])


def test_each_statement_is_judged_by_itself(put: Put, ask: Ask, memories: Memories) -> None:
    """Also where no full stop separates it from the next one in the text of the memory."""
    put(gout=CAUSE)
    ask()
    old = exchange(memories)
    shown = Shown(text=CAUSE.rstrip(".")), Shown(text="Measles causes a rash.")
    content = Exchange(question="What causes gout?", statements=shown)
    memories.delete("ann", [old.id])
    made = Memory.make(owner="ann", kind="exchange", content=content, grounds=old.grounds)
    memories.add("ann", [made])
    put(gout=f"{CAUSE} It often begins in the big toe.")
    [note] = notes(ask("What is measles?"))
    assert note.endswith("no longer support: “Measles causes a rash.”")


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Let something happen while a stored answer is judged."""
    judge = outdated.judge

    def judged(*given: Any) -> Any:
        happens()
        return judge(*given)

    monkeypatch.setattr(outdated, "judge", judged)


def test_what_is_deleted_while_it_is_judged_is_neither_quoted_nor_stored(
    put: Put, ask: Ask, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(gout=CAUSE)
    ask()
    put(gout="Gout is caused by a lack of vitamin C.")
    old = exchange(memories)
    meanwhile(monkeypatch, lambda: memories.delete("ann", [old.id]))
    answer = ask("What is measles?")
    assert CAUSE not in answer["text"]
    assert old.id not in memories.ids("ann")
    files = [path for path in memories.folder.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"crystals" in path.read_bytes()]


def test_an_answer_given_anew_while_the_old_one_is_judged_has_its_own_grounds(
    put: Put, ask: Ask, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(gout=CAUSE)
    ask()
    put(gout="Gout is caused by a lack of vitamin C.")
    old = exchange(memories)
    assert old.grounds
    fresh = old.grounds.model_copy(update={"corpus": "later"})
    new = Memory.make(owner="ann", kind="exchange", text=old.text, grounds=fresh)
    meanwhile(monkeypatch, lambda: memories.add("ann", [new]))
    assert not notes(ask("What is measles?"))
    assert memories.get("ann", old.id).grounds == fresh


def test_a_damaged_memory_keeps_its_owner_from_neither_recall_nor_notice(
    put: Put, ask: Ask, memories: Memories
) -> None:
    put(gout=CAUSE)
    ask()
    [broken] = memories.add("ann", [Memory.make(owner="ann", kind="question", text="Broken.")])
    with closing(sqlite3.connect(memories.folder / "memories.sqlite")) as base, base:
        base.execute("update memories set record = '{' where id = ?", [broken.id])
    said = Said(words="I am allergic to penicillin")
    memories.add("ann", [Memory.make(owner="ann", kind="question", content=said)])
    assert "penicillin" in ask("What am I allergic to?")["text"]
    put(gout="Gout is caused by a lack of vitamin C.")
    assert notes(ask("What is measles?"))
    assert not notes(ask("What is measles?"))
