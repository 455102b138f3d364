"""What the critic is asked about memories, and what happens if it does not answer."""

import pytest

from anamnesis import UnansweredError
from nodes.remembering.judged_memories import contradicted
from tests.fakes import FakeCritic
from tests.nodes.remembering.test_contradictions import NEW, OLD, means, said


@pytest.mark.parametrize("found", [0, 1])
def test_either_direction_is_enough(found: int) -> None:
    old, new = said("I have gout"), said("I have no gout", NEW)
    critic = FakeCritic(lambda *_: (0.0, 0.99 if len(critic.asked) == found + 1 else 0.0))
    assert contradicted([new], [old], critic) == [(old, new)]
    (first, second), (third, fourth) = critic.asked
    assert {first, second} == {third, fourth}
    assert (first, second) == (fourth, third)


def test_without_the_critic_only_definitions_are_replaced() -> None:
    def fails(*_: str) -> float:
        raise UnansweredError("the server does not answer")

    definitions = [
        means("AF", what, when)
        for when, what in ((OLD, "atrial flutter"), (NEW, "atrial fibrillation"))
    ]
    old, new = said("I have gout"), said("I have no gout", NEW)
    found = contradicted([definitions[1], new], [definitions[0], old], FakeCritic(fails))
    assert found == [(definitions[0], definitions[1])]
