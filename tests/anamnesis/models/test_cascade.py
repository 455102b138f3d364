"""Two critics as one: who is asked of what, and whose judgement it is."""

from collections.abc import Sequence
from typing import Any, Literal

import pytest

from anamnesis import ModelError, SettingError
from anamnesis.models.cascade import Cascade
from anamnesis.models.critic import Support, critic_name


class Says:
    """Gives a statement by a premise the (support, contradiction) of a table; keeps its pairs."""

    def __init__(
        self,
        name: str,
        table: dict[str, tuple[float, float | None]],
        method: Literal["similarity", "entailment", "llm"] = "entailment",
    ) -> None:
        self.name, self.table, self.method = name, table, method
        self.asked: list[tuple[str, str]] = []

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        pairs = list(zip(statements, premises, strict=True))
        self.asked += [(own, premise) for own, group in pairs for premise in group]
        return [
            [Support(*self.table[f"{own} {premise}"], 0, len(self.name)) for premise in group]
            for own, group in pairs
        ]


class Fails(Says):
    """Does not answer."""

    def judge(self, *_: Any) -> list[list[Support]]:
        raise ModelError("silent")


FIRST = {
    "a 1": (0.9, 0.0),
    "a 2": (0.5, 0.0),
    "b 1": (0.5, 0.2),
    "b 2": (0.29, 0.6),
    "c 1": (0.1, 0.9),
    "c 2": (0.2, 0.0),
}
PAIRS = (["a", "b", "c", "d"], [["1", "2"], ["1", "2"], ["1", "2"], []])


def both(second: Says, first: Says | None = None) -> tuple[Cascade, Says]:
    own = first or Says("one", FIRST)
    return Cascade(own, lambda: second, second.name, unsure_from=0.3, unsure_until=0.7), own


def test_the_second_is_asked_only_where_the_first_is_unsure() -> None:
    second = Says("llm:two", {"b 1": (0.95, 0.0)}, "llm")
    cascade, first = both(second)
    judged = cascade.judge(*PAIRS)
    # Not of 'a', which one premise supports; nor of 'c', which none comes near to supporting.
    assert second.asked == [("b", "1")]
    assert len(first.asked) == 6
    assert judged[1][0] == Support(0.95, 0.0, 0, 7, "llm:two")
    assert judged[1][1] == Support(0.29, 0.6, 0, 3, "one")
    assert [cascade.asked(group) for group in judged] == [False, True, False, False]
    assert (cascade.name, cascade.method) == ("one, where unsure llm:two", "llm")


def test_a_chat_models_judgement_counts_alone_and_may_deny() -> None:
    cascade, _ = both(Says("llm:two", {"b 1": (0.0, 0.9)}, "llm"))
    assert cascade.judge(*PAIRS)[1][0][:2] == (0.0, 0.9)


def test_the_log_odds_of_two_entailment_models_are_added() -> None:
    cascade, _ = both(Says("two", {"b 1": (0.9, 0.5)}))
    own = cascade.judge(*PAIRS)[1][0]
    # Log-odds 0 and 2.2; -1.39 and 0.
    assert own[:2] == (pytest.approx(0.9), pytest.approx(0.2))
    assert own.by == "one and two"
    assert cascade.method == "entailment"
    below = both(Says("two", {"b 1": (0.4, None)}))[0].judge(*PAIRS)[1][0]
    assert below[:2] == (pytest.approx(0.4), 0.2)


def test_whoever_is_certain_can_still_be_outweighed() -> None:
    first = Says("one", {"b 1": (0.5, None)})
    for said in (0.0, 1.0):
        second = Says("two", {"b 1": (said, None)})
        [[own]] = both(second, first)[0].judge(["b"], [["1"]])
        assert own.probability == pytest.approx(said, abs=1e-5)
        assert own.contradiction is None


def test_closeness_is_no_witness_beside_an_entailment_model() -> None:
    first = Says("similarity:x", {"b 1": (0.6, None)}, "similarity")
    cascade, _ = both(Says("two", {"b 1": (0.9, 0.0)}), first)
    [[own]] = cascade.judge(["b"], [["1"]])
    assert own == Support(0.9, 0.0, 0, 3, "two")


def test_where_the_second_fails_the_first_ones_judgement_stands() -> None:
    cascade, _ = both(Fails("llm:two", {}, "llm"))
    plain = Says("one", FIRST).judge(*PAIRS)
    judged = cascade.judge(*PAIRS)
    assert [[own[:4] for own in group] for group in judged] == [
        [own[:4] for own in group] for group in plain
    ]
    assert judged[1][0].by == "one alone: llm:two did not answer"
    # What it was not asked of, its failure does not touch.
    assert judged[0][0].by == judged[1][1].by == "one"


def test_one_that_cannot_be_loaded_has_failed() -> None:
    def second() -> Says:
        raise ModelError("no such model")

    cascade = Cascade(Says("one", FIRST), second, "two", unsure_from=0.3, unsure_until=0.7)
    assert cascade.judge(*PAIRS)[1][0].by == "one alone: two did not answer"


def test_a_name_is_known_before_its_critic_is_loaded() -> None:
    assert critic_name("llm:openai:mine?base_url=http://x.test/v1") == "llm:openai:mine"
    assert critic_name("hf:a/b?supported=1") == "entailment:hf:a/b?supported=1"


def test_a_second_critic_whose_reference_is_wrong_is_one_that_does_not_answer() -> None:
    def wrong() -> Says:
        raise SettingError("no such option")

    cascade = Cascade(Says("one", FIRST), wrong, "two", unsure_from=0.3, unsure_until=0.7)
    [_, [first, _], _, _] = cascade.judge(*PAIRS)
    assert first == Support(0.5, 0.2, 0, 3, by="one alone: two did not answer")
