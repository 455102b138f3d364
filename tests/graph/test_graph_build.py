"""The graph with scripted models: what goes in, what comes out, and every step's part in it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from anamnesis import IndexFolderError, SettingError
from graph import build_graph, graph
from prompts import NOT_FOUND
from retrievers.index import Index
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    TREATED,
    WRONG,
    Queue,
    built,
    path_of,
)

Chat = Callable[..., Queue]


def test_a_supported_answer_takes_one_round(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(f"{GOOD} [1] {TREATED} [1]"), {GOOD: 0.9, TREATED: 0.8})
    answer = graph.invoke(ASK, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"], answer["rounds"]) == ("answered", "supported", 1)
    assert [item["text"] for item in answer["statements"]] == [GOOD, TREATED]
    assert {item["verdict"] for item in answer["statements"]} == {"supported"}
    assert answer["sources"][0]["id"] in {"asthma", "gout", "measles"}
    assert (answer["critic"], answer["generator"]) == ("scripted", "Queue")
    assert "[1]" in answer["text"]
    assert set(answer["timings"]) >= {"screen", "retrieve", "rerank", "generate", "verify"}


def test_a_contradicted_statement_is_not_shown(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(GOOD), {GOOD: 0.8}, against=[GOOD])
    answer = graph.invoke(ASK, context=CHECKED.changed({"loop.max_rounds": 1}))["answer"]
    assert answer["unconfirmed"] == [GOOD]
    assert GOOD not in answer["text"]


def test_the_sentinel_ends_in_the_fallback(small_index: Index, queue: Chat) -> None:
    answer = built(small_index, queue(NOT_FOUND), {}).invoke(ASK, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("abstained", "not_found")


def test_weak_evidence_ends_in_the_fallback_before_anything_is_generated(
    small_index: Index, queue: Chat
) -> None:
    graph = built(small_index, queue(), {})
    context = CHECKED.changed({"retrieval.min_relevance": 1.0})
    question = {"question": "How do I repair a bicycle chain?"}
    assert path_of(graph, question, context)[-3:] == ["rerank", "fallback", "remember"]
    answer = graph.invoke(question, context=context)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("abstained", "weak_evidence")


def test_an_emergency_goes_straight_to_the_call_for_help(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(), {})
    urgent = {"question": "I have crushing chest pain"}
    assert path_of(graph, urgent) == ["screen", "fallback", "remember"]
    answer = graph.invoke(urgent, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("urgent", "emergency")
    assert answer["text"].startswith("This may be an emergency. Call")
    assert "112" in answer["text"]
    # What stands below are steps of first aid, word for word from the program's own page.
    assert {source["id"] for source in answer["sources"]} <= {"starter-chest-pain-first-aid"}


LETTER = (
    "My mother has asthma and her inhaler costs so much. {}What is asthma? Thank you for "
    "reading my letter."
)


def test_self_harm_in_a_long_letter_names_a_crisis_line_before_the_answer(
    small_index: Index, queue: Chat
) -> None:
    graph = built(small_index, queue(f"{GOOD} [1]", f"{GOOD} [1]"), {GOOD: 0.9})
    context = CHECKED.changed({"triage.country": "GB"})
    said: Any = {"question": LETTER.format("Some days I think of ending my life. ")}
    answer = graph.invoke(said, context=context)["answer"]
    assert answer["outcome"] == "answered"
    assert answer["text"].startswith("If you are thinking of harming yourself, call 116 123.")
    calm: Any = {"question": LETTER.format("")}
    assert "116 123" not in graph.invoke(calm, context=context)["answer"]["text"]


def test_without_a_critic_statements_are_shown_as_not_checked(
    small_index: Index, queue: Chat
) -> None:
    context = CHECKED.changed({"verification.critic": None})
    answer = built(small_index, queue(f"{GOOD} [1]"), {}).invoke(ASK, context=context)["answer"]
    assert (answer["outcome"], answer["reason"]) == ("answered", "unchecked")
    assert answer["critic"] is None
    assert answer["confidence"]["support"] is None
    assert "(not checked)" in answer["text"]


def test_a_number_that_the_evidence_lacks_is_never_shown(small_index: Index, queue: Chat) -> None:
    wrong = "Asthma is treated with 50 mg of prednisone."
    context = CHECKED.changed({"loop.max_rounds": 1})
    answer = built(small_index, queue(f"{wrong} {GOOD}"), {wrong: 0.99, GOOD: 0.9}).invoke(
        ASK, context=context
    )["answer"]
    assert [item["text"] for item in answer["statements"]] == [GOOD]
    assert answer["unconfirmed"] == [wrong]


def test_evidence_offsets_point_into_the_sources_text(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(f"{GOOD} {TREATED}"), {GOOD: 0.9, TREATED: 0.9})
    answer = graph.invoke(ASK, context=CHECKED)["answer"]
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


def test_a_statement_that_refers_back_is_not_shown_without_the_earlier_one(
    small_index: Index, queue: Chat
) -> None:
    dependent = "It is cured by rest."
    table = {GOOD: 0.9, dependent: 0.9}
    context = CHECKED.changed({"loop.max_rounds": 1})
    graph = built(small_index, queue(f"{GOOD} {dependent}"), table)
    behind = built(
        small_index, queue(f"{WRONG} {dependent} {GOOD} Fever."), {**table, "Fever.": 0.0}
    )
    assert len(graph.invoke(ASK, context=context)["answer"]["statements"]) == 2
    answer = behind.invoke(ASK, context=context)["answer"]
    assert [item["text"] for item in answer["statements"]] == [GOOD]


def test_names_alone_are_not_shown(small_index: Index, queue: Chat) -> None:
    names = "Wheezing, severe attacks. [1]"
    graph = built(small_index, queue(names), {"Wheezing, severe attacks.": 0.9})
    context = CHECKED.changed({"loop.max_rounds": 1})
    answer = graph.invoke({"question": "What causes asthma?"}, context=context)["answer"]
    assert answer["unconfirmed"] == ["Wheezing, severe attacks."]
    assert "Wheezing, severe" not in answer["text"]


def test_an_answer_of_the_turn_before_is_never_shown_with_a_new_question(
    small_index: Index, queue: Chat
) -> None:
    graph = built(small_index, queue(GOOD, GOOD), {GOOD: 0.9}).copy(
        {"checkpointer": InMemorySaver()}
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke(ASK, config, context=CHECKED)
    assert graph.get_state(config).values["answer"]["outcome"] == "answered"
    question = {"question": "What is gout?"}
    for values in graph.stream(question, config, context=CHECKED, stream_mode="values"):
        assert values.get("answer", {"question": "What is gout?"})["question"] == "What is gout?"


def test_the_schemas_say_what_goes_in_and_what_comes_out() -> None:
    assert set(graph.get_input_jsonschema()["properties"]) == {"question", "messages", "options"}
    assert set(graph.get_output_jsonschema()["properties"]) == {"answer", "messages"}


@pytest.mark.usefixtures("no_home")
def test_an_emergency_is_answered_where_there_is_no_index() -> None:
    said: Any = {"question": "My son is choking on a grape, he can't breathe"}
    answer = build_graph().invoke(said)["answer"]
    assert answer["outcome"] == "urgent"
    assert "112" in answer["text"]
