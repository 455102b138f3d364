"""Statements that a reader gets as soon as they are checked, and that stay in the answer."""

import asyncio
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import ConfigDict

from anamnesis import ModelError
from anamnesis.corpus.passage import Passage
from anamnesis.models.critic import Support
from graph import Context, build_graph
from nodes.state import Statement
from nodes.writing.draft import so_far, statement
from nodes.writing.render import WITHHELD
from nodes.writing.streamed import Standing
from prompts import NOT_FOUND
from retrievers.index import Index
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    TREATED,
    WORSE,
    WRONG,
    Always,
    Queue,
    Schemas,
    ScriptedCritic,
)
from tests.graph.test_several_questions import CAUSES, FIRST, LOOP, SECOND, Named

Chat = Callable[..., Queue]
SEVERE = "Severe attacks happen with asthma."
STREAMED = CHECKED.changed({"generator.stream_statements": True})
ONE_ROUND = STREAMED.changed({"loop.max_rounds": 1})
KNOWN = {GOOD: 0.9, TREATED: 0.9, SEVERE: 0.8}


class Waiting(BaseChatModel):
    """Writes word by word, and the last sentence only once ``told`` is set, or in vain."""

    told: Event
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
                self.waited.append(self.told.wait(5))
                continue
            chunk = ChatGenerationChunk(message=AIMessageChunk(f"{word} "))
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def made(index: Index, chat: Any, critic: Any = None, **more: Any) -> Any:
    return build_graph(
        index=index,
        chat=chat,
        critic=critic or ScriptedCritic(KNOWN),
        reranker=Always(),
        **more,
    )


def run(own: Any, context: Context = STREAMED, asked: Any = ASK) -> tuple[list[Any], Any]:
    """The statements that were streamed, and the answer."""
    told, answer = [], None
    for mode, event in own.stream(asked, context=context, stream_mode=["custom", "values"]):
        if mode == "custom" and event["type"] == "statement":
            told.append(event)
        elif mode == "values":
            answer = event.get("answer", answer)
    return told, answer


def same(told: list[Any], answer: Any) -> bool:
    """Whether what was streamed is what the answer states, in its order, with its sources."""

    def of(item: Any, sources: list[str]) -> tuple[Any, ...]:
        plain = (item["text"], item["verdict"], item["probability"], item.get("part"))
        return (*plain, sources, item["conflict"] and True)

    streamed = [of(item, [own["id"] for own in item["evidence"]]) for item in told]
    return streamed == [of(item, item["citations"]) for item in answer["statements"]]


def test_the_first_statement_comes_before_the_last_is_written(small_index: Index) -> None:
    heard = Event()
    waited: list[bool] = []
    chat = Waiting(told=heard, first=f"{GOOD} [1] {WRONG} So", last=f"it is. {TREATED} [1]",
                   waited=waited)  # fmt: skip
    own, told, answer = made(small_index, chat), [], None
    for mode, event in own.stream(ASK, context=ONE_ROUND, stream_mode=["custom", "values"]):
        if mode == "custom" and event["type"] == "statement":
            told.append(event)
            heard.set()
        elif mode == "values":
            answer = event.get("answer", answer)
    assert chat.waited == [True]
    assert answer is not None
    assert [item["text"] for item in told] == [GOOD, TREATED]
    assert same(told, answer)
    first = told[0]["evidence"][0]
    assert (first["id"], first["url"]) == ("asthma", "https://a.test")
    assert WRONG in answer["unconfirmed"]


def test_a_server_streams_the_same(small_index: Index) -> None:
    heard = Event()
    chat = Waiting(told=heard, first=f"{GOOD} [1] And then", last=f"it. {TREATED}", waited=[])
    own = made(small_index, chat)

    async def served() -> tuple[list[Any], Any]:
        told, answer = [], None
        events = own.astream(ASK, context=ONE_ROUND, stream_mode=["custom", "values"])
        async for mode, event in events:
            if mode == "custom" and event["type"] == "statement":
                told.append(event)
                heard.set()
            elif mode == "values":
                answer = event.get("answer", answer)
        return told, answer

    told, answer = asyncio.run(served())
    assert chat.waited == [True]
    assert [item["text"] for item in told] == [GOOD, TREATED]
    assert same(told, answer)


def test_nothing_is_streamed_where_it_is_not_asked_for(small_index: Index, queue: Chat) -> None:
    told, answer = run(made(small_index, queue(f"{GOOD} {TREATED}")), CHECKED)
    assert told == []
    assert len(answer["statements"]) == 2


