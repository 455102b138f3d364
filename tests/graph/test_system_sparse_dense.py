"""The preset `sparse-dense`, row by row [R1–R9]."""

from collections.abc import Callable
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from graph import Context, build_graph
from prompts import NOT_FOUND
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder, ScriptedReader
from tests.graph.conftest import Queue, ScriptedCritic

Chat = Callable[..., Queue]
ASK = {"question": "What is asthma?"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("pages")
    records = [
        Record(f"p{n}", "Asthma", f"Asthma page {n} describes wheezing.", f"What is asthma {n}?",
               "Test", f"https://{n}.test", "Asthma")
        for n in range(12)
    ]  # fmt: skip
    build(records, folder, HashEmbedder(), "pages")
    return Index.open(folder, HashEmbedder())


LATER = ScriptedReader(lambda _, pages: [0.9 + float(text.split()[2]) / 1000 for _, text in pages])
"""A cross-encoder that finds the last pages the best by a hair, and all of them relevant."""


def run(index: Index, chat: Queue | None, **more: Any) -> dict[str, Any]:
    graph = build_graph(index=index, chat=chat, critic=ScriptedCritic({}), reranker=LATER)
    context = Context.model_validate({"preset": "sparse-dense", **more})
    state: dict[str, Any] = {}
    for update in graph.stream(ASK, context=context, stream_mode="updates"):
        for step in update.values():
            state |= step
    return state


def numbers(state: dict[str, Any]) -> list[int]:
    return [int(item["record_id"].removeprefix("p")) for item in state["selected"]]


def test_the_sparse_list_can_be_that_of_the_library(
    pages: Index, queue: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = run(pages, queue("Asthma page 1 describes wheezing. [1]"))
    asked: list[str] = []
    library = Index.sparse_by_library
    monkeypatch.setattr(
        Index,
        "sparse_by_library",
        lambda corpus, words, k: asked.append(words) or library(corpus, words, k),
    )
    result = run(
        pages, queue("Asthma page 1 describes wheezing. [1]"), **{"retrieval.bm25": "rank-bm25"}
    )
    assert asked
    assert [hit["ranks"] for hit in result["hits"]] == [hit["ranks"] for hit in matrix["hits"]]


def test_ten_of_thirty_are_ordered_by_the_cross_encoder_alone(pages: Index, queue: Chat) -> None:
    state = run(pages, queue("Asthma page 1 describes wheezing. [1]"))
    found = [int(hit["record_id"].removeprefix("p")) for hit in state["hits"]]
    assert len(found) == 10
    assert numbers(state) == sorted(found, reverse=True)[:3]
    # With a say of the lists, which are surer of theirs, the order is another one.
    both = run(
        pages, queue("Asthma page 1 describes wheezing. [1]"), **{"retrieval.rerank_by": "both"}
    )
    assert numbers(both) != numbers(state)
    context = Context.model_validate({"preset": "sparse-dense"})
    assert (
        context.retrieval.fusion,
        context.retrieval.rrf_k,
        context.retrieval.candidates,
        context.retrieval.rerank_depth,
    ) == ("rrf", 60, 30, 10)
    assert (context.generator.temperature, context.generator.max_tokens) == (0.3, 1024)


def test_the_prompt_is_three_questions_with_their_answers(pages: Index, queue: Chat) -> None:
    chat = queue("Asthma page 1 describes wheezing. [1]")
    first, second, third = numbers(run(pages, chat))
    system, user = (message.content for message in chat.seen[0])
    assert user == (
        f"Context:\nQ1: What is asthma {first}?\nA1: Asthma page {first} describes wheezing.\n"
        f"Q2: What is asthma {second}?\nA2: Asthma page {second} describes wheezing.\n"
        f"Q3: What is asthma {third}?\nA3: Asthma page {third} describes wheezing.\n\n"
        "Question: What is asthma?"
    )
    assert NOT_FOUND in system


def test_the_cross_encoder_decides_also_against_the_dense_list(
    pages: Index, queue: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The dense list has only page 0, which the cross-encoder finds the worst.
    dense = Index.dense
    monkeypatch.setattr(
        Index,
        "dense",
        lambda corpus, vector, k: [
            hit for hit in dense(corpus, vector, 12) if hit.id.startswith("p0")
        ],
    )
    state = run(pages, queue("Asthma page 1 describes wheezing. [1]"))
    found = sorted(int(hit["record_id"].removeprefix("p")) for hit in state["hits"])
    assert 0 in found
    assert numbers(state) == found[:-4:-1]


def test_the_model_refuses_and_no_gate_does_it_before(pages: Index, queue: Chat) -> None:
    chat = queue(f"{NOT_FOUND}.")
    answer = run(pages, chat, **{"retrieval.min_relevance": 1.0})["answer"]
    assert (len(chat.seen), answer["outcome"], answer["reason"]) == (1, "abstained", "not_found")
    gated = queue()
    answer = run(pages, gated, **{"retrieval.min_relevance": 1.0, "retrieval.gate": True})["answer"]
    assert (len(gated.seen), answer["reason"]) == (0, "weak_evidence")


def test_what_is_quoted_passes_the_gate_in_any_case(pages: Index) -> None:
    assert run(pages, None, **{"retrieval.min_relevance": 1.0})["answer"]["statements"] == []


def test_the_documents_of_the_prompt_are_shown_where_the_model_cites_none(
    pages: Index, queue: Chat
) -> None:
    state = run(pages, queue("Asthma describes wheezing."))
    shown = [f"p{number}" for number in numbers(state)]
    assert [source["id"] for source in state["answer"]["sources"]] == shown
    assert "[1][2][3] (not checked)" in state["answer"]["text"]
    cited = run(pages, queue("Asthma describes wheezing. [2]"))["answer"]
    assert [source["id"] for source in cited["sources"]] == shown[1:2]


def test_words_are_streamed_as_a_draft(pages: Index, queue: Chat) -> None:
    graph = build_graph(
        index=pages, chat=queue("Asthma describes wheezing. [1]"), critic=ScriptedCritic({}),
        reranker=LATER,
    )  # fmt: skip
    context = Context.model_validate({"preset": "sparse-dense"})
    words = [
        message.text
        for message, about in graph.stream(ASK, context=context, stream_mode="messages")
        if "draft" in (about.get("tags") or [])
    ]
    assert "".join(words) == "Asthma describes wheezing. [1]"
    assert len(words) > 1


def test_other_documents_give_alternative_answers(pages: Index, queue: Chat) -> None:
    state = run(pages, queue("Asthma describes wheezing. [1]"))
    answer = state["answer"]
    others = [page["id"] for page in answer["alternatives"]]
    best = [f"p{number}" for number in numbers(state)]
    # One is cited; the next ones answer, too.
    assert others[:2] == best[1:]
    assert len(others) == 3
    assert answer["alternatives"][0]["sentence"] in answer["text"]
    assert (
        run(pages, queue("Asthma describes wheezing. [1]"), **{"generator.alternatives": 0})[
            "answer"
        ]["alternatives"]
        == []
    )


def test_an_answer_that_is_not_found_has_no_alternatives(pages: Index, queue: Chat) -> None:
    assert run(pages, queue(NOT_FOUND))["answer"]["alternatives"] == []


def test_what_does_not_fit_is_no_alternative(pages: Index, queue: Chat) -> None:
    answer = run(
        pages, queue("Asthma describes wheezing. [1]"), **{"retrieval.min_relevance": 0.95}
    )["answer"]
    assert answer["alternatives"] == []
