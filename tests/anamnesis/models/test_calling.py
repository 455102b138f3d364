"""Calls over HTTP to a provider that does not answer, or badly."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda

from anamnesis import ModelError
from anamnesis.limits import Limits, use
from anamnesis.models.calling import guard_of, time_left, with_deadline
from anamnesis.models.chat import ask, load_chat
from tests.endpoint import REPLY, Endpoint, endpoint

ASKED = [HumanMessage("What is asthma?")]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def short() -> Iterator[None]:
    use(Limits(model_timeout=0.6, model_read_timeout=0.3, model_wait=0.1, model_attempts=2))
    yield
    use(None)


def said(server: Endpoint) -> str:
    model = load_chat(server.reference)
    return str(ask(model, ASKED, "x").content)


@pytest.mark.parametrize("way", ["silent", "drip"])
def test_a_call_ends_in_time_whatever_the_provider_does(way: str, short: None) -> None:
    with endpoint(way) as server:
        load_chat(server.reference)
        begun = time.monotonic()
        with pytest.raises(ModelError, match=r"did not answer \((Timeout|APITimeout|OpenAI)"):
            said(server)
        assert time.monotonic() - begun < 30  # without an end: a minute, or for ever
        asked = server.asked
        # The next caller is not made to wait, nor is the model asked.
        with pytest.raises(ModelError, match="is not called for 30 more seconds"):
            said(server)
        assert server.asked == asked


def test_what_passes_is_tried_again(short: None) -> None:
    with endpoint((500, {}), "ok") as server:
        use(Limits())
        assert said(server) == REPLY
        assert server.asked == 2


def test_a_provider_is_given_the_time_that_it_asks_for() -> None:
    with endpoint((429, {"retry-after": "0.4"}), "ok") as server:
        begun = time.monotonic()
        assert said(server) == REPLY
        assert time.monotonic() - begun >= 0.4
    with endpoint((429, {"retry-after": "3600"})) as server:
        with pytest.raises(ModelError, match="RateLimit"):
            said(server)
        assert server.asked == 1


@pytest.mark.parametrize("asked", ["nan", "inf", "-5", "soon"])
def test_a_time_that_is_none_is_not_waited_for(asked: str) -> None:
    with endpoint((429, {"retry-after": asked}), "ok") as server:
        assert said(server) == REPLY
        assert server.asked == 2


def test_what_a_further_try_cannot_change_is_an_error_at_once_and_no_fault_of_the_model() -> None:
    with endpoint((400, {})) as server:
        for _ in range(4):
            with pytest.raises(ModelError, match="InvalidRequest"):
                said(server)
        assert server.asked == 4


def test_while_one_call_hangs_others_are_refused_in_short_on_a_server(short: None) -> None:
    with endpoint("silent") as server, ThreadPoolExecutor(4) as pool:
        use(Limits(model_timeout=2, model_wait=0.1, model_attempts=1))
        model = load_chat(server.reference)

        def failing(_: int) -> str:
            with with_deadline(time.monotonic() + 60), pytest.raises(ModelError) as caught:
                ask(model, ASKED, "x")
            return str(caught.value)

        errors = list(pool.map(failing, range(4)))
        assert sum("(TimeoutError)" in error for error in errors) == 1
        assert sum("has not answered other calls yet" in error for error in errors) == 3
        assert server.asked == 1


def test_elsewhere_callers_wait_for_the_first_answer_and_all_get_one() -> None:
    with endpoint("ok") as server, ThreadPoolExecutor(4) as pool:
        use(Limits(model_wait=0.01))
        try:
            assert list(pool.map(lambda _: said(server), range(8))) == [REPLY] * 8
        finally:
            use(None)


def test_no_model_is_asked_once_the_time_of_the_run_is_up() -> None:
    with endpoint("ok") as server, with_deadline(time.monotonic() - 1):
        with pytest.raises(ModelError, match="the time of the run"):
            said(server)
        assert server.asked == 0
    assert time_left() is None


def test_models_are_judged_each_by_itself(short: None) -> None:
    with endpoint((500, {})) as down, endpoint("ok") as up:
        for _ in range(2):
            with pytest.raises(ModelError):
                said(down)
        assert said(up) == REPLY
    given: Any = RunnableLambda(lambda _: "yes")
    assert guard_of(given) is guard_of(given)
    assert guard_of(given) is not guard_of(RunnableLambda(lambda _: "yes"))
