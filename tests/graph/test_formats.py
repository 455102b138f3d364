"""Multiple choice and yes/no questions in the graph."""

from collections.abc import Callable
from typing import Any

import pytest

from anamnesis import SettingError
from graph import build_graph
from prompts import NOT_FOUND
from retrievers.index import Index
from tests.fakes import FakeCritic, by_words
from tests.graph.conftest import CHECKED, GOOD, WRONG, Always, Queue, built

Chat = Callable[..., Queue]
OPTIONS = ["inhaled medicines", "antibiotics", "honey"]
TREATED = "Asthma is treated with inhaled medicines."
CHOICE = {"question": "What is asthma treated with?", "options": OPTIONS}
POLAR = {"question": "Is asthma treated with inhaled medicines?", "options": ["yes", "no"]}


def asked(index: Index, given: dict[str, Any], *rows: tuple[str, str, float, float]) -> Any:
    graph = build_graph(index=index, critic=FakeCritic(by_words(*rows)), reranker=Always())
    return graph.invoke(given, context=CHECKED)["answer"]


INHALED = ("inhaled", TREATED, 0.95, 0.01)


def test_the_option_that_the_documents_support_is_the_answer(small_index: Index) -> None:
    answer = asked(small_index, CHOICE, INHALED)
    assert (answer["outcome"], answer["choice"], answer["rounds"]) == ("answered", "A", 1)
    assert answer["options"] == {"A": "inhaled medicines", "B": "antibiotics", "C": "honey"}
    assert [item["text"] for item in answer["statements"]] == [TREATED]
    assert answer["confidence"]["support"] == 0.95
    assert answer["text"].startswith("Best supported by the sources: A. inhaled medicines\n")


def test_no_option_that_is_supported_is_no_answer(small_index: Index) -> None:
    answer = asked(small_index, CHOICE)
    assert (answer["outcome"], answer["reason"], answer["choice"]) == (
        "abstained",
        "undecided",
        None,
    )
    assert answer["statements"] == []
    assert "do not decide" in answer["text"]


def test_two_options_that_are_supported_alike_are_no_answer(small_index: Index) -> None:
    antibiotics = ("antibiotics", TREATED, 0.95, 0.01)
    answer = asked(small_index, CHOICE, INHALED, antibiotics)
    assert (answer["outcome"], answer["choice"]) == ("abstained", None)


@pytest.mark.parametrize(
    ("entailment", "contradiction", "choice"),
    [(0.9, 0.02, "yes"), (0.02, 0.9, "no"), (0.5, 0.1, None), (0.1, 0.5, None)],
)
def test_a_yes_no_question_takes_the_side_of_the_documents(
    small_index: Index, entailment: float, contradiction: float, choice: str | None
) -> None:
    answer = asked(small_index, POLAR, ("inhaled", TREATED, entailment, contradiction))
    assert answer["choice"] == choice
    assert answer["outcome"] == ("answered" if choice else "abstained")
    if choice:
        assert answer["text"].startswith(f"Best supported by the sources: {choice}\n")
        assert [item["text"] for item in answer["statements"]] == [TREATED]


def test_what_bears_an_option_out_is_searched_for_again(small_index: Index) -> None:
    seen: set[str] = set()

    def late(said: str, text: str) -> Any:
        """Finds nothing until all options were weighed once."""
        seen.add(said)
        return by_words(INHALED)(said, text) if "Asthma is treated with honey." in seen else 0.1

    graph = build_graph(index=small_index, critic=FakeCritic(late), reranker=Always())
    answer = graph.invoke(CHOICE, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["choice"], answer["rounds"]) == ("answered", "A", 2)


def test_a_chat_model_names_an_option_and_its_reasons(small_index: Index, queue: Chat) -> None:
    chat = queue(f"Answer: A\n{GOOD} [1]")
    answer = built(small_index, chat, {GOOD: 0.9}).invoke(CHOICE, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["choice"]) == ("answered", "A")
    assert [item["text"] for item in answer["statements"]] == [GOOD]
    asked_of = chat.seen[0]
    assert "A. inhaled medicines\nB. antibiotics\nC. honey" in asked_of[-1].content
    assert "Choose exactly one" in asked_of[0].content


