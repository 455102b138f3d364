"""Statements that the user gets as soon as they are checked, and that stay in the answer."""

import asyncio
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.outputs import ChatGenerationChunk

from anamnesis.corpus.passage import Passage
from anamnesis.models.critic import Support
from graph import Context, build_graph
from nodes.checking.statements import unchecked_statement
from nodes.state import Statement
from retrievers.index import Index
from tests.fakes import FakeCritic, ToolChat, silent
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    TREATED,
    WORSE,
    WRONG,
    Always,
    Queue,
    ScriptedCritic,
    WaitingChat,
)

Chat = Callable[..., Queue]
SEVERE = "Severe attacks happen with asthma."
STREAMED = CHECKED.changed({"generator.stream_statements": True})
ONE_ROUND = STREAMED.changed({"loop.max_rounds": 1})
KNOWN = {GOOD: 0.9, TREATED: 0.9, SEVERE: 0.8}


def made(index: Index, chat: Any, critic: Any = None, **more: Any) -> Any:
    return build_graph(
        index=index,
        chat=chat,
        critic=critic or ScriptedCritic(KNOWN),
        reranker=Always(),
        **more,
    )


def run(graph: Any, context: Context = STREAMED, asked: Any = ASK) -> tuple[list[Any], Any]:
    """The statements that were streamed, and the answer."""
    events, answer = [], None
    for mode, event in graph.stream(asked, context=context, stream_mode=["custom", "values"]):
        if mode == "custom" and event["type"] == "statement":
            events.append(event)
        elif mode == "values":
            answer = event.get("answer", answer)
    return events, answer


def same(events: list[Any], answer: Any) -> bool:
    """Whether what was streamed is what the answer states, in its order, with its sources."""

    def of(item: Any, sources: list[str]) -> tuple[Any, ...]:
        plain = (item["text"], item["verdict"], item["probability"], item.get("part"))
        return (*plain, sources, item["conflict"] and True)

    streamed = [of(item, [source["id"] for source in item["evidence"]]) for item in events]
    return streamed == [of(item, item["citations"]) for item in answer["statements"]]


def test_the_first_statement_comes_before_the_last_is_written(small_index: Index) -> None:
    arrived = Event()
    waited: list[bool] = []
    chat = WaitingChat(
        released=arrived, first=f"{GOOD} [1] {WRONG} So", last=f"it is. {TREATED} [1]",
        waited=waited,
    )  # fmt: skip
    graph, events, answer = made(small_index, chat), [], None
    for mode, event in graph.stream(ASK, context=ONE_ROUND, stream_mode=["custom", "values"]):
        if mode == "custom" and event["type"] == "statement":
            events.append(event)
            arrived.set()
        elif mode == "values":
            answer = event.get("answer", answer)
    assert chat.waited == [True]
    assert answer is not None
    assert [item["text"] for item in events] == [GOOD, TREATED]
    assert same(events, answer)
    first = events[0]["evidence"][0]
    assert (first["id"], first["url"]) == ("asthma", "https://a.test")
    assert WRONG in answer["unconfirmed"]


def test_a_server_streams_the_same(small_index: Index) -> None:
    arrived = Event()
    chat = WaitingChat(
        released=arrived, first=f"{GOOD} [1] And then", last=f"it. {TREATED}", waited=[]
    )
    graph = made(small_index, chat)

    async def served() -> tuple[list[Any], Any]:
        events_seen, answer = [], None
        events = graph.astream(ASK, context=ONE_ROUND, stream_mode=["custom", "values"])
        async for mode, event in events:
            if mode == "custom" and event["type"] == "statement":
                events_seen.append(event)
                arrived.set()
            elif mode == "values":
                answer = event.get("answer", answer)
        return events_seen, answer

    events, answer = asyncio.run(served())
    assert chat.waited == [True]
    assert [item["text"] for item in events] == [GOOD, TREATED]
    assert same(events, answer)


def test_nothing_is_streamed_where_it_is_not_asked_for(small_index: Index, queue: Chat) -> None:
    events, answer = run(made(small_index, queue(f"{GOOD} {TREATED}")), CHECKED)
    assert events == []
    assert len(answer["statements"]) == 2


