"""The graph with scripted models: every route, over one, two and three rounds."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from pydantic import ValidationError

from anamnesis import IndexFolderError, ModelError, SettingError
from corpus.passage import Passage
from graph import Context, build_graph, graph
from nodes.draft import statement
from nodes.verify import judge
from prompts import NOT_FOUND
from retrievers.index import Index
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    TREATED,
    WORSE,
    WRONG,
    Queue,
    ScriptedCritic,
    built,
)

Chat = Callable[..., Queue]


def path_of(own: Any, question: dict[str, Any], context: Context = CHECKED) -> list[str]:
    return [
        name
        for update in own.stream(question, context=context, stream_mode="updates")
        for name in update
    ]


def test_a_supported_answer_takes_one_round(small_index: Index, queue: Chat) -> None:
    own = built(small_index, queue(f"{GOOD} [1] {TREATED} [1]"), {GOOD: 0.9, TREATED: 0.8})
    answer = own.invoke(ASK, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"], answer["rounds"]) == ("answered", "supported", 1)
    assert [item["text"] for item in answer["statements"]] == [GOOD, TREATED]
    assert {item["verdict"] for item in answer["statements"]} == {"supported"}
    assert answer["sources"][0]["id"] in {"asthma", "gout", "measles"}
    assert (answer["critic"], answer["generator"]) == ("scripted", "Queue")
    assert "[1]" in answer["text"]
    assert set(answer["timings"]) >= {"screen", "retrieve", "rerank", "generate", "verify"}


@pytest.mark.parametrize("rounds", [2, 3])
def test_the_loop_searches_again_for_what_was_not_supported(
    small_index: Index, queue: Chat, rounds: int
) -> None:
    replies = [*(f"{WRONG} [1]", f"{WORSE} [1]")[: rounds - 1], f"{GOOD} [1]"]
    chat = queue(*replies)
    own = built(small_index, chat, {GOOD: 0.9})
    path = path_of(own, ASK)
    again = ["rewrite", "retrieve", "rerank", "generate", "verify"]
    assert sorted(path[:3]) == ["recall", "retrieve", "screen"]
    assert path[3:] == ["rerank", "generate", "verify"] + again * (rounds - 1) + ["remember"]
    # What was not supported is in the next query, and the next prompt says not to repeat it.
    assert WRONG in chat.seen[1][-1].content


def test_each_rounds_query_holds_what_was_unsupported(small_index: Index, queue: Chat) -> None:
    own = built(small_index, queue(WRONG, WORSE, GOOD), {GOOD: 0.9}).copy(
        {"checkpointer": InMemorySaver()}
    )
    config = {"configurable": {"thread_id": "1"}}
    answer = own.invoke(ASK, config, context=CHECKED)["answer"]
    queries = own.get_state(config).values["queries"]
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


def test_when_nothing_was_supported_no_claim_is_shown(small_index: Index, queue: Chat) -> None:
    answer = built(small_index, queue(WRONG, WORSE, WRONG), {}).invoke(ASK, context=CHECKED)[
        "answer"
    ]
    assert (answer["outcome"], answer["reason"]) == ("abstained", "unsupported")
    assert answer["statements"] == []
    assert answer["sources"] == []
    assert answer["text"].startswith("Not found")


def test_the_loop_ends_when_the_next_query_would_be_no_new_one(
    small_index: Index, queue: Chat
) -> None:
    own = built(small_index, queue("What is asthma.", "never asked"), {})
    assert path_of(own, ASK)[-3:] == ["verify", "fallback", "remember"]


def test_a_share_above_theta_ends_the_loop_and_the_rest_is_not_shown(
    small_index: Index, queue: Chat
) -> None:
    context = CHECKED.model_copy(update={"support_score": 0.5})
    answer = built(small_index, queue(f"{GOOD} {WRONG}"), {GOOD: 0.9}).invoke(ASK, context=context)[
        "answer"
    ]
    assert (answer["outcome"], answer["reason"], answer["rounds"]) == (
        "partial",
        "some_unsupported",
        1,
    )
    assert answer["unconfirmed"] == [WRONG]


def test_a_contradicted_statement_is_not_shown(small_index: Index, queue: Chat) -> None:
    own = built(small_index, queue(GOOD), {GOOD: 0.8}, against=[GOOD])
    answer = own.invoke(ASK, context=CHECKED.model_copy(update={"max_rounds": 1}))["answer"]
    assert answer["outcome"] == "abstained"


def test_the_sentinel_ends_in_the_fallback(small_index: Index, queue: Chat) -> None:
    answer = built(small_index, queue(NOT_FOUND), {}).invoke(ASK, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("abstained", "not_found")


def test_weak_evidence_ends_in_the_fallback_before_anything_is_generated(
    small_index: Index, queue: Chat
) -> None:
    own = built(small_index, queue(), {})
    context = CHECKED.model_copy(update={"min_evidence": 1.0})
    question = {"question": "How do I repair a bicycle chain?"}
    assert path_of(own, question, context)[-3:] == ["rerank", "fallback", "remember"]
    answer = own.invoke(question, context=context)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("abstained", "weak_evidence")


def test_an_emergency_goes_straight_to_the_call_for_help(small_index: Index, queue: Chat) -> None:
    own = built(small_index, queue(), {})
    urgent = {"question": "I have crushing chest pain"}
    assert path_of(own, urgent) == ["screen", "fallback", "remember"]
    answer = own.invoke(urgent, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("urgent", "emergency")
    assert "112" in answer["text"]
    assert answer["statements"] == []


def test_without_a_critic_statements_are_shown_as_not_checked(
    small_index: Index, queue: Chat
) -> None:
    context = CHECKED.model_copy(update={"critic": None})
    answer = built(small_index, queue(f"{GOOD} [1]"), {}).invoke(ASK, context=context)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("answered", "unchecked")
    assert answer["critic"] is None
    assert answer["confidence"] is None
    assert "(not checked)" in answer["text"]


def test_a_number_that_the_evidence_lacks_is_never_shown(small_index: Index, queue: Chat) -> None:
    wrong = "Asthma is treated with 50 mg of prednisone."
    context = CHECKED.model_copy(update={"max_rounds": 1})
    answer = built(small_index, queue(f"{wrong} {GOOD}"), {wrong: 0.99, GOOD: 0.9}).invoke(
        ASK, context=context
    )["answer"]
    assert [item["text"] for item in answer["statements"]] == [GOOD]
    assert answer["unconfirmed"] == [wrong]


def test_evidence_offsets_point_into_the_sources_text(small_index: Index, queue: Chat) -> None:
    own = built(small_index, queue(f"{GOOD} {TREATED}"), {GOOD: 0.9, TREATED: 0.9})
    answer = own.invoke(ASK, context=CHECKED)["answer"]
    texts = {source["id"]: source["text"] for source in answer["sources"]}
    for item in answer["statements"]:
        evidence = item["evidence"]
        assert texts[evidence["document"]][evidence["start"] : evidence["end"]].strip()


def test_the_default_graph_says_how_to_make_an_index(no_home: Any) -> None:
    with pytest.raises(IndexFolderError, match="anamnesis index"):
        graph.invoke(ASK)


def test_a_missing_question_is_an_error_with_the_remedy() -> None:
    with pytest.raises(SettingError, match="send"):
        graph.invoke({"question": "  "})
    with pytest.raises(SettingError, match="send"):
        graph.invoke({"messages": [("ai", "Hello")]})


def test_unknown_settings_are_refused(small_index: Index) -> None:
    with pytest.raises(ValidationError, match="colour"):
        build_graph(index=small_index).invoke(ASK, context={"colour": "blue"})


def test_sync_and_async_give_the_same_answer(small_index: Index, queue: Chat) -> None:
    def one() -> Any:
        return built(small_index, queue(GOOD), {GOOD: 0.9})

    sync = one().invoke(ASK, context=CHECKED)["answer"]
    later = asyncio.run(one().ainvoke(ASK, context=CHECKED))["answer"]
    assert {**sync, "timings": 0} == {**later, "timings": 0}


SAID = st.lists(
    st.sampled_from([GOOD, TREATED, WRONG, WORSE, NOT_FOUND, "", "[3]", "[9] ???"]), max_size=4
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(SAID, min_size=3, max_size=3), st.integers(1, 3), st.floats(0, 1))
def test_no_end_shows_an_unsupported_statement(
    small_index: Index, queue: Chat, replies: list[list[str]], rounds: int, theta: float
) -> None:
    own = built(
        small_index, queue(*[" ".join(reply) for reply in replies]), {GOOD: 0.9, TREATED: 0.7}
    )
    context = CHECKED.model_copy(update={"max_rounds": rounds, "support_score": theta})
    answer = own.invoke(ASK, context=context)["answer"]
    known = {source["id"] for source in answer["sources"]}
    for item in answer["statements"]:
        assert item["text"] in (GOOD, TREATED)
        assert item["verdict"] == "supported"
        assert item["citations"]
        assert set(item["citations"]) <= known
    assert WRONG not in answer["text"]
    assert WORSE not in answer["text"]
    assert (answer["outcome"] in ("answered", "partial")) == bool(answer["statements"])


def test_the_worst_path_stays_within_the_recursion_limit(small_index: Index, queue: Chat) -> None:
    replies = [
        f"Claim {word} is unsupported."
        for word in ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    ]
    context = CHECKED.model_copy(update={"max_rounds": 10})
    answer = built(small_index, queue(*replies), {}).invoke(ASK, context=context)["answer"]
    assert (answer["outcome"], answer["rounds"]) == ("abstained", 10)


def test_a_quotation_is_supported_by_what_it_quotes(small_index: Index, queue: Chat) -> None:
    said = "Asthma is treated with inhaled medicines."
    answer = built(small_index, queue(said), {}).invoke(ASK, context=CHECKED)["answer"]
    [item] = answer["statements"]
    assert (item["verdict"], item["probability"], item["citations"]) == (
        "supported",
        1.0,
        ["asthma"],
    )
    [source] = answer["sources"]
    assert source["text"][item["evidence"]["start"] : item["evidence"]["end"]] == said


def test_a_leaning_statement_is_not_shown_without_what_it_leans_on(
    small_index: Index, queue: Chat
) -> None:
    leaning = "It is cured by rest."
    table = {GOOD: 0.9, leaning: 0.9}
    context = CHECKED.model_copy(update={"max_rounds": 1})
    beside = built(small_index, queue(f"{GOOD} {leaning}"), table)
    behind = built(small_index, queue(f"{WRONG} {leaning} {GOOD} Fever."), {**table, "Fever.": 0.0})
    assert len(beside.invoke(ASK, context=context)["answer"]["statements"]) == 2
    answer = behind.invoke(ASK, context=context)["answer"]
    assert [item["text"] for item in answer["statements"]] == [GOOD]


def test_an_answer_of_the_turn_before_is_never_shown_with_a_new_question(
    small_index: Index, queue: Chat
) -> None:
    own = built(small_index, queue(GOOD, GOOD), {GOOD: 0.9}).copy({"checkpointer": InMemorySaver()})
    config: Any = {"configurable": {"thread_id": "1"}}
    own.invoke(ASK, config, context=CHECKED)
    assert own.get_state(config).values["answer"]["outcome"] == "answered"
    question = {"question": "What is gout?"}
    for values in own.stream(question, config, context=CHECKED, stream_mode="values"):
        assert values.get("answer", {"question": "What is gout?"})["question"] == "What is gout?"


def test_an_unchecked_draft_is_not_streamed(small_index: Index, queue: Chat) -> None:
    own = built(small_index, queue(f"{WRONG} {GOOD}"), {GOOD: 0.9})
    context = CHECKED.model_copy(update={"max_rounds": 1})
    said = [message.text for message, _ in own.stream(ASK, context=context, stream_mode="messages")]
    assert GOOD in " ".join(said)
    assert WRONG not in " ".join(said)


def test_a_chat_model_that_fails_is_named_with_the_remedy(small_index: Index, queue: Chat) -> None:
    with pytest.raises(ModelError, match="did not answer"):
        built(small_index, queue(), {}).invoke(ASK, context=CHECKED)


def test_a_store_that_fails_does_not_cost_the_answer(small_index: Index, queue: Chat) -> None:
    class Broken(InMemoryStore):
        def batch(self, ops: Any) -> Any:
            raise OSError("the disk is full")

    own = built(small_index, queue(GOOD), {GOOD: 0.9}).copy({"store": Broken()})
    context = CHECKED.model_copy(update={"user": "ann", "remember": True})
    assert own.invoke(ASK, context=context)["answer"]["outcome"] == "answered"


def test_callers_are_told_what_goes_in_and_what_comes_out() -> None:
    assert set(graph.get_input_jsonschema()["properties"]) == {"question", "messages"}
    assert set(graph.get_output_jsonschema()["properties"]) == {"answer", "messages"}


def test_a_chat_model_that_fails_later_does_not_cost_what_was_supported(
    small_index: Index, queue: Chat
) -> None:
    own = built(small_index, queue(f"{GOOD} {WRONG}"), {GOOD: 0.9})
    answer = own.invoke(ASK, context=CHECKED)["answer"]
    assert answer["outcome"] == "partial"
    assert [item["text"] for item in answer["statements"]] == [GOOD]


def test_a_passage_of_myths_supports_nothing() -> None:
    own = Passage("g#0", "g", 0, 0, "Gout only affects rich men.", title="Myths about gout")
    said = "Gout only affects rich men."
    [told] = judge([statement(said, ["g#0"])], [own], ScriptedCritic({said: 1.0}), 0.5)
    assert (told["verdict"], told["citations"]) == ("unsupported", [])


def test_a_quotation_that_leans_must_stand_right_behind_the_one_before() -> None:
    text = "Gout hurts the toe. Scurvy is a lack of vitamin C. It is caused by diet."
    own = Passage("g#0", "g", 0, 0, text, title="Gout")

    def verdicts(*said: str) -> list[str]:
        drafted = [statement(one, ["g#0"]) for one in said]
        return [item["verdict"] for item in judge(drafted, [own], ScriptedCritic({}), 0.5)]

    wrong = verdicts("Gout hurts the toe.", "It is caused by diet.")
    right = verdicts("Scurvy is a lack of vitamin C.", "It is caused by diet.")
    assert wrong == ["supported", "unsupported"]
    assert right == ["supported", "supported"]
