"""One client for the models of a server: which of them is called, and what is no reply."""

from math import inf, nan
from typing import Any

import pytest

from anamnesis import UnansweredError
from anamnesis.models import calling
from anamnesis.models.critic import load_critic
from anamnesis.models.remote_client import number
from anamnesis.models.reranker import load_reranker
from tests.model_servers import Reply, scripted

PASSAGES = [("", "Gout hurts.")]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting between tries."""
    monkeypatch.setattr(calling, "_wait", lambda _: 0.0)


def ranked(body: Any) -> Reply:
    return 200, [{"index": n, "score": 0.5} for n in range(len(body["texts"]))]


def labelled(body: Any) -> Reply:
    one = [{"label": "entailment", "score": 0.9}, {"label": "contradiction", "score": 0.1}]
    return 200, [one for _ in body["inputs"]]


def test_a_model_that_fails_is_not_called_while_another_one_of_the_server_answers() -> None:
    with scripted(rerank=ranked, predict=labelled) as server:
        reference = f"{server.address}?api=tei"
        reader, critic = load_reranker(reference), load_critic(reference)
        server.replies["/predict"] = lambda _: (503, {})
        for n in range(6):
            assert reader.score("gout", PASSAGES) == [0.5]
            with pytest.raises(UnansweredError):
                critic.judge([f"Gout hurts {n} people."], [["Gout hurts."]])
        before = len(server.asked)
        with pytest.raises(UnansweredError, match="is not called for"):
            critic.judge(["Gout hurts some people."], [["Gout hurts."]])
        assert len(server.asked) == before
        assert reader.score("gout", PASSAGES) == [0.5]


@pytest.mark.parametrize(
    "body",
    [b"[" * 100_000 + b"]" * 100_000, b'[{"index": 0, "score": 1' + b"0" * 400 + b"}]"],
    ids=["brackets", "digits"],
)
def test_what_python_cannot_read_is_no_reply(body: bytes) -> None:
    with scripted(rerank=ranked) as server:
        reader = load_reranker(f"{server.address}?api=tei")
        server.replies["/rerank"] = lambda _: (200, body)
        with pytest.raises(UnansweredError, match=r"replied with"):
            reader.score("gout", PASSAGES)


@pytest.mark.parametrize("value", [nan, inf, 10**400, "x"])
def test_a_number_is_finite(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        number(value)
