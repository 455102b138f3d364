"""The preset `self-medrag`, row by row [S1–S8]."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from anamnesis.models import entailment
from anamnesis.models.entailment import EntailmentCritic
from anamnesis.models.llm_critic import LLMCritic
from anamnesis.models.reference import parse
from anamnesis.models.window_critic import by_windows
from graph import Context, build_graph
from nodes.writing.render import DRAFTED
from retrievers.index import Index
from tests.fakes import FakeCritic, ScriptedChat, count_words
from tests.graph.conftest import ASK, GOOD, TREATED, WORSE, WRONG, Always, Queue, built, path_of

Chat = Callable[..., Queue]
CHOICE = {"question": "What causes wheezing?", "options": ["Asthma", "Gout"]}


def context(**more: Any) -> Context:
    return Context.model_validate({"preset": "self-medrag", **more})


def test_tau_theta_rounds_and_lists_are_the_papers() -> None:
    published = context()
    assert (
        published.verification.min_probability,
        published.loop.min_supported_share,
        published.loop.max_rounds,
        published.retrieval.rrf_k,
    ) == (0.5, 0.7, 3, 60)
    assert (
        published.retrieval.methods,
        published.retrieval.fusion,
        published.retrieval.reranker,
    ) == (
        ("sparse", "dense"),
        "rrf",
        None,
    )
    assert (
        published.retrieval.gate,
        published.memory.recall,
        published.question.premises,
        published.question.conversation,
    ) == (False, False, False, False)


@pytest.mark.parametrize(("probability", "verdict"), [(0.5, "unsupported"), (0.51, "supported")])
def test_a_statement_is_supported_above_tau(
    small_index: Index, queue: Chat, probability: float, verdict: str
) -> None:
    graph = built(small_index, queue(f"{GOOD} [1]"), {GOOD: probability})
    [first] = [
        update["verify"]["rounds"][0]
        for update in graph.stream(
            ASK, context=context(**{"loop.max_rounds": 1}), stream_mode="updates"
        )
        if "verify" in update
    ]
    assert first["statements"][0]["verdict"] == verdict


@pytest.mark.parametrize(("supported", "rounds"), [(3, 1), (2, 3)])
def test_the_share_of_supported_statements_decides_whether_to_search_again(
    small_index: Index, queue: Chat, supported: int, rounds: int
) -> None:
    # Of four statements three are above θ, two are not.
    said = [GOOD, TREATED, "Wheezing comes with asthma.", WRONG]
    table = dict.fromkeys(said[:supported], 0.6)
    chat = queue(*[" ".join(f"{one} [1]" for one in said)] * 3)
    assert built(small_index, chat, table).invoke(ASK, context=context())["answer"]["rounds"] == (
        rounds
    )


def test_the_best_passage_counts_and_nothing_else_is_asked(small_index: Index, queue: Chat) -> None:
    # The default's checks turn down a number that no passage has, and a passage that denies it.
    said = "Asthma is treated with 3 inhaled medicines."
    critic = FakeCritic(lambda _, text: (0.9 if "inhaled" in text else 0.1, 0.95))
    for preset, shown in (("self-medrag", True), ("default", False)):
        chat = queue(*[f"{said} [1]"] * 3)
        graph = build_graph(index=small_index, chat=chat, critic=critic, reranker=Always())
        given = Context.model_validate(
            {"preset": preset, "loop.max_rounds": 1, "retrieval.min_relevance": 0}
        )
        answer = graph.invoke(ASK, context=given)["answer"]
        assert (said in [item["text"] for item in answer["statements"]]) is shown, preset


def test_what_is_unsafe_is_turned_down_only_with_the_safety_checks(
    small_index: Index, queue: Chat
) -> None:
    said = "Take 20 g of paracetamol a day."
    for on in (False, True):
        graph = built(small_index, queue(*[f"{said} [1]"] * 3), {said: 0.99})
        settings = context(**{"verification.safety_checks": on})
        answer = graph.invoke(ASK, context=settings)["answer"]
        assert (said in answer["text"]) is not on
        assert answer["outcome"] == ("abstained" if on else "answered")


def test_query_documents_answer_and_statements_of_each_round_are_in_the_next_prompt(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{WRONG} [1] {GOOD} [1]", f"{WORSE} [1]", f"{GOOD} [1]")
    graph = built(small_index, chat, {GOOD: 0.9})
    assert graph.invoke(ASK, context=context())["answer"]["rounds"] == 3
    second, third = (prompt[-1].content for prompt in chat.seen[1:])
    assert "Earlier rounds" not in chat.seen[0][-1].content
    assert "- Query: What is asthma?\n  Document: What is asthma?: Asthma causes" in second
    assert f"  Not supported: {WRONG}\n  Supported: {GOOD}" in second
    # The next query is the last one with what was not supported; the history grows.
    assert [p[-1].content.rsplit("Question: ", 1)[1].strip() for p in chat.seen] == [
        "What is asthma?",
        f"What is asthma? {WRONG}",
        f"What is asthma? {WRONG} {WORSE}",
    ]
    assert f"- Query: What is asthma? {WRONG}\n" in third
    assert third.count("- Query:") == 2


def test_the_option_that_was_named_is_in_the_history(small_index: Index, queue: Chat) -> None:
    chat = queue(f"Answer: B\n{WRONG} [1]", f"Answer: A\n{GOOD} [1]")
    graph = built(small_index, chat, {GOOD: 0.9})
    answer = graph.invoke(CHOICE, context=context())["answer"]
    assert "  Answer: Gout\n" in chat.seen[1][-1].content
    assert (answer["choice"], answer["rounds"]) == ("A", 2)
    # The reasons were judged; the option is the model's.
    assert DRAFTED in answer["notes"]


def test_the_same_words_once_more_are_still_another_round(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(*[f"{WRONG} [1]"] * 3), {})
    assert path_of(graph, ASK, context()).count("generate") == 3


def test_when_rounds_run_out_the_best_rounds_option_stands_on_what_was_supported(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(
        f"Answer: A\n{GOOD} [1] {WRONG} [1]", f"Answer: B\n{WRONG} [1]", f"Answer: B\n{WORSE} [1]"
    )
    answer = built(small_index, chat, {GOOD: 0.9}).invoke(CHOICE, context=context())["answer"]
    assert (answer["choice"], answer["outcome"]) == ("A", "partial")
    assert [item["text"] for item in answer["statements"]] == [GOOD]
    assert answer["unconfirmed"] == [WRONG]


def test_without_a_supported_statement_no_option_is_named(small_index: Index, queue: Chat) -> None:
    chat = queue(*[f"Answer: B\n{WRONG} [1]"] * 3)
    answer = built(small_index, chat, {}).invoke(CHOICE, context=context())["answer"]
    assert (answer["choice"], answer["statements"]) == (None, [])


@pytest.mark.parametrize("word", ["entailment", "support"])
def test_a_chat_model_is_the_other_critic(small_index: Index, queue: Chat, word: str) -> None:
    critic = LLMCritic(ScriptedChat(lambda _: f"{word} 60"), "reader")
    graph = build_graph(
        index=small_index, chat=queue(f"{GOOD} [1]"), critic=critic, reranker=Always()
    )
    answer = graph.invoke(ASK, context=context())["answer"]
    assert answer["statements"][0]["verdict"] == "supported"
    assert answer["critic"] == "llm:reader"


class Halves:
    """An entailment model to which a whole passage says more than one or two of its sentences."""

    labels = ("contradiction", "neutral", "entailment")
    window = 64

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return count_words(texts)

    def room(self, *texts: str) -> int:
        return self.window

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Any:
        whole = [premise.count(".") > 2 for premise, _ in pairs]
        return np.log([[0.1, 0.017, 0.883] if is_whole else [0.1, 0.3, 0.6] for is_whole in whole])


def test_the_critics_probability_is_that_of_the_whole_passage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(entailment, "load_cross_encoder", lambda reference: Halves())
    critic = EntailmentCritic(parse("hf:known"))
    premise = "Asthma is old. Wheezing follows. It is common."
    [[mixed]], [[whole]] = (
        one.judge(["Wheezing follows asthma."], [[premise]]) for one in (critic, by_windows(critic))
    )
    assert whole.probability == pytest.approx(0.883)
    assert 0.6 < mixed.probability < whole.probability
    assert premise[whole.start : whole.end] == "Wheezing follows."


def test_the_graph_asks_the_critic_in_this_way(
    small_index: Index, queue: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entailment, "load_cross_encoder", lambda reference: Halves())
    asked = {"verification.critic": "hf:whole", "loop.max_rounds": 1}
    for given in (None, EntailmentCritic(parse("hf:whole"))):
        graph = build_graph(
            index=small_index, chat=queue(f"{TREATED} [1]"), critic=given, reranker=Always()
        )
        [statement] = graph.invoke(ASK, context=context(**asked))["answer"]["statements"]
        assert statement["probability"] == pytest.approx(0.883)


def test_a_passage_longer_than_the_window_is_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Last(Halves):
        def logits(self, pairs: Sequence[tuple[str, str]]) -> Any:
            said = ["Wheezing" in premise for premise, _ in pairs]
            return np.log([[0.1, 0.1, 0.8] if is_last else [0.1, 0.8, 0.1] for is_last in said])

    monkeypatch.setattr(entailment, "load_cross_encoder", lambda reference: Last())
    premise = "Nothing of this matters. " * 60 + "Wheezing follows asthma."
    critic = by_windows(EntailmentCritic(parse("hf:known")))
    [[support]] = critic.judge(["Wheezing follows asthma."], [[premise]])
    assert support.probability == pytest.approx(0.8)
