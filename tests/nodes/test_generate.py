"""The draft: written by a chat model with citations, or quoted."""

from collections.abc import Callable

import pytest

from nodes.generate import generate
from nodes.parts import Parts
from nodes.writing.render import SILENT
from retrievers.index import Index
from tests.graph.conftest import ASTHMA, GOOD, Always, Queue
from tests.nodes.steps import run, selected, state_of

Chat = Callable[..., Queue]


@pytest.fixture
def quoting(small_index: Index) -> Parts:
    return Parts(given_index=small_index, given_reranker=Always())


def writing(index: Index, chat: Queue) -> Parts:
    return Parts(given_index=index, given_chat=chat, given_reranker=Always())


def test_without_a_chat_model_the_passages_are_quoted(quoting: Parts) -> None:
    draft = run(generate, state_of(selected=[selected("asthma")]), quoting)["draft"]
    assert draft["found"]
    assert all(item["text"] in ASTHMA for item in draft["statements"])
    assert {name for item in draft["statements"] for name in item["citations"]} == {"asthma#0"}
    assert draft["problem"] is None


def test_a_chat_models_statements_cite_the_passages_that_it_names(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{GOOD} [2] Gout hurts the toe. [1]")
    state = state_of(selected=[selected("gout"), selected("asthma")])
    draft = run(generate, state, writing(small_index, chat))["draft"]
    assert [(item["text"], item["citations"]) for item in draft["statements"]] == [
        (GOOD, ["asthma#0"]),
        ("Gout hurts the toe.", ["gout#0"]),
    ]
    assert draft["prompt"]["documents"]


def test_weak_evidence_is_not_given_to_the_chat_model(small_index: Index, queue: Chat) -> None:
    chat = queue()
    state = state_of(selected=[selected("gout", 0.01)])
    update = run(generate, state, writing(small_index, chat))
    assert (update["draft"]["statements"], chat.seen) == ([], [])
    assert {item["passage"] for item in update["dropped"]} == {"gout#0"}


def test_unusable_replies_are_replaced_by_quotations(small_index: Index, queue: Chat) -> None:
    chat = queue("# Answer", "# Answer")
    state = state_of(selected=[selected("asthma")])
    draft = run(generate, state, writing(small_index, chat))["draft"]
    assert draft["problem"]
    assert draft["problem"] != SILENT
    assert all(item["text"] in ASTHMA for item in draft["statements"])