def test_a_choice_whose_reasons_are_not_confirmed_is_not_shown(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(*[f"Answer: B\n{WRONG} [1]"] * 3)
    answer = built(small_index, chat, {}).invoke(CHOICE, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["choice"], answer["statements"]) == ("abstained", None, [])
    assert WRONG not in answer["text"]


def test_a_choice_that_the_documents_deny_is_not_shown(small_index: Index, queue: Chat) -> None:
    graph = build_graph(
        index=small_index,
        chat=queue(*[f"Answer: B\n{TREATED} [1]"] * 3),
        critic=FakeCritic(by_words(("antibiotics", TREATED, 0.01, 0.95))),
        reranker=Always(),
    )
    answer = graph.invoke(CHOICE, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"], answer["choice"]) == (
        "abstained",
        "undecided",
        None,
    )


def test_a_reply_that_names_no_option_is_asked_for_again(small_index: Index, queue: Chat) -> None:
    chat = queue(f"{GOOD} [1]", f"Answer: A\n{GOOD} [1]")
    answer = built(small_index, chat, {GOOD: 0.9}).invoke(CHOICE, context=CHECKED)["answer"]
    assert (answer["choice"], answer["rounds"]) == ("A", 1)
    assert "Name exactly one option: A, B, C." in chat.seen[1][-1].content


def test_a_model_may_say_that_the_documents_do_not_decide(small_index: Index, queue: Chat) -> None:
    answer = built(small_index, queue(NOT_FOUND), {}).invoke(CHOICE, context=CHECKED)["answer"]
    assert (answer["outcome"], answer["reason"], answer["choice"]) == (
        "abstained",
        "not_found",
        None,
    )


def test_without_a_critic_a_choice_is_marked_as_not_checked(
    small_index: Index, queue: Chat
) -> None:
    context = CHECKED.changed({"verification.critic": None})
    graph = built(small_index, queue(f"Answer: A\n{GOOD} [1]"), {})
    answer = graph.invoke(CHOICE, context=context)["answer"]
    assert (answer["choice"], answer["reason"], answer["confidence"]["support"]) == (
        "A",
        "unchecked",
        None,
    )
    quoted = built(small_index, None, {}).invoke(CHOICE, context=context)["answer"]
    assert (quoted["outcome"], quoted["choice"]) == ("abstained", None)


def test_an_option_that_cannot_be_weighed_is_not_confirmed(small_index: Index, queue: Chat) -> None:
    given = {**CHOICE, "options": ["inhaled medicines", "honey", "All of the above"]}
    graph = built(small_index, queue(*[f"Answer: C\n{GOOD} [1]"] * 3), {GOOD: 0.9})
    assert graph.invoke(given, context=CHECKED)["answer"]["choice"] is None


def test_an_option_that_is_named_in_any_case_is_named_as_what_it_is(
    small_index: Index, queue: Chat
) -> None:
    context = CHECKED.changed({"verification.always_choose": True})
    chat = queue(*[f"Answer: B\n{TREATED} [1]"] * 2)
    denies = FakeCritic(by_words(("antibiotics", TREATED, 0.01, 0.95)))
    for given, heading in ((chat, "The draft's choice"), (None, "Nearest to the sources")):
        for method in ("entailment", "llm"):
            denies.method = method
            graph = build_graph(index=small_index, chat=given, critic=denies, reranker=Always())
            answer = graph.invoke(CHOICE, context=context)["answer"]
            assert answer["choice"]
            assert f"{heading}, not checked: " in answer["text"]
            assert "was not checked." in answer["text"]
            assert answer["confidence"]["support"] in (0, None)


@pytest.mark.parametrize("options", [["one"], ["same", "same"], {"A": ""}, ["a", 3], "yes"])
def test_options_that_are_none_are_an_error(small_index: Index, options: Any) -> None:
    with pytest.raises(SettingError, match="option"):
        build_graph(index=small_index).invoke({**CHOICE, "options": options})


def test_options_do_not_stay_for_the_next_turn(small_index: Index) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    critic = FakeCritic(by_words(INHALED))
    graph = build_graph(index=small_index, critic=critic, reranker=Always())
    graph = graph.copy({"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    assert graph.invoke(CHOICE, thread, context=CHECKED)["answer"]["choice"] == "A"
    later = graph.invoke({"question": "What is gout?"}, thread, context=CHECKED)["answer"]
    assert (later["choice"], later["options"]) == (None, {})