def test_what_was_streamed_stays_where_a_later_round_says_something_else(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{GOOD} {WRONG} {WORSE}", f"{TREATED} {SEVERE} {GOOD}")
    events, answer = run(made(small_index, chat))
    assert [item["text"] for item in events] == [GOOD, TREATED, SEVERE]
    assert same(events, answer)
    assert answer["rounds"] == 2


def test_what_was_streamed_stays_where_nothing_more_is_found(
    small_index: Index, queue: Chat
) -> None:
    replies = [f"{GOOD} {WRONG} {WORSE}", f"{WRONG} {WORSE}", f"{GOOD[:-1]} too. {WORSE}"]
    events, answer = run(made(small_index, queue(*replies)))
    assert [item["text"] for item in events] == [GOOD]
    assert same(events, answer)
    assert answer["outcome"] == "partial"


def test_a_model_that_breaks_off_keeps_what_was_streamed(small_index: Index) -> None:
    class Breaks(WaitingChat):
        """Fails in the middle of a sentence."""

        def _stream(self, *given: Any, **more: Any) -> Iterator[ChatGenerationChunk]:
            yield from super()._stream(*given, **more)
            raise ValueError("broke off")

    arrived = Event()
    arrived.set()
    chat = Breaks(released=arrived, first=f"{GOOD} [1] {TREATED} And", last="then there", waited=[])
    events, answer = run(made(small_index, chat), ONE_ROUND)
    assert [item["text"] for item in events] == [GOOD, TREATED]
    assert same(events, answer)
    assert "then there" not in answer["text"]


def test_a_critic_that_fails_supports_nothing_more(small_index: Index) -> None:
    # It does not answer on one statement.
    fails = FakeCritic(lambda said, _: silent() if said == TREATED else KNOWN.get(said, 0.0))
    for chat in (FakeListChatModel(responses=[f"{GOOD} {TREATED} {SEVERE}"]), None):
        graph = made(small_index, chat, fails, policy=lambda requested: requested)
        events, answer = run(graph, ONE_ROUND)
        assert TREATED not in [item["text"] for item in answer["statements"]]
        assert same(events, answer)
        assert events


def test_a_critic_that_is_a_chat_model_is_asked_of_all_at_once(
    small_index: Index, queue: Chat
) -> None:
    numbers: list[int] = []

    class Counting(FakeCritic):
        def judge(self, statements: Any, premises: Any) -> list[list[Support]]:
            numbers.append(len(statements))
            return super().judge(statements, premises)

    critic = Counting(lambda said, _: KNOWN.get(said, 0.0), method="llm")
    events, answer = run(made(small_index, queue(f"{GOOD} {WRONG} {TREATED}"), critic), ONE_ROUND)
    assert max(numbers) == 3
    assert [item["text"] for item in events] == [GOOD, TREATED]
    assert same(events, answer)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"generator.redact": True},
        {"generator.stream_draft": True},
        {"generator.model": "extractive"},
    ],
)
def test_what_is_streamed_is_what_is_answered(
    small_index: Index, queue: Chat, changed: dict[str, Any]
) -> None:
    chat = None if "generator" in changed else queue(f"{GOOD} {WRONG} {TREATED}")
    events, answer = run(made(small_index, chat), ONE_ROUND.changed(changed))
    assert events
    assert same(events, answer)


def test_a_model_with_schemas_is_asked_for_text(small_index: Index) -> None:
    chat = ToolChat(lambda _: f"{GOOD} [1]")
    events, answer = run(made(small_index, chat), ONE_ROUND)
    assert events
    assert same(events, answer)
    assert [call.bound for call in chat.seen] == [{"stop": None}]


def test_where_all_was_withheld_the_quotations_are_streamed(
    small_index: Index, queue: Chat
) -> None:
    events, answer = run(made(small_index, queue(WRONG)), ONE_ROUND)
    assert answer["generator"] == "extractive"
    assert answer["withheld"][0]["text"] == WRONG
    assert events
    assert same(events, answer)


def test_the_steps_of_an_emergency_are_streamed(
    small_index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Passage("aid#0", "aid", 0, 11, "Press hard.", title="First aid")
    quoted: Statement = {
        **unchecked_statement(page.text, [page.id]),
        "probability": 1.0,
        "verdict": "supported",
        "evidence": {"document": page.id, "start": 0, "end": 11},
    }
    monkeypatch.setattr("nodes.writing.remaining.steps", lambda *_: (page, [quoted]))
    asked = {"question": "crushing chest pain and I cannot breathe"}
    events, answer = run(
        made(small_index, None), ONE_ROUND.changed({"triage.classifier": "patterns"}), asked
    )
    assert answer["outcome"] == "urgent"
    assert [item["evidence"][0]["title"] for item in events] == ["First aid"]
    assert same(events, answer)
