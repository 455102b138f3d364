"""Verdicts as a published system gives them."""

from anamnesis.corpus.passage import Passage
from anamnesis.models.critic import Support
from nodes.checking.published import judge_as_published
from nodes.checking.statements import unchecked_statement
from tests.fakes import FakeCritic
from tests.graph.conftest import ScriptedCritic

PAGE = Passage("a#0", "a", 0, 18, "Asthma is chronic.")


def test_what_was_judged_while_the_draft_was_written_is_not_judged_again() -> None:
    known = {
        **unchecked_statement("Asthma is mild.", ["a#0"]),
        "verdict": "supported",
        "probability": 0.9,
    }
    fresh = unchecked_statement("Asthma is chronic.", ["a#0"])
    judged = judge_as_published(
        [known, fresh],  # type: ignore[list-item]
        [PAGE],
        ScriptedCritic({"Asthma is chronic.": 0.8}),
        0.5,
    )
    assert judged[0] == known
    assert [statement["verdict"] for statement in judged] == ["supported", "supported"]


def test_the_critic_that_decided_is_named_and_nothing_of_the_draft_is_left() -> None:
    place = {"document": "a#0", "start": 0, "end": 6}
    drafted = {
        **unchecked_statement("Asthma is chronic.", ["a#0"]),
        "evidence": place,
        "failed": [{"code": "number", "found": "5 mg"}],
    }
    second = FakeCritic(lambda *_: Support(0.0, 0.0, 0, 0, "one and two"))
    [judged] = judge_as_published([drafted], [PAGE], second, 0.5)  # type: ignore[list-item]
    assert judged["verdict"] == "unsupported"
    assert (judged["evidence"], judged["failed"]) == (None, [])
    assert judged["checked_by"] == "one and two"
