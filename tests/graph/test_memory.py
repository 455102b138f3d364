"""What is remembered across threads: by consent, of one user, and never as a source."""

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from anamnesis.errors import MemoryFolderError
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from graph import Context
from nodes.settings.context import audience, owner
from retrievers.index import Index
from tests.graph.conftest import ASK, CHECKED, GOOD, WRONG, Queue, built

Chat = Callable[..., Queue]
ANN = CHECKED.changed({"user": "ann"})
KEEPS = ANN.changed({"memory.consent": True})


def kinds(memories: Memories, user: str = "ann") -> list[str]:
    return sorted(memory.kind for memory in memories.all(user))


def test_exchanges_are_kept_only_with_consent_and_recalled_with_retrieval(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    chat = queue(GOOD, GOOD, GOOD)
    graph = built(small_index, chat, {GOOD: 0.9}, memories=memories)
    graph.invoke(ASK, context=ANN)
    assert memories.all("ann") == []
    assert graph.invoke(ASK, context=KEEPS)["answer"]["memories"] == []
    answer = graph.invoke(ASK, context=ANN)["answer"]
    [memory] = answer["memories"]
    assert memory["text"] == f"What is asthma?\n{GOOD}"
    assert memory["score"]["cosine"] > 0.4
    assert memory["score"]["mrs"] == 1.0
    prompt = chat.seen[-1][-1].content
    assert "not a source" in prompt
    assert f"What is asthma? — {GOOD}" in prompt
    assert answer["sources"]
    assert {source["id"] for source in answer["sources"]} == {"asthma"}
    assert "not a source of the answer" in answer["text"]


def test_another_user_and_nobody_recall_nothing_and_leave_nothing(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    graph = built(small_index, queue(GOOD, GOOD, GOOD), {GOOD: 0.9}, memories=memories)
    graph.invoke(ASK, context=KEEPS)
    bob = CHECKED.changed({"user": "bob"})
    assert graph.invoke(ASK, context=bob)["answer"]["memories"] == []
    nobody = CHECKED.changed({"memory.consent": True})
    assert graph.invoke(ASK, context=nobody)["answer"]["memories"] == []
    assert kinds(memories) == ["exchange"]
    assert memories.all("bob") == []


def test_recalls_are_counted_only_where_the_memory_was_in_the_prompt(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    graph = built(small_index, queue(GOOD, GOOD), {GOOD: 0.9}, memories=memories)
    graph.invoke(ASK, context=KEEPS)
    assert memories.all("ann")[0].recalls == 0
    graph.invoke(ASK, context=ANN)
    assert memories.all("ann")[0].recalls == 1
    # The extractive generator has no prompt: the memory is found, and used for nothing.
    extractive = built(small_index, None, {}, memories=memories)
    assert extractive.invoke(ASK, context=ANN)["answer"]["memories"] == []
    assert memories.all("ann")[0].recalls == 1


def test_what_was_recalled_is_not_kept_again(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    graph = built(small_index, queue(*[GOOD] * 4), {GOOD: 0.9}, memories=memories)
    for _ in range(4):
        graph.invoke(ASK, context=KEEPS)
    assert kinds(memories) == ["exchange"]


def test_what_nothing_checked_is_not_remembered(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    graph = built(small_index, queue(WRONG), {GOOD: 0.9}, memories=memories)
    graph.invoke(ASK, context=KEEPS.changed({"verification.critic": None}))
    assert memories.all("ann") == []


def test_an_unsupported_claim_of_a_draft_is_not_remembered(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    graph = built(small_index, queue(f"{GOOD} {WRONG}"), {GOOD: 0.9}, memories=memories)
    graph.invoke(ASK, context=KEEPS.changed({"loop.min_supported_share": 0.1}))
    assert WRONG not in memories.all("ann")[0].text


def test_what_the_user_says_is_kept_though_nothing_was_found(
    small_index: Index, memories: Memories
) -> None:
    graph = built(small_index, None, {}, memories=memories)
    said = {"question": "I am allergic to latex. How do I mend a tyre?"}
    graph.invoke(said, context=KEEPS.changed({"retrieval.min_relevance": 1.0}))
    assert {memory.text for memory in memories.all("ann")} == {
        "The user said: “I am allergic to latex”",
        "allergy: latex",
    }


def test_all_three_refined_kinds_come_of_a_conversation(
    small_index: Index, memories: Memories
) -> None:
    graph = built(small_index, None, {}, memories=memories).copy({"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    for said in (
        "I have asthma, what treats it?",
        "No, I meant what causes wheezing?",
        "What is asthma?",
        "That helps, thank you",
    ):
        graph.invoke({"question": said}, thread, context=KEEPS)
    by_kind = {memory.kind: memory.text for memory in memories.all("ann")}
    assert by_kind["question"] == "The user said: “I have asthma”"
    assert by_kind["residual"].endswith("the user meant “what causes wheezing”")
    assert by_kind["response"].startswith("The user was content with the answer to")


def test_a_later_word_takes_an_earlier_one_out_of_play(
    small_index: Index, memories: Memories
) -> None:
    denied = "I don't have asthma"
    graph = built(small_index, None, {}, memories=memories, against=[denied])
    graph.invoke({"question": "I have asthma. What is asthma?"}, context=KEEPS)
    graph.invoke({"question": f"{denied}. What is asthma?"}, context=KEEPS)
    by_text = {memory.text: memory for memory in memories.all("ann") if memory.kind == "question"}
    old, new = by_text["The user said: “I have asthma”"], by_text[f"The user said: “{denied}”"]
    assert (old.superseded_by, new.superseded_by) == (new.id, None)
    graph.invoke({"question": "I have asthma. What is asthma?"}, context=KEEPS)
    assert memories.get("ann", old.id).superseded_by is None


def test_no_more_are_kept_than_the_limit(small_index: Index, memories: Memories) -> None:
    graph = built(small_index, None, {}, memories=memories)
    limited = KEEPS.changed({"memory.max_memories": 2})
    for said in ("I have gout.", "I have asthma.", "I take salt."):
        graph.invoke({"question": f"{said} What is asthma?"}, context=limited)
    profile = memories.all("ann", "profile")
    assert {memory.text for memory in profile} == {"condition: gout", "condition: asthma"}
    assert len(memories.all("ann")) - len(profile) == 2


def test_an_emergency_is_not_remembered(small_index: Index, memories: Memories) -> None:
    graph = built(small_index, None, {}, memories=memories)
    said = {"question": "I have asthma and I can't breathe, my lips are blue"}
    assert graph.invoke(said, context=KEEPS)["answer"]["outcome"] == "urgent"
    assert memories.all("ann") == []


def test_what_is_too_long_is_left_out_whole(
    small_index: Index, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_LIMIT_QUESTION", "20000")
    graph = built(small_index, None, {}, memories=memories)
    asked = {"question": f"I have asthma {'very ' * 1600}badly. I take salt. What is asthma?"}
    graph.invoke(asked, context=KEEPS.changed({"triage.classifier": "patterns"}))
    assert [memory.text for memory in memories.all("ann")] == ["The user said: “I take salt”"]


class Broken:
    def nearest(self, *given: Any, **more: Any) -> Any:
        raise OSError("the disk is gone")

    recalled = add = all = nearest


def test_a_memory_that_fails_does_not_cost_the_answer(
    small_index: Index, queue: Chat, caplog: pytest.LogCaptureFixture
) -> None:
    graph = built(small_index, queue(GOOD), {GOOD: 0.9}, memories=Broken())  # type: ignore[arg-type]
    assert graph.invoke(ASK, context=KEEPS)["answer"]["outcome"] == "answered"
    assert "could not be searched" in caplog.text
    assert "could not be remembered" in caplog.text


class Shut:
    def nearest(self, *given: Any, **more: Any) -> Any:
        raise MemoryFolderError("the memories cannot be read or written")

    recalled = add = all = nearest


def test_memories_that_cannot_be_kept_are_a_line_in_the_log(
    small_index: Index, queue: Chat, caplog: pytest.LogCaptureFixture
) -> None:
    graph = built(small_index, queue(GOOD), {GOOD: 0.9}, memories=Shut())  # type: ignore[arg-type]
    assert graph.invoke(ASK, context=KEEPS)["answer"]["outcome"] == "answered"
    for what in ("searched", "remembered"):
        assert f"could not be {what}: " in caplog.text
    assert [record.message for record in caplog.records if record.exc_info] == []


def test_an_experts_note_is_shown_as_such_and_to_its_audience_only(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    note = Memory.make(
        owner="eve", scope="expert", kind="residual", text="What is asthma: see protocol 7.",
        audience={"department": "lungs"},
    )  # fmt: skip
    memories.add("eve", [note])
    graph = built(small_index, queue(GOOD, GOOD), {GOOD: 0.9}, memories=memories)
    lungs = ANN.changed({"audience": {"department": "lungs"}})
    answer = graph.invoke(ASK, context=lungs)["answer"]
    assert answer["memories"][0]["scope"] == "expert"
    assert "An expert's note: What is asthma: see protocol 7." in answer["text"]
    assert graph.invoke(ASK, context=ANN)["answer"]["memories"] == []


def test_an_experts_note_takes_an_earlier_exchange_that_it_contradicts_out_of_play(
    small_index: Index, queue: Chat, memories: Memories
) -> None:
    denied = "Wheezing is not caused by asthma."
    graph = built(small_index, queue(GOOD, GOOD), {GOOD: 0.9}, memories=memories, against=[denied])
    graph.invoke(ASK, context=KEEPS)
    [exchange] = memories.all("ann")
    note = Memory.make(owner="eve", scope="expert", kind="residual", text=denied)
    memories.add("eve", [note])
    graph.invoke({"question": "I have gout. What is gout?"}, context=KEEPS)
    assert memories.get("ann", exchange.id).superseded_by == note.id
    assert memories.get("eve", note.id).superseded_by is None


@pytest.mark.parametrize(
    ("changed", "recalled"),
    [
        ({}, 2),
        ({"memory.recall": False}, 0),
        ({"memory.recalled_kinds": ("exchange",)}, 1),
        ({"memory.recalled_kinds": ()}, 0),
        ({"memory.max_exchanges": 0}, 1),
        ({"memory.threshold": 1.0}, 0),
        ({"memory.score_scaling": "none"}, 2),
        ({"memory.lexical_weight": 0.0}, 2),
        ({"memory.threshold": "adaptive"}, 2),
        ({"memory.max_age_days": 1}, 1),
    ],
)
def test_settings_decide_what_is_recalled(
    small_index: Index,
    queue: Chat,
    memories: Memories,
    changed: dict[str, Any],
    recalled: int,
) -> None:
    memories.add(
        "ann",
        [
            Memory.make(owner="ann", kind="exchange", text="What is asthma? Wheezing."),
            Memory.make(
                owner="ann",
                kind="question",
                text="What is asthma, in plain words",
                created=datetime(2020, 1, 1, tzinfo=UTC),
            ),
        ],
    )
    graph = built(small_index, queue(GOOD), {GOOD: 0.9}, memories=memories)
    answer = graph.invoke(ASK, context=ANN.changed(changed))["answer"]
    assert len(answer["memories"]) == recalled


def test_the_presets_of_the_papers_recall_what_theirs_do() -> None:
    hybrid, mark = Context(preset="hybrid-memory"), Context(preset="mark")
    assert hybrid.memory.recalled_kinds == ("exchange",)
    assert (hybrid.memory.threshold, hybrid.memory.max_exchanges) == (0.4, 2)
    assert mark.memory.recalled_kinds == ("residual", "question", "response")


class User(dict):  # type: ignore[type-arg]
    identity = "real"


def test_an_authenticated_identity_wins_and_brings_its_own_audience() -> None:
    context = Context(user="other", audience={"department": "all"})
    user = User(identity="real", department="lungs", permissions=["a"])
    signed: Any = SimpleNamespace(context=context, server_info=SimpleNamespace(user=user))
    assert owner(signed) == "real"
    assert audience(signed) == {"identity": "real", "department": "lungs"}
    unsigned: Any = SimpleNamespace(context=context, server_info=None)
    assert (owner(unsigned), audience(unsigned)) == ("other", {"department": "all"})
