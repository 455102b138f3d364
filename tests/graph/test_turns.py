"""Turns of a thread, and what is kept of them: messages, follow-ups, exchanges."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from nodes.remembering.replies import message_of
from nodes.writing.render import WITHHELD
from retrievers import fetched
from retrievers.index import Index
from tests.app.web.pages import answer
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    TREATED,
    WORSE,
    WRONG,
    Queue,
    built,
)
from tests.graph.test_false_premises import CURED, DENIED, DENYING

Chat = Callable[..., Queue]


def test_messages_in_messages_out(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(GOOD), {GOOD: 0.9})
    result = graph.invoke({"messages": [("user", "What is asthma?")]}, context=CHECKED)
    assert [message.type for message in result["messages"]] == ["human", "ai"]
    assert result["messages"][-1].text == result["answer"]["text"]
    assert set(result) == {"answer", "messages"}


def test_a_thread_clears_what_belongs_to_the_turn_before(small_index: Index, queue: Chat) -> None:
    graph = built(
        small_index,
        queue(GOOD, WRONG, "The big toe is often struck by gout."),
        {GOOD: 0.9, "The big toe is often struck by gout.": 0.9},
    )
    graph = graph.copy({"checkpointer": InMemorySaver()})
    config = {"configurable": {"thread_id": "1"}}
    context = CHECKED.changed({"loop.max_rounds": 1})
    first = graph.invoke(ASK, config, context=context)
    second = graph.invoke({"question": "What is measles?"}, config, context=context)
    third = graph.invoke({"messages": [("user", "What is gout?")]}, config, context=context)
    assert [run["answer"]["outcome"] for run in (first, second, third)] == [
        "answered",
        "partial",
        "answered",
    ]
    assert second["answer"]["notes"] == [WITHHELD]
    assert third["answer"]["notes"] == third["answer"]["withheld"] == []
    assert third["answer"]["question"] == "What is gout?"
    assert third["answer"]["rounds"] == 1
    assert len(third["messages"]) == 6


def test_a_long_thread_keeps_its_last_messages(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(*[GOOD] * 12), {GOOD: 0.9}).copy(
        {"checkpointer": InMemorySaver()}
    )
    config = {"configurable": {"thread_id": "1"}}
    for _ in range(12):
        result = graph.invoke(ASK, config, context=CHECKED)
    assert len(result["messages"]) == 10
    assert result["messages"][-1].type == "ai"


def test_a_follow_up_is_made_to_stand_alone(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(GOOD, TREATED), {GOOD: 0.9, TREATED: 0.9})
    graph = graph.copy({"checkpointer": InMemorySaver()})
    config = {"configurable": {"thread_id": "1"}}
    graph.invoke(ASK, config, context=CHECKED)
    answer = graph.invoke({"question": "How is it treated?"}, config, context=CHECKED)["answer"]
    assert (answer["question"], answer["query"]) == ("How is it treated?", "How is asthma treated?")


def query_of(graph: Any, given: Any, config: Any = None) -> str:
    return str(graph.invoke(given, config, context=CHECKED)["answer"]["query"])


def test_yes_takes_up_what_the_assistant_offered(small_index: Index) -> None:
    graph = built(small_index, None, {})
    offered = "Gout hurts the toe. Would you like to know how gout is treated?"
    talk = [("user", "What is gout?"), ("ai", offered), ("user", "Yes, please")]
    assert query_of(graph, {"messages": talk}) == "How is gout treated?"


def test_a_topic_is_chosen_that_the_last_answer_asked_about(small_index: Index) -> None:
    abstained = answer(outcome="abstained", query="What helps?", clarify=["Gout", "Asthma"])
    talk = [HumanMessage("What helps?"), message_of(abstained, 0), HumanMessage("the second")]
    assert query_of(built(small_index, None, {}), {"messages": talk}) == "Asthma: What helps?"


def test_a_caller_that_keeps_the_conversation_can_ask_further(small_index: Index) -> None:
    graph = built(small_index, None, {})
    talk = [
        ("user", "What causes asthma?"),
        ("ai", "Asthma has causes."),
        ("user", "Is it severe?"),
    ]
    assert "asthma" in query_of(graph, {"messages": talk})


@pytest.mark.parametrize("said", ["yes", "Thanks!", "ok, thank you very much", "hello"])
def test_what_asks_nothing_is_not_searched_for(small_index: Index, said: str) -> None:
    graph = built(small_index, None, {}).copy({"checkpointer": InMemorySaver()})
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke(ASK, config, context=CHECKED)
    answer = graph.invoke({"question": said}, config, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("abstained", "nothing_asked")
    assert answer["query"] == said
    assert answer["statements"] == []
    # The conversation is still about what it was about.
    assert "asthma" in query_of(graph, {"question": "How is it treated?"}, config)


def test_a_chat_model_makes_a_follow_up_stand_alone(small_index: Index, queue: Chat) -> None:
    chat = queue(GOOD, "How is asthma treated in children?", TREATED)
    graph = built(small_index, chat, {GOOD: 0.9, TREATED: 0.9}).copy(
        {"checkpointer": InMemorySaver()}
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke(ASK, config, context=CHECKED)
    said = {"question": "How is it treated in children?"}
    assert query_of(graph, said, config) == "How is asthma treated in children?"


def test_what_a_chat_model_adds_to_a_follow_up_is_not_used(small_index: Index, queue: Chat) -> None:
    chat = queue(GOOD, "How is asthma with pneumonia treated?", TREATED)
    graph = built(small_index, chat, {GOOD: 0.9, TREATED: 0.9}).copy(
        {"checkpointer": InMemorySaver()}
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke(ASK, config, context=CHECKED)
    query = query_of(graph, {"question": "How is it treated?"}, config)
    assert query == "How is asthma treated?"


def test_a_state_of_an_earlier_version_is_shown_as_it_is(small_index: Index, queue: Chat) -> None:
    saver = InMemorySaver()
    graph = built(small_index, queue(GOOD), {GOOD: 0.9}).copy({"checkpointer": saver})
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke(CURED, config, context=CHECKED, interrupt_before=["verify"])
    graph.update_state(config, {"premise": {"text": "Honey cures asthma.", "verdict": "unchecked"}})
    answer = graph.invoke(None, config, context=CHECKED)["answer"]
    assert "do not confirm" in answer["notes"][0]
    assert answer["premise"]["evidence"] is None


class Counting:
    """A corpus that records which passages it was asked for."""

    def __init__(self, index: Index) -> None:
        self._index, self.fetched = index, list[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def __len__(self) -> int:
        return len(self._index)

    def find(self, ids: Sequence[str]) -> Any:
        self.fetched += ids
        return self._index.find(ids)

    def passages(self, ids: Sequence[str]) -> Any:
        self.fetched += ids
        return self._index.passages(ids)


def test_a_passage_is_fetched_once_in_a_run_and_anew_in_the_next(
    small_index: Index, queue: Chat
) -> None:
    corpus: Any = Counting(small_index)
    replies = [f"{WRONG} [1]", f"{WORSE} [1]", f"{GOOD} [1]"]
    graph = built(corpus, queue(*replies, *replies), {GOOD: 0.9})
    for _ in range(2):
        corpus.fetched.clear()
        assert graph.invoke(DENYING, context=CHECKED)["answer"]["rounds"] == 3
        assert len(corpus.fetched) == len(set(corpus.fetched)) > 0


def test_the_index_is_asked_for_its_generation_once_in_a_run(
    small_index: Index, queue: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []

    def opening(where: object, embedder: object) -> Index:
        opened.append(where)
        return small_index

    monkeypatch.setattr("nodes.parts.open_corpus", opening)
    monkeypatch.setattr("graph.arguments.open_corpus", lambda *_: small_index)
    place: Any = "somewhere"
    graph = built(place, queue(f"{WRONG} [1]", f"{GOOD} [1]", f"{GOOD} [1]"), {GOOD: 0.9})
    assert graph.invoke(DENYING, context=CHECKED)["answer"]["rounds"] > 1
    assert len(opened) == 1
    assert graph.invoke(DENYING, context=CHECKED)["answer"]["statements"]
    assert len(opened) == 2


def test_a_run_that_fails_lets_the_index_go(
    small_index: Index, queue: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> Any:
        raise RuntimeError("no list")

    for module in ("nodes.parts", "graph.arguments"):
        monkeypatch.setattr(f"{module}.open_corpus", lambda *_: small_index)
    place: Any = "somewhere"
    graph = built(place, queue(GOOD), {GOOD: 0.9})
    before = dict(fetched._runs._kept)
    monkeypatch.setattr("nodes.question.searching.search", failing)
    with pytest.raises(RuntimeError, match="no list"):
        graph.invoke(DENYING, context=CHECKED)
    assert dict(fetched._runs._kept) == before


def test_a_premise_is_judged_by_the_passages_of_all_rounds(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(WRONG, GOOD), {GOOD: 0.9}, against=[DENIED]).copy(
        {"checkpointer": InMemorySaver()}
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke(DENYING, config, context=CHECKED, interrupt_after=["rerank"])
    found = graph.get_state(config).values["selected"]
    kept = next(item for item in found if "measles" not in item["id"])
    for step in ("generate", "rerank"):  # the second round finds the first passage alone
        graph.invoke(None, config, context=CHECKED, interrupt_after=[step])
    graph.update_state(config, {"selected": [kept]})
    answer = graph.invoke(None, config, context=CHECKED)["answer"]
    assert (answer["rounds"], answer["premise"]["verdict"]) == (2, "contradicted")
