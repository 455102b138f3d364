"""Facts of a knowledge base in the graph: with passages, cited, checked, and for options."""

from typing import Any

import pytest

from anamnesis import SettingError
from anamnesis.corpus.record import Record
from anamnesis.corpus.triplets import Fact, record
from graph import Context, build_graph
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import FakeCritic, HashEmbedder, ScriptedReader, by_words
from tests.graph.conftest import ASTHMA, GOUT, Always, Queue, ScriptedCritic
from tests.graph.test_formats import Chat

TREATS = "Colchicine may treat Gout."
WITH_FACTS = Context(
    retrieval={"methods": ("sparse", "dense", "facts"), "min_relevance": 0.0, "facts_k": 2},
    loop={"stop_without_new_passages": False},
)
ASK = {"question": "How is podagra treated?"}
CHOICE = {"question": "Which drug may treat podagra?", "options": ["Propranolol", "Colchicine"]}


@pytest.fixture(scope="module")
def with_facts(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("facts")
    passages = [
        Record("asthma", "Asthma", ASTHMA, "What is asthma?", "Test", "", "Asthma"),
        Record("gout", "Gout", GOUT, "What is gout?", "Test", "", "Gout"),
    ]
    triplets = [
        Fact("Colchicine", "may_treat", "Gout", ("kb",)),
        Fact("Asthma", "may_contraindicate", "Propranolol", ("kb",)),
        Fact("Propranolol", "may_treat", "Migraine", ("kb", "other")),
    ]
    build(passages, folder, HashEmbedder(), "passages")
    build(
        [record(triplet, {"gout": ["podagra"]}) for triplet in triplets],
        folder,
        HashEmbedder(),
        "kb",
    )
    return Index.open(folder, HashEmbedder())


def run(index: Index, given: dict[str, Any], context: Context, critic: Any) -> dict[str, Any]:
    graph = build_graph(index=index, critic=critic, reranker=Always())
    state: dict[str, Any] = {}
    for update in graph.stream(given, context=context, stream_mode="updates"):
        for step in update.values():
            state |= step
    return state


def test_facts_go_to_the_generator_with_the_passages(with_facts: Index) -> None:
    context = WITH_FACTS.changed({"generator.passages": 1})
    state = run(with_facts, ASK, context, ScriptedCritic({}))
    kinds = [
        passage.kind for passage in with_facts.passages([item["id"] for item in state["selected"]])
    ]
    assert sorted(kinds) == ["fact", "fact", "qa"]


def test_without_the_list_there_are_no_facts(with_facts: Index) -> None:
    context = Context(retrieval={"min_relevance": 0.0})
    state = run(with_facts, ASK, context, ScriptedCritic({}))
    assert all("facts" not in hit["ranks"] for hit in state["hits"])


def test_a_quoted_fact_cites_its_knowledge_base(with_facts: Index) -> None:
    answer = run(with_facts, ASK, WITH_FACTS, ScriptedCritic({}))["answer"]
    [cited] = [item for item in answer["statements"] if item["text"] == TREATS]
    [source] = [source for source in answer["sources"] if source["id"] == cited["citations"][0]]
    assert source["title"] == "Colchicine · Gout (podagra)"
    assert (source["source"], source["text"]) == ("kb", TREATS)
    assert cited["evidence"] == {"document": source["id"], "start": 0, "end": len(TREATS)}
    assert "Colchicine · Gout (podagra) (kb)" in answer["text"]


def test_the_critic_may_take_a_fact_as_premise(with_facts: Index, queue: Chat) -> None:
    said = "Gout can be treated with colchicine."
    graph = build_graph(
        index=with_facts,
        chat=queue(f"{said} [1]"),
        critic=FakeCritic(by_words(("colchicine", TREATS, 0.9, 0.0))),
        reranker=Always(),
    )
    answer = graph.invoke(ASK, context=WITH_FACTS)["answer"]
    [statement] = answer["statements"]
    assert statement["verdict"] == "supported"
    assert [source["text"] for source in answer["sources"]] == [TREATS]


def test_an_option_is_chosen_by_a_fact(with_facts: Index) -> None:
    critic = FakeCritic(by_words(("colchicine", TREATS, 0.9, 0.0)))
    answer = run(with_facts, CHOICE, WITH_FACTS, critic)["answer"]
    assert (answer["choice"], answer["outcome"]) == ("B", "answered")
    assert [item["text"] for item in answer["statements"]] == [TREATS]


def test_mkrag_chooses_by_facts_and_says_that_nothing_was_checked(with_facts: Index) -> None:
    context = Context.model_validate({"preset": "mkrag", "retrieval.min_relevance": 0.0})
    critic = FakeCritic(by_words(("colchicine", TREATS, 0.9, 0.0)))
    answer = run(with_facts, CHOICE, context, critic)["answer"]
    assert (answer["choice"], answer["reason"], answer["confidence"]["support"]) == (
        "B",
        "unchecked",
        None,
    )
    assert {item["verdict"] for item in answer["statements"]} == {"unchecked"}


def test_mkrag_has_facts_alone_and_passages_if_they_are_set(small_index: Index) -> None:
    asked = {"question": "What is gout?"}
    context = Context.model_validate({"preset": "mkrag", "retrieval.min_relevance": 0.0})
    with pytest.raises(SettingError, match="the index contains no facts"):
        run(small_index, asked, context, ScriptedCritic({}))
    both = context.changed({"retrieval.methods": ("dense", "facts")})
    state = run(small_index, asked, both, ScriptedCritic({}))
    assert state["answer"]["outcome"] == "answered"


def test_a_chat_model_reads_the_facts_with_question_and_options(
    with_facts: Index, queue: Chat
) -> None:
    chat: Queue = queue(f"Answer: B\n{TREATS} [1]")
    graph = build_graph(index=with_facts, chat=chat, critic=ScriptedCritic({}), reranker=Always())
    answer = graph.invoke(CHOICE, context=WITH_FACTS)["answer"]
    prompt = chat.seen[0][-1].content
    assert f"Colchicine · Gout (podagra): {TREATS}" in prompt
    assert "B. Colchicine" in prompt
    assert answer["choice"] == "B"


def test_the_number_of_facts_has_bounds() -> None:
    for wrong in (0, 101, "many"):
        with pytest.raises(ValueError, match="facts_k"):
            Context.model_validate({"retrieval.facts_k": wrong})
    with pytest.raises(ValueError, match="fact_search"):
        Context.model_validate({"retrieval.fact_search": "all"})


def test_a_question_of_safety_is_answered_by_a_contraindication(with_facts: Index) -> None:
    asked = {"question": "Is propranolol safe with asthma?"}

    warned = ScriptedReader(
        lambda _, pages: [0.9 if "contraindicated" in text else 0.1 for _, text in pages]
    )
    graph = build_graph(index=with_facts, critic=ScriptedCritic({}), reranker=warned)
    answer = graph.invoke(asked, context=WITH_FACTS)["answer"]
    assert [item["text"] for item in answer["statements"]] == [
        "Propranolol may be contraindicated in Asthma."
    ]


def test_an_option_that_is_always_named_is_the_nearest_one_and_a_note_says_so(
    with_facts: Index,
) -> None:
    context = WITH_FACTS.changed({"verification.always_choose": True})
    asked = {**CHOICE, "question": "Which drug may treat Gout?"}
    answer = run(with_facts, asked, context, ScriptedCritic({}))["answer"]
    assert answer["choice"] == "B"
    assert [item["text"] for item in answer["statements"]] == [TREATS]
    assert answer["confidence"]["support"] == 0
    [note] = answer["notes"]
    assert "was not checked" in note
    assert note in answer["text"]
