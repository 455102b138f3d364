"""A message with several questions, from the question to the answer."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from app.trace.rendering import render
from app.trace.runs import steps
from graph import Context, build_graph
from nodes.writing.render import SILENT, WITHHELD
from retrievers.index import Index
from tests.fakes import FailingChat, ScriptedChat, ScriptedReader, in_turn
from tests.graph.conftest import GOOD, GOUT, TREATED, WORSE, WRONG, Queue, ScriptedCritic

Chat = Callable[..., Queue]
FIRST, SECOND = "How is my asthma treated?", "What does gout come from?"
THIRD = "How much does a wheelchair cost?"
CONTEXT = Context(triage={"classifier": "patterns", "country": "GB"})


def _named(query: str, pages: Sequence[tuple[str, str]]) -> list[float]:
    """Scores by which a passage answers a question that has its topic in it."""
    topics = [heading.split()[-1].strip("?").lower() for heading, _ in pages]
    return [0.9 if topic in query.lower() else 0.1 for topic in topics]


NAMED = ScriptedReader(_named)


def asked(index: Index, message: str, context: Context = CONTEXT, chat: Any = None) -> Any:
    critic = ScriptedCritic({GOOD: 0.9, TREATED: 0.9})
    graph = build_graph(index=index, chat=chat, critic=critic, reranker=NAMED)
    return graph.invoke({"question": message}, context=context)["answer"]


def test_every_question_is_answered_from_its_own_sources(small_index: Index) -> None:
    answer = asked(small_index, f"I am 40. {FIRST} {SECOND}")
    assert (answer["outcome"], answer["reason"]) == ("answered", "supported")
    assert [part["question"] for part in answer["parts"]] == [FIRST, SECOND]
    assert {(statement["part"], *statement["citations"]) for statement in answer["statements"]} == {
        (1, "asthma"),
        (2, "gout"),
    }
    before, _, after = answer["text"].partition(f"“{SECOND}”")
    assert before.index(f"“{FIRST}”") < before.index("inhaled medicines")
    assert "uric acid" in after
    assert "uric acid" not in before
    assert answer["verdict"] is None
    least = min(part["relevance"] for part in answer["parts"])
    assert answer["confidence"]["relevance"] == least


def test_a_question_without_evidence_is_named_and_the_other_answered(small_index: Index) -> None:
    answer = asked(small_index, f"I am 40. {FIRST} {THIRD}")
    assert (answer["outcome"], answer["reason"]) == ("partial", "part_unanswered")
    first, second = answer["parts"]
    assert (first["answered"], first["nearest"]) == (True, [])
    assert (second["answered"], second["relevance"]) == (False, None)
    assert second["nearest"]
    assert answer["nearest"] == []
    assert {statement["part"] for statement in answer["statements"]} == {1}
    assert f"No answer was found to: “{THIRD}”" in answer["text"]
    assert second["nearest"][0]["sentence"] in answer["text"]


def test_where_no_question_has_evidence_nothing_is_stated(small_index: Index) -> None:
    answer = asked(small_index, f"I am 40. {THIRD} Who sells crutches in Leeds?")
    assert (answer["outcome"], answer["reason"]) == ("abstained", "weak_evidence")
    assert [part["answered"] for part in answer["parts"]] == [False, False]
    assert answer["nearest"]


@pytest.mark.parametrize(
    ("message", "settings"),
    [(FIRST, {}), (f"I am 40. {FIRST} {SECOND}", {"question.split": False})],
)
def test_one_question_or_the_whole_message_has_no_parts(
    small_index: Index, message: str, settings: dict[str, Any]
) -> None:
    answer = asked(small_index, message, CONTEXT.changed(settings))
    assert answer["parts"] == []
    assert answer["statements"]
    assert all("part" not in statement for statement in answer["statements"])
    assert f"“{FIRST}”" not in answer["text"]


def test_a_chat_model_is_asked_each_question_that_has_evidence(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{TREATED} [1]")
    context = CONTEXT.changed({"retrieval.min_relevance": 0.5})
    answer = asked(small_index, f"I am 40. {FIRST} {THIRD}", context, chat)
    assert answer["reason"] == "part_unanswered"
    [prompt] = chat.seen
    assert FIRST in prompt[-1].content
    assert THIRD not in prompt[-1].content


def test_a_later_round_searches_for_each_question_again(small_index: Index, queue: Chat) -> None:
    causes = "What causes the wheezing of asthma?"
    chat = queue(f"{WRONG} [1]", f"{WRONG} [1]", f"{TREATED} [1]", f"{GOOD} [1]")
    context = CONTEXT.changed({"loop.stop_without_new_passages": False})
    answer = asked(small_index, f"I am 40. {FIRST} {causes}", context, chat)
    assert answer["rounds"] == 2
    assert [(statement["text"], statement["part"]) for statement in answer["statements"]] == [
        (TREATED, 1),
        (GOOD, 2),
    ]


def test_the_trace_shows_what_each_question_was_searched_for_as(small_index: Index) -> None:
    graph = build_graph(index=small_index, critic=ScriptedCritic({}), reranker=NAMED)
    events = graph.stream(
        {"question": f"I am 40. {FIRST} {SECOND}"}, context=CONTEXT, stream_mode="debug"
    )
    text = "\n".join(render(steps(events)))
    assert f"question 1: I am 40. {FIRST}" in text
    assert "question 2" in text.partition("rerank")[2]


CAUSES = "What causes the wheezing of asthma?"
LOOP = CONTEXT.changed({"loop.stop_without_new_passages": False})


def test_what_a_round_confirmed_for_one_question_stays_while_another_is_searched_for(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{TREATED} [1]", f"{WRONG} [1]", f"{GOOD} [1]")
    answer = asked(small_index, f"I am 40. {FIRST} {CAUSES}", LOOP, chat)
    assert (answer["outcome"], answer["rounds"]) == ("answered", 2)
    assert [(statement["text"], statement["part"]) for statement in answer["statements"]] == [
        (TREATED, 1),
        (GOOD, 2),
    ]
    # The question that was answered is not asked again.
    assert [FIRST in messages[-1].content for messages in chat.seen] == [True, False, False]
    assert all(part["relevance"] for part in answer["parts"])


def test_the_best_round_counts_for_each_question_by_itself(small_index: Index, queue: Chat) -> None:
    context = LOOP.changed({"loop.max_rounds": 2})
    chat = queue(f"{TREATED} {WRONG} [1]", f"{WORSE} [1]", f"{WORSE} [1]", f"{GOOD} [1]")
    answer = asked(small_index, f"I am 40. {FIRST} {CAUSES}", context, chat)
    assert [(statement["text"], statement["part"]) for statement in answer["statements"]] == [
        (TREATED, 1),
        (GOOD, 2),
    ]
    assert answer["unconfirmed"] == [WRONG]
    assert all(part["relevance"] for part in answer["parts"])


def test_what_was_not_confirmed_of_one_question_is_put_to_no_other(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{WRONG} [1]", f"{WORSE} [1]", f"{TREATED} [1]", f"{GOOD} [1]")
    graph = build_graph(
        index=small_index,
        chat=chat,
        critic=ScriptedCritic({GOOD: 0.9, TREATED: 0.9}),
        reranker=NAMED,
    )
    asks = [
        update["rewrite"]["sub_questions"]
        for update in graph.stream(
            {"question": f"I am 40. {FIRST} {CAUSES}"}, context=LOOP, stream_mode="updates"
        )
        if "rewrite" in update
    ]
    [[first, second]] = asks
    assert (first["later_queries"], second["later_queries"]) == (
        [f"{first['query']} {WRONG}"],
        [f"{second['query']} {WORSE}"],
    )
    again = [messages[-1].content for messages in chat.seen[2:]]
    assert [(WRONG in prompt, WORSE in prompt) for prompt in again] == [
        (True, False),
        (False, True),
    ]


def failing_at(words: str, *replies: str) -> ScriptedChat:
    """A chat model that fails at every question with these words."""
    others = in_turn(*replies)
    return ScriptedChat(
        lambda messages: (
            RuntimeError("overloaded") if words in messages[-1].text else others(messages)
        )
    )


def test_what_fails_at_one_question_is_said_of_that_one(small_index: Index) -> None:
    chat = failing_at("wheezing of", f"{TREATED} [1]")
    answer = asked(small_index, f"I am 40. {FIRST} {CAUSES}", LOOP, chat)
    first, second = answer["parts"]
    assert (first["answered"], first["note"]) == (True, None)
    assert (second["answered"], second["note"]) == (True, SILENT)
    assert answer["notes"] == []
    assert answer["generator"] != "extractive"
    before, _, after = answer["text"].partition(f"“{CAUSES}”")
    assert SILENT not in before
    assert SILENT in after


def test_what_fails_at_every_question_is_said_once(small_index: Index) -> None:
    chat = FailingChat()
    answer = asked(small_index, f"I am 40. {FIRST} {CAUSES}", LOOP, chat)
    assert answer["notes"] == [SILENT]
    assert [part["note"] for part in answer["parts"]] == [None, None]
    assert (answer["generator"], answer["text"].count(SILENT)) == ("extractive", 1)


def test_a_question_all_of_whose_statements_are_withheld_is_answered_by_quotations(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{TREATED} [1]", *[f"{WRONG} [1]", f"{WORSE} [1]", f"{WRONG} [1]"])
    answer = asked(small_index, f"I am 40. {FIRST} {SECOND}", LOOP, chat)
    first, second = answer["parts"]
    assert (first["note"], second["note"]) == (None, WITHHELD)
    said = [(statement["part"], statement["text"]) for statement in answer["statements"]]
    assert said[0] == (1, TREATED)
    assert len(said) > 1
    assert all(part == 2 and text in GOUT for part, text in said[1:])
    assert answer["notes"] == []
    assert (answer["outcome"], answer["reason"]) == ("partial", "some_unsupported")
    assert WRONG in answer["unconfirmed"]


def test_a_model_writes_the_next_query_of_each_question_that_needs_one(
    small_index: Index, queue: Chat
) -> None:
    context = LOOP.changed({"loop.rewrite": "model"})
    chat = queue(f"{TREATED} [1]", f"{WRONG} [1]", "asthma remission", f"{GOOD} [1]")
    graph = build_graph(
        index=small_index,
        chat=chat,
        critic=ScriptedCritic({GOOD: 0.9, TREATED: 0.9}),
        reranker=NAMED,
    )
    [made] = [
        update["rewrite"]["sub_questions"]
        for update in graph.stream(
            {"question": f"I am 40. {FIRST} {CAUSES}"}, context=context, stream_mode="updates"
        )
        if "rewrite" in update
    ]
    assert (made[0]["closed"], made[1]["later_queries"]) == (True, ["asthma remission"])
    content = chat.seen[2][-1].content
    assert CAUSES in content
    assert WRONG in content
    assert FIRST not in content
