"""The preset `mkrag`, row by row [K1–K7]."""

from collections.abc import Callable
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from anamnesis.corpus.triplets import Fact, record
from graph import Context, build_graph
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.graph.conftest import Always, Queue, ScriptedCritic

Chat = Callable[..., Queue]
DRUGS = [f"Drug{number:02}" for number in range(24)]
ASKED = {
    "question": "Which may treat Gout?",
    "options": ["Drug03", "Colchicine sulfate", "Propranolol", "Drug07"],
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("knowledge")
    facts = [Fact("Colchicine sulfate", "may_treat", "Gout", ("kb",))]
    facts += [Fact(drug, "may_treat", "Gout", ("kb",)) for drug in DRUGS]
    facts += [Fact(drug, "may_treat", "Migraine", ("kb",)) for drug in DRUGS]
    pages = [
        Record(f"p{number}", "Gout", f"Gout of kind {number} may hurt at night. " * 3,
               "What is gout?",
               "Test", "", "Gout")
        for number in range(60)
    ]  # fmt: skip
    build(pages, folder, HashEmbedder(), "pages")
    build([record(fact, {}) for fact in facts], folder, HashEmbedder(), "kb")
    return Index.open(folder, HashEmbedder())


def asked(index: Index, chat: Queue, given: dict[str, Any] = ASKED, **more: Any) -> Any:
    context = Context.model_validate({"preset": "mkrag", **more})
    graph = build_graph(index=index, chat=chat, critic=ScriptedCritic({}), reranker=Always())
    return graph.invoke(given, context=context)["answer"]


def facts_in(chat: Queue, call: int = 0) -> list[str]:
    lines = chat.seen[call][-1].content.splitlines()
    return [line.removeprefix("- ") for line in lines if line.startswith("- ")]


@pytest.mark.parametrize("number", [4, 8, 16])
def test_as_many_facts_as_are_set_reach_the_prompt(
    knowledge: Index, queue: Chat, number: int
) -> None:
    chat = queue("Colchicine sulfate")
    asked(knowledge, chat, **{"retrieval.facts_k": number})
    assert len(facts_in(chat)) == number
    system, user = (message.content for message in chat.seen[0])
    assert user.startswith("Medical facts:\n- ")
    assert "\nColchicine sulfate\n" in user
    assert "exact words of that option and with nothing else" in system


@pytest.mark.parametrize("number", [4, 8, 16])
def test_facts_have_another_budget_than_passages(
    knowledge: Index, queue: Chat, number: int
) -> None:
    chat = queue("Colchicine sulfate")
    asked(
        knowledge,
        chat,
        **{
            "retrieval.facts_k": number,
            "retrieval.methods": ("dense", "facts"),
            # All twenty passages, which are short, would leave no room for four facts.
            "generator.prompt_tokens": 512,
            "generator.passages": 20,
            "retrieval.candidates": 60,
            "retrieval.rerank_depth": 60,
            "generator.fact_tokens": 256,
        },
    )
    assert len([fact for fact in facts_in(chat) if "may treat" in fact]) == number
    assert [fact for fact in facts_in(chat) if "may hurt" in fact]


@pytest.mark.parametrize(
    "reply",
    [
        "Colchicine sulfate",
        "colchicine sulfate.",
        "The answer is: **Colchicine sulfate**. It fits the facts.",
    ],
)
def test_the_exact_words_of_an_option_are_the_reply_and_are_asked_for_once(
    knowledge: Index, queue: Chat, reply: str
) -> None:
    chat = queue(reply)
    answer = asked(knowledge, chat)
    assert (answer["choice"], answer["outcome"], answer["reason"]) == ("B", "answered", "unchecked")
    assert len(chat.seen) == 1
    assert "The draft's choice, not checked: B. Colchicine sulfate" in answer["text"]


def test_a_reply_that_names_no_option_leads_to_a_choice_all_the_same(
    knowledge: Index, queue: Chat
) -> None:
    answer = asked(knowledge, queue("I do not know.", "I do not know."))
    assert answer["choice"] in {"A", "B", "C", "D"}
    assert answer["chosen_by"] == "nearest"


def test_the_facts_are_those_of_both_steps(knowledge: Index, queue: Chat) -> None:
    chat = queue("Colchicine sulfate", "Colchicine sulfate")
    asked(knowledge, chat, **{"retrieval.facts_k": 4})
    # Of the facts nearest to the options those nearest to question and options.
    assert "Colchicine sulfate may treat Gout." in facts_in(chat)
    assert Context.model_validate({"preset": "mkrag"}).retrieval.fact_search == "refined"


def test_the_width_of_the_first_step_is_a_setting(knowledge: Index, queue: Chat) -> None:
    chat = queue("Drug03", "Drug03")
    given = {**ASKED, "question": "Which may treat Gout? Drug20 Drug20 Drug20 failed."}
    for width in (1, 1000):
        asked(
            knowledge, chat, given, **{"retrieval.facts_k": 2, "retrieval.fact_candidates": width}
        )
    # What is near the question and no option is found only where the first step is wide.
    found = [any("Drug20" in fact for fact in facts_in(chat, call)) for call in (0, 1)]
    assert found == [False, True]


def test_an_open_question_is_answered_from_the_facts_it_names(
    knowledge: Index, queue: Chat
) -> None:
    chat = queue("Colchicine sulfate may treat gout.")
    answer = asked(knowledge, chat, {"question": "What may treat gout?"})
    assert all("Gout" in fact for fact in facts_in(chat))
    assert [item["text"] for item in answer["statements"]] == ["Colchicine sulfate may treat gout."]


def test_no_gate_and_no_critic_stands_before_the_choice(knowledge: Index, queue: Chat) -> None:
    context = Context.model_validate({"preset": "mkrag"})
    assert (
        context.retrieval.gate,
        context.verification.critic,
        context.loop.max_rounds,
        context.memory.recall,
    ) == (False, None, 1, False)
    assert (
        asked(knowledge, queue("Propranolol"), **{"retrieval.min_relevance": 1.0})["choice"] == "C"
    )