def test_what_was_streamed_stays_where_a_later_round_says_something_else(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{GOOD} {WRONG} {WORSE}", f"{TREATED} {SEVERE} {GOOD}")
    told, answer = run(made(small_index, chat))
    assert [item["text"] for item in told] == [GOOD, TREATED, SEVERE]
    assert same(told, answer)
    assert answer["rounds"] == 2


def test_what_was_streamed_stays_where_nothing_more_is_found(
    small_index: Index, queue: Chat
) -> None:
    replies = [f"{GOOD} {WRONG} {WORSE}", f"{WRONG} {WORSE}", f"{GOOD[:-1]} too. {WORSE}"]
    told, answer = run(made(small_index, queue(*replies)))
    assert [item["text"] for item in told] == [GOOD]
    assert same(told, answer)
    assert answer["outcome"] == "partial"


def test_a_model_that_breaks_off_keeps_what_was_streamed(small_index: Index) -> None:
    class Breaks(Waiting):
        """Fails in the middle of a sentence."""

        def _stream(self, *given: Any, **more: Any) -> Iterator[ChatGenerationChunk]:
            yield from super()._stream(*given, **more)
            raise ValueError("broke off")

    heard = Event()
    heard.set()
    chat = Breaks(told=heard, first=f"{GOOD} [1] {TREATED} And", last="then there", waited=[])
    told, answer = run(made(small_index, chat), ONE_ROUND)
    assert [item["text"] for item in told] == [GOOD, TREATED]
    assert same(told, answer)
    assert "then there" not in answer["text"]


def test_a_critic_that_fails_supports_nothing_more(small_index: Index) -> None:
    class Fails(ScriptedCritic):
        """Does not answer on one statement."""

        def judge(self, statements: Any, premises: Any) -> list[list[Support]]:
            if TREATED in statements:
                raise ModelError("silent")
            return super().judge(statements, premises)

    for chat in (FakeListChatModel(responses=[f"{GOOD} {TREATED} {SEVERE}"]), None):
        quoted = Fails({}) if chat is None else Fails(KNOWN)
        own = made(small_index, chat, quoted, rule=lambda asked: asked)
        told, answer = run(own, ONE_ROUND)
        assert TREATED not in [item["text"] for item in answer["statements"]]
        assert same(told, answer)
        assert told


def test_a_critic_that_is_a_chat_model_is_asked_of_all_at_once(
    small_index: Index, queue: Chat
) -> None:
    class Counting(ScriptedCritic):
        """As a chat model that judges."""

        method = "llm"
        asked: list[int] = []  # noqa: RUF012

        def judge(self, statements: Any, premises: Any) -> list[list[Support]]:
            self.asked.append(len(statements))
            return super().judge(statements, premises)

    critic = Counting(KNOWN)
    told, answer = run(made(small_index, queue(f"{GOOD} {WRONG} {TREATED}"), critic), ONE_ROUND)
    assert max(critic.asked) == 3
    assert [item["text"] for item in told] == [GOOD, TREATED]
    assert same(told, answer)


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
    told, answer = run(made(small_index, chat), ONE_ROUND.changed(changed))
    assert told
    assert same(told, answer)


def test_a_model_with_schemas_is_asked_for_text(small_index: Index) -> None:
    reply = {"found": True, "statements": [{"text": GOOD, "citations": [1]}]}
    chat = Schemas(replies=[reply] * 3)
    told, answer = run(made(small_index, chat), ONE_ROUND)
    assert told
    assert same(told, answer)


def test_where_all_was_withheld_the_quotations_are_streamed(
    small_index: Index, queue: Chat
) -> None:
    told, answer = run(made(small_index, queue(WRONG)), ONE_ROUND)
    assert answer["generator"] == "extractive"
    assert answer["withheld"][0]["text"] == WRONG
    assert told
    assert same(told, answer)


def test_of_several_questions_each_statement_says_which_it_is_for(
    small_index: Index, queue: Chat
) -> None:
    crystals = "Uric acid crystals are the cause of gout."
    critic = ScriptedCritic({**KNOWN, crystals: 0.9})
    chat = queue(f"{TREATED} [1] {WRONG} {SEVERE} [1]", f"{crystals} [1] {WORSE}")
    own = build_graph(index=small_index, chat=chat, critic=critic, reranker=Named())
    asked = {"question": f"I am 40. {FIRST} {SECOND}"}
    context = Context(
        triage={"classifier": "patterns"},
        generator={"stream_statements": True},
        loop={"max_rounds": 1},
    )
    told, answer = run(own, context, asked)
    assert [(item["part"], item["text"]) for item in told] == [
        (1, TREATED),
        (1, SEVERE),
        (2, crystals),
    ]
    assert same(told, answer)


def test_each_question_keeps_what_was_streamed_in_every_round(
    small_index: Index, queue: Chat
) -> None:
    asked = {"question": f"I am 40. {FIRST} {CAUSES}"}
    replies = [f"{TREATED} {WRONG} [1]", f"{WORSE} [1]", f"{SEVERE} {WORSE} [1]", f"{GOOD} [1]"]
    own = build_graph(
        index=small_index, chat=queue(*replies), critic=ScriptedCritic(KNOWN), reranker=Named()
    )
    context = LOOP.changed({"generator.stream_statements": True, "loop.max_rounds": 2})
    told, answer = run(own, context, asked)
    stays = [(1, TREATED), (1, SEVERE), (2, GOOD)]
    assert [(item["part"], item["text"]) for item in told] == stays
    assert same(told, answer)
    assert answer["outcome"] == "partial"
    assert WRONG in answer["unconfirmed"]


def test_the_quotations_for_one_question_are_streamed_after_what_stays_of_another(
    small_index: Index, queue: Chat
) -> None:
    asked = {"question": f"I am 40. {SECOND} {FIRST}"}
    chat = queue(f"{WRONG} [1]", f"{TREATED} [1]", f"{WORSE} [1]", f"{WRONG} [1]")
    own = build_graph(index=small_index, chat=chat, critic=ScriptedCritic(KNOWN), reranker=Named())
    told, answer = run(own, LOOP.changed({"generator.stream_statements": True}), asked)
    assert [item["part"] for item in told][:2] == [2, 1]
    assert told[0]["text"] == TREATED
    # The answer has the statements in the order of the questions.
    assert same(sorted(told, key=lambda item: item["part"]), answer)
    assert [own["note"] for own in answer["parts"]] == [WITHHELD, None]
    assert WRONG in answer["unconfirmed"]


def test_what_another_round_states_is_not_listed_as_unconfirmed(
    small_index: Index, queue: Chat
) -> None:
    class Later(ScriptedCritic):
        """Supports one statement only when it is judged again."""

        judged: list[str] = []  # noqa: RUF012

        def judge(self, statements: Any, premises: Any) -> list[list[Support]]:
            self.judged += statements
            late = self.judged.count(TREATED) < 2
            self.table = {**KNOWN, TREATED: 0.1 if late else 0.9}
            return super().judge(statements, premises)

    chat = queue(f"{GOOD} {TREATED}", f"{TREATED} {WRONG} {WORSE}")
    context = STREAMED.changed({"loop.max_rounds": 2})
    told, answer = run(made(small_index, chat, Later({})), context)
    assert [item["text"] for item in told] == [GOOD, TREATED]
    assert same(told, answer)
    assert TREATED not in answer["unconfirmed"]


def test_reasons_for_an_option_are_streamed_with_it(small_index: Index, queue: Chat) -> None:
    asked = {**ASK, "options": ["Wheezing", "Honey"]}
    context = Context.model_validate(
        {
            "preset": "self-medrag",
            "generator.stream_statements": True,
            "loop.max_rounds": 1,
            "memory.recall": False,
        }
    )
    chat = queue(f"Answer: A\n{GOOD} [1] {WRONG} [1]")
    told, answer = run(made(small_index, chat), context, asked)
    assert answer["choice"] == "A"
    assert [item["text"] for item in told] == [GOOD]
    assert same(told, answer)


def test_where_a_later_reply_is_unusable_the_answer_is_still_the_models(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{GOOD} {WRONG}", "", "")
    told, answer = run(made(small_index, chat), STREAMED.changed({"loop.max_rounds": 2}))
    assert GOOD in [item["text"] for item in told]
    assert same(told, answer)
    assert not any("quoted" in note for note in answer["notes"])


def test_the_steps_of_an_emergency_are_streamed(
    small_index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Passage("aid#0", "aid", 0, 11, "Press hard.", title="First aid")
    quoted: Statement = {
        **statement(page.text, [page.id]),
        "probability": 1.0,
        "verdict": "supported",
        "evidence": {"document": page.id, "start": 0, "end": 11},
    }
    monkeypatch.setattr("nodes.fallback.steps", lambda *_: (page, [quoted]))
    asked = {"question": "crushing chest pain and I cannot breathe"}
    told, answer = run(
        made(small_index, None), ONE_ROUND.changed({"triage.classifier": "patterns"}), asked
    )
    assert answer["outcome"] == "urgent"
    assert [item["evidence"][0]["title"] for item in told] == ["First aid"]
    assert same(told, answer)


def test_a_statement_is_complete_once_the_next_has_begun() -> None:
    def texts(words: str) -> list[tuple[str, list[str]]]:
        return [(own["text"], own["citations"]) for own in so_far(words, ["a", "b"])]

    for growing in ("Rest helps", "Rest helps. ", "Rest helps. [1", "Rest helps. [1] Hon"):
        assert texts(growing) == []
    assert texts("Rest helps. [1] Honey does") == [("Rest helps.", ["a"])]
    assert texts("<think>Rest helps. Honey does not. I") == []
    assert texts(f"Rest helps. {NOT_FOUND} And") == []


def judged(text: str, verdict: str = "supported") -> Statement:
    return {**statement(text, []), "verdict": verdict}  # type: ignore[typeddict-item]


def test_a_later_round_adds_what_is_new() -> None:
    def after(*rounds: list[Statement]) -> list[str]:
        own = [{"statements": said} for said in rounds]
        return [item["text"] for item in Standing(own).statements]  # type: ignore[arg-type]

    first, other = judged(GOOD), judged("Asthma causes wheezing.")
    assert after([first], [other]) == [GOOD]
    denied = judged("Asthma never causes wheezing.")
    assert after([first], [denied]) == [GOOD, denied["text"]]
    assert after([first, judged(WRONG, "unsupported")], [judged(TREATED)]) == [GOOD, TREATED]
    # What leans on the statement before it is nothing without that one.
    leaning = judged("It can be severe.")
    assert after([first], [other, leaning]) == [GOOD]
    assert after([first], [judged(TREATED), leaning]) == [GOOD, TREATED, leaning["text"]]
