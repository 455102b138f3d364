"""Replies that are the words of an option and no more [K4]."""

from collections.abc import Callable

import pytest

from graph import build_graph
from retrievers.index import Index
from tests.fakes import FakeCritic, by_words
from tests.graph.conftest import CHECKED, GOOD, Always, Queue, built
from tests.graph.test_any_chat_model import INHALED, texts
from tests.graph.test_formats import CHOICE, POLAR

Chat = Callable[..., Queue]


@pytest.mark.parametrize(
    "reply",
    ["inhaled medicines", "Inhaled medicines.", "A", "Answer: A", "**A.** inhaled medicines"],
)
def test_the_words_of_an_option_are_an_answer(small_index: Index, queue: Chat, reply: str) -> None:
    critic = FakeCritic(by_words(("inhaled", INHALED, 0.95, 0.01)))
    chat = queue(reply)
    graph = build_graph(index=small_index, chat=chat, critic=critic, reranker=Always())
    answer = graph.invoke(CHOICE, context=CHECKED)["answer"]
    assert (answer["choice"], answer["outcome"]) == ("A", "answered")
    # The option is stated, and checked like any other statement.
    assert texts(answer) == [INHALED]
    assert answer["statements"][0]["verdict"] == "supported"
    assert len(chat.seen) == 1


def test_an_option_by_its_words_that_no_source_supports_is_not_shown(
    small_index: Index, queue: Chat
) -> None:
    critic = FakeCritic(by_words())
    graph = build_graph(
        index=small_index, chat=queue(*["honey"] * 3), critic=critic, reranker=Always()
    )
    answer = graph.invoke(CHOICE, context=CHECKED)["answer"]
    assert (answer["choice"], answer["statements"]) == (None, [])


def test_a_bare_yes_is_stated_and_a_bare_no_is_asked_for_its_reason(
    small_index: Index, queue: Chat
) -> None:
    critic = FakeCritic(by_words(("inhaled", INHALED, 0.95, 0.01)))
    graph = build_graph(index=small_index, chat=queue("Yes"), critic=critic, reranker=Always())
    assert texts(graph.invoke(POLAR, context=CHECKED)["answer"]) == [INHALED]
    chat = queue("No", f"Answer: No\n{GOOD} [1]")
    built(small_index, chat, {GOOD: 0.9}).invoke(POLAR, context=CHECKED)
    assert "holds no statement" in chat.seen[1][-1].content


@pytest.mark.parametrize(
    "question",
    # Of the option and the second question no statement can be made.
    ["Which is no treatment of asthma?", "All of the following treat asthma EXCEPT:"],
)
def test_an_option_that_is_named_unweighed_needs_no_reason(
    small_index: Index, queue: Chat, question: str
) -> None:
    unchecked = {"verification.always_choose": True, "verification.critic": None}
    context = CHECKED.changed(
        {**unchecked, "triage.classifier": "patterns", "retrieval.min_relevance": 0}
    )
    chat = queue("Honey")
    state = built(small_index, chat, {}).invoke({**CHOICE, "question": question}, context=context)
    answer = state["answer"]
    assert (answer["choice"], answer["chosen_by"], len(chat.seen)) == ("C", "draft", 1)
    assert "The draft's choice, not checked: C. honey" in answer["text"]
