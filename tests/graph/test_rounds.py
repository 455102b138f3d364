"""The loop: one, two and three rounds, every way out of it, and nothing unsupported shown."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from graph import Context, build_graph
from nodes.writing.confidence import UNCONFIRMED
from nodes.writing.render import SILENT, UNUSED, WITHHELD
from prompts import NOT_FOUND
from retrievers.index import Index
from tests.fakes import ScriptedReader
from tests.graph.conftest import (
    ASK,
    ASTHMA,
    CHECKED,
    GOOD,
    GOUT,
    MEASLES,
    TREATED,
    WORSE,
    WRONG,
    Queue,
    ScriptedCritic,
    built,
    path_of,
)

Chat = Callable[..., Queue]


@pytest.mark.parametrize("rounds", [2, 3])
def test_the_loop_searches_again_for_what_was_not_supported(
    small_index: Index, queue: Chat, rounds: int
) -> None:
    replies = [*(f"{WRONG} [1]", f"{WORSE} [1]")[: rounds - 1], f"{GOOD} [1]"]
    chat = queue(*replies)
    graph = built(small_index, chat, {GOOD: 0.9})
    path = path_of(graph, ASK)
    again = ["rewrite", "retrieve", "rerank", "generate", "verify"]
    assert sorted(path[:3]) == ["recall", "retrieve", "screen"]
    assert path[3:] == ["rerank", "generate", "verify"] + again * (rounds - 1) + ["remember"]
    # What was not supported is in the next query, and the next prompt says not to repeat it.
    assert WRONG in chat.seen[1][-1].content


def test_each_rounds_query_holds_what_was_unsupported(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(WRONG, WORSE, GOOD), {GOOD: 0.9}).copy(
        {"checkpointer": InMemorySaver()}
    )
    config = {"configurable": {"thread_id": "1"}}
    answer = graph.invoke(ASK, config, context=CHECKED)["answer"]
    queries = graph.get_state(config).values["queries"]
    assert queries == [
        "What is asthma?",
        f"What is asthma? {WRONG}",
        f"What is asthma? {WRONG} {WORSE}",
    ]
    assert answer["rounds"] == 3
    assert answer["query"] == "What is asthma?"


def test_when_rounds_run_out_the_best_rounds_supported_statements_remain(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{WRONG} {GOOD} {WORSE}", WRONG, f"{WRONG} {WORSE}")
    answer = built(small_index, chat, {GOOD: 0.9}).invoke(ASK, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("partial", "some_unsupported")
    assert [item["text"] for item in answer["statements"]] == [GOOD]
    assert answer["unconfirmed"] == [WRONG, WORSE]
    assert WRONG not in answer["text"]


def test_when_nothing_was_supported_the_documents_are_quoted(
    small_index: Index, queue: Chat
) -> None:
    graph = built(small_index, queue(WRONG, WORSE, WRONG), {})
    answer = graph.invoke(ASK, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("partial", "some_unsupported")
    assert answer["generator"] == "extractive"
    assert answer["notes"] == [WITHHELD]
    assert WITHHELD in answer["text"]
    assert answer["statements"]
    assert all(item["text"] in f"{ASTHMA} {GOUT} {MEASLES}" for item in answer["statements"])
    assert answer["unconfirmed"] == [WRONG]
    assert WRONG not in answer["text"]


def test_where_no_document_fits_nothing_is_quoted(small_index: Index, queue: Chat) -> None:
    # Nothing answers well enough to be quoted.
    unsure = ScriptedReader(lambda _, pages: [0.2 - at / 100 for at in range(len(pages))])
    graph = build_graph(
        index=small_index,
        chat=queue(WRONG, WORSE, WRONG),
        critic=ScriptedCritic({}),
        reranker=unsure,
    )
    context = Context(loop={"stop_without_new_passages": False})
    answer = graph.invoke(ASK, context=context)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("abstained", "unsupported")
    assert answer["statements"] == []
    assert answer["sources"] == []
    assert answer["text"].startswith("Not found")


def test_the_loop_ends_when_the_next_query_would_be_no_new_one(
    small_index: Index, queue: Chat
) -> None:
    graph = built(small_index, queue("What is asthma.", "never asked"), {})
    assert path_of(graph, ASK)[-3:] == ["verify", "fallback", "remember"]


def test_a_share_above_theta_ends_the_loop_and_the_rest_is_not_shown(
    small_index: Index, queue: Chat
) -> None:
    context = CHECKED.changed({"loop.min_supported_share": 0.5})
    answer = built(small_index, queue(f"{GOOD} {WRONG}"), {GOOD: 0.9}).invoke(ASK, context=context)[
        "answer"
    ]
    assert (answer["outcome"], answer["reason"], answer["rounds"]) == (
        "partial",
        "some_unsupported",
        1,
    )
    assert answer["unconfirmed"] == [WRONG]


SAID = st.lists(
    st.sampled_from([GOOD, TREATED, WRONG, WORSE, NOT_FOUND, "", "[3]", "[9] ???"]), max_size=4
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SAID, min_size=3, max_size=3), st.integers(1, 3), st.floats(0, 1))
def test_no_end_shows_an_unsupported_statement(
    small_index: Index, queue: Chat, replies: list[list[str]], rounds: int, theta: float
) -> None:
    graph = built(
        small_index, queue(*[" ".join(reply) for reply in replies]), {GOOD: 0.9, TREATED: 0.7}
    )
    context = CHECKED.changed({"loop.max_rounds": rounds, "loop.min_supported_share": theta})
    answer = graph.invoke(ASK, context=context)["answer"]
    known = {source["id"] for source in answer["sources"]}
    for item in answer["statements"]:
        # Where the model writes nothing of use, the documents are quoted.
        assert item["text"] in (GOOD, TREATED) or item["text"] in f"{ASTHMA} {GOUT} {MEASLES}"
        assert item["verdict"] == "supported"
        assert item["citations"]
        assert set(item["citations"]) <= known
    stated = answer["text"].partition(UNCONFIRMED)[0]
    assert WRONG not in stated
    assert WORSE not in stated
    assert (answer["outcome"] in ("answered", "partial")) == bool(answer["statements"])


def test_the_worst_path_stays_within_the_recursion_limit(small_index: Index, queue: Chat) -> None:
    replies = [
        f"Claim {word} is unsupported."
        for word in ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    ]
    context = CHECKED.changed({"loop.max_rounds": 10})
    answer = built(small_index, queue(*replies), {}).invoke(ASK, context=context)["answer"]
    assert (answer["outcome"], answer["rounds"]) == ("partial", 10)


def test_a_chat_model_that_fails_later_is_replaced_by_quotations(
    small_index: Index, queue: Chat
) -> None:
    graph = built(small_index, queue(f"{GOOD} {WRONG}"), {GOOD: 0.9})
    answer = graph.invoke(ASK, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["generator"]) == ("answered", "extractive")
    assert WRONG not in answer["text"]
    assert "did not answer" in answer["text"]


def test_a_round_that_finds_nothing_new_is_the_last(small_index: Index, queue: Chat) -> None:
    chat = queue(f"{GOOD} {WRONG}", "never asked")
    graph = built(small_index, chat, {GOOD: 0.9})
    context = CHECKED.changed({"loop.stop_without_new_passages": True})
    path = path_of(graph, ASK, context)
    assert path[-5:] == ["rewrite", "retrieve", "rerank", "fallback", "remember"]
    assert len(chat.seen) == 1
    again = built(small_index, queue(f"{GOOD} {WRONG}"), {GOOD: 0.9})
    answer = again.invoke(ASK, context=context)["answer"]
    assert (answer["outcome"], answer["reason"], answer["rounds"]) == (
        "partial",
        "some_unsupported",
        1,
    )
    assert answer["unconfirmed"] == [WRONG]


def test_a_round_with_one_new_passage_goes_on(small_index: Index, queue: Chat) -> None:
    # Two of three passages a round: the third comes with the words of what was unsupported.
    context = CHECKED.changed({"loop.stop_without_new_passages": True, "generator.passages": 2})
    wrong = "Measles and its rash spread through the air to the big toe."
    right = "A rash comes with measles."
    graph = built(small_index, queue(wrong, f"{right} [1]"), {right: 0.9})
    final = graph.invoke(ASK, context=context)["answer"]
    assert (final["outcome"], final["rounds"]) == ("answered", 2)


@pytest.mark.parametrize(
    ("written", "second"),
    [
        ("asthma honey cure evidence", "asthma honey cure evidence"),
        ("Query: asthma honey", "asthma honey"),
        ("what IS asthma", f"{ASK['question']} {WRONG}"),  # the words of the query before
        ("one line\nand another", f"{ASK['question']} {WRONG}"),
        ("", f"{ASK['question']} {WRONG}"),
        ("word " * 61, f"{ASK['question']} {WRONG}"),
    ],
)
def test_a_model_may_write_the_next_query(
    small_index: Index, queue: Chat, written: str, second: str
) -> None:
    graph = built(small_index, queue(WRONG, written, GOOD), {GOOD: 0.9}).copy(
        {"checkpointer": InMemorySaver()}
    )
    config = {"configurable": {"thread_id": "1"}}
    context = CHECKED.changed({"loop.rewrite": "model"})
    answer = graph.invoke(ASK, config, context=context)["answer"]
    assert graph.get_state(config).values["queries"] == [ASK["question"], second]
    assert answer["outcome"] == "answered"


def test_a_model_that_fails_to_write_a_query_costs_nothing(small_index: Index, queue: Chat) -> None:
    context = CHECKED.changed({"loop.rewrite": "model"})
    graph = built(small_index, queue(f"{GOOD} {WRONG}"), {GOOD: 0.9})
    # The model is silent from the second call on: the query is appended, the passages quoted.
    answer = graph.invoke(ASK, context=context)["answer"]
    assert answer["outcome"] in ("answered", "partial")
    assert WRONG not in answer["text"]


def test_what_cannot_be_read_is_asked_for_once_more(small_index: Index, queue: Chat) -> None:
    chat = queue("[1] [2]", f"{GOOD} [1]")
    answer = built(small_index, chat, {GOOD: 0.9}).invoke(ASK, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["rounds"], answer["generator"]) == ("answered", 1, "Queue")
    assert "holds no statement" in chat.seen[1][-1].content
    assert answer["notes"] == []


@pytest.mark.parametrize("replies", [("[1]", "[2]"), ("", ""), ()])
def test_a_model_that_writes_nothing_of_use_is_replaced_by_quotations(
    small_index: Index, queue: Chat, replies: tuple[str, ...]
) -> None:
    answer = built(small_index, queue(*replies), {}).invoke(ASK, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["generator"]) == ("answered", "extractive")
    documents = f"{ASTHMA} {GOUT} {MEASLES}"
    assert all(item["text"] in documents for item in answer["statements"])
    [note] = answer["notes"]
    assert note in answer["text"]
    assert note.startswith(UNUSED) if replies else note == SILENT


CHOSEN = st.sampled_from(["Answer: A", "Answer: B", "", "A or B"])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(CHOSEN, SAID), min_size=3, max_size=3), st.integers(1, 3))
def test_no_end_shows_a_choice_that_no_statement_supports(
    small_index: Index, queue: Chat, replies: list[tuple[str, list[str]]], rounds: int
) -> None:
    chat = queue(*["\n".join([choice, *said]) for choice, said in replies])
    graph = built(small_index, chat, {GOOD: 0.9, TREATED: 0.7})
    context = CHECKED.changed({"loop.max_rounds": rounds})
    asked = {"question": "What treats asthma?", "options": ["inhaled medicines", "honey"]}
    answer = graph.invoke(asked, context=context)["answer"]
    shown = answer["outcome"] in ("answered", "partial")
    assert (answer["choice"] in ("A", "B")) == shown == bool(answer["statements"])
    assert all(item["verdict"] == "supported" for item in answer["statements"])
    stated = answer["text"].partition(UNCONFIRMED)[0]
    assert WRONG not in stated
    assert WORSE not in stated
