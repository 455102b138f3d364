"""Two critics as one: who is asked of what, and whose judgement it is."""

import pytest

from anamnesis import ModelError, SettingError
from anamnesis.models.cascade import Cascade
from anamnesis.models.critic import Support, critic_name
from tests.fakes import FakeCritic, Method, silent

Table = dict[str, tuple[float, float | None]]


def says(name: str, table: Table, method: Method = "entailment") -> FakeCritic:
    """A critic with the (support, contradiction) of a table, and spans as long as its name."""
    return FakeCritic(
        lambda said, premise: Support(*table[f"{said} {premise}"], 0, len(name)), name, method
    )


FIRST = {
    "a 1": (0.9, 0.0),
    "a 2": (0.5, 0.0),
    "b 1": (0.5, 0.2),
    "b 2": (0.29, 0.6),
    "c 1": (0.1, 0.9),
    "c 2": (0.2, 0.0),
}
PAIRS = (["a", "b", "c", "d"], [["1", "2"], ["1", "2"], ["1", "2"], []])


def both(second: FakeCritic, first: FakeCritic | None = None) -> tuple[Cascade, FakeCritic]:
    critic = first or says("one", FIRST)
    return Cascade(critic, lambda: second, second.name, unsure_from=0.3, unsure_until=0.7), critic


def test_the_second_is_asked_only_where_the_first_is_unsure() -> None:
    second = says("llm:two", {"b 1": (0.95, 0.0)}, "llm")
    cascade, first = both(second)
    judged = cascade.judge(*PAIRS)
    # Not of 'a', which one premise supports; nor of 'c', which none comes near to supporting.
    assert second.asked == [("b", "1")]
    assert len(first.asked) == 6
    assert judged[1][0] == Support(0.95, 0.0, 0, 7, "llm:two")
    assert judged[1][1] == Support(0.29, 0.6, 0, 3, "one")
    assert [cascade.needs_second(group) for group in judged] == [False, True, False, False]
    assert (cascade.name, cascade.method) == ("one, where unsure llm:two", "llm")


def test_a_chat_models_judgement_counts_alone_and_may_deny() -> None:
    cascade, _ = both(says("llm:two", {"b 1": (0.0, 0.9)}, "llm"))
    assert cascade.judge(*PAIRS)[1][0][:2] == (0.0, 0.9)


def test_of_two_entailment_models_the_second_ones_log_odds_count_more() -> None:
    cascade, _ = both(says("two", {"b 1": (0.9, 0.5)}))
    support = cascade.judge(*PAIRS)[1][0]
    # Log-odds .6 * 0 + .9 * 2.197 = 1.978; .6 * -1.386 + .9 * 0 = -.832.
    assert support[:2] == (pytest.approx(0.8784, abs=1e-4), pytest.approx(0.3033, abs=1e-4))
    assert support.by == "one and two"
    # Evidence is the first one's if it supports the statement; the fake's length is its name's.
    assert support.end == len("one")
    [[unlikely]] = both(says("second", {"b 1": (0.9, 0.0)}), says("one", {"b 1": (0.4, 0.0)}))[
        0
    ].judge(["b"], [["1"]])
    assert unlikely.end == len("second")
    assert cascade.method == "entailment"
    below = both(says("two", {"b 1": (0.4, None)}))[0].judge(*PAIRS)[1][0]
    assert below[:2] == (pytest.approx(0.4098, abs=1e-4), 0.2)


def test_whoever_is_certain_can_still_be_outweighed() -> None:
    first = says("one", {"b 1": (0.5, None)})
    for said in (0.0, 1.0):
        second = says("two", {"b 1": (said, None)})
        [[support]] = both(second, first)[0].judge(["b"], [["1"]])
        assert support.probability == pytest.approx(said, abs=1e-3)
        assert support.contradiction is None


def test_closeness_is_no_evidence_if_there_is_an_entailment_model() -> None:
    first = says("similarity:x", {"b 1": (0.6, None)}, "similarity")
    cascade, _ = both(says("two", {"b 1": (0.9, 0.0)}), first)
    [[support]] = cascade.judge(["b"], [["1"]])
    assert support == Support(0.9, 0.0, 0, 3, "two")


def test_where_the_second_fails_the_first_ones_judgement_stands() -> None:
    cascade, _ = both(FakeCritic(silent, "llm:two", "llm"))
    plain = says("one", FIRST).judge(*PAIRS)
    judged = cascade.judge(*PAIRS)
    assert [[support[:4] for support in group] for group in judged] == [
        [support[:4] for support in group] for group in plain
    ]
    assert judged[1][0].by == "one alone: llm:two did not answer"
    # What it was not asked of, its failure does not touch.
    assert judged[0][0].by == judged[1][1].by == "one"


def test_one_that_cannot_be_loaded_has_failed() -> None:
    def second() -> FakeCritic:
        raise ModelError("no such model")

    cascade = Cascade(says("one", FIRST), second, "two", unsure_from=0.3, unsure_until=0.7)
    assert cascade.judge(*PAIRS)[1][0].by == "one alone: two did not answer"


def test_a_name_is_known_before_its_critic_is_loaded() -> None:
    assert critic_name("llm:openai:mine?base_url=http://x.test/v1") == "llm:openai:mine"
    assert critic_name("hf:a/b?supported=1") == "entailment:hf:a/b?supported=1"


def test_a_second_critic_whose_reference_is_wrong_is_one_that_does_not_answer() -> None:
    def wrong() -> FakeCritic:
        raise SettingError("no such option")

    cascade = Cascade(says("one", FIRST), wrong, "two", unsure_from=0.3, unsure_until=0.7)
    [_, [first, _], _, _] = cascade.judge(*PAIRS)
    assert first == Support(0.5, 0.2, 0, 3, by="one alone: two did not answer")
