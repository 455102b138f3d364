"""A server's critic that refuses pairs as too long: all of a passage is read, or none is judged."""

from collections.abc import Callable
from typing import Any

import pytest

from anamnesis import ModelError
from anamnesis.models.critic import load_critic
from tests.model_servers import Reply, scripted

Replying = Callable[[Any], Reply | None]


def judging(longest: int, most: int = 32) -> Replying:
    """A critic of as many words, that contradicts where it reads 'not'."""

    def predict(body: Any) -> Reply:
        pairs = body["inputs"]
        if len(pairs) > most or any(len(f"{a} {b}".split()) > longest for a, b in pairs):
            return 413, {"error": "too long", "error_type": "Validation"}
        sure = [0.98 if "not" in premise else 0.01 for premise, _ in pairs]
        chances = [
            {"contradiction": one, "neutral": 0.99 - one, "entailment": 0.01} for one in sure
        ]
        return 200, [[{"label": name, "score": row[name]} for name in row] for row in chances]

    return predict


def test_a_pair_that_a_server_finds_too_long_is_divided_until_all_of_it_is_read() -> None:
    claim = "Gout is treated with colchicine."
    text = f"{claim} {'It hurts at night in the joints of the foot. ' * 40}That is not so."
    statuses: list[int] = []

    def predict(body: Any) -> Reply | None:
        reply = judging(30)(body)
        statuses.append(reply[0] if reply else 0)
        return reply

    with scripted(predict=predict) as server:
        critic = load_critic(f"{server.address}?api=tei")
        [[found]] = critic.judge([claim], [[text]])
        assert found.contradiction == pytest.approx(0.98, abs=1e-3)
        assert text[found.start : found.end] == "That is not so."
        refused = statuses.count(413)
        assert refused > 0
        critic.judge(["Gout is rare."], [[text]])
        assert statuses.count(413) == refused  # it is known now what the server reads


@pytest.mark.parametrize("predict", [judging(30, most=1), judging(12)])
def test_a_server_that_takes_no_such_request_judges_nothing(predict: Replying) -> None:
    claim = "The gout of the foot is treated with pills that are blue."
    with scripted(predict=predict) as server:
        critic = load_critic(f"{server.address}?api=tei&window=64")
        with pytest.raises(ModelError, match="takes no request of this size"):
            critic.judge([claim], [["It hurts a lot. " * 30]])
