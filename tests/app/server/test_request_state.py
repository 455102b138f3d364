"""Commands to the graph, and states that are written: refused at the door, wherever they stand."""

import json
import time
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph_sdk import Auth

from app.server.auth import refuse_state
from app.server.bodies import RefusedError, check_json
from app.server.request_state import WRITTEN, check_request
from graph.step import Hooks, as_step
from nodes.settings.context import Context

LONG = "a" * 900_000
RUN = {"assistant_id": "anamnesis"}


def status(value: Any) -> int | None:
    try:
        check_json(json.dumps(value).encode())
    except RefusedError as error:
        return error.status
    return None


@pytest.mark.parametrize(
    "given",
    [
        {"command": {"update": {"queries": [LONG]}}},
        {"command": {"goto": "screen", "update": {"question": "x", "started": 1e15}}},
        {"command": {"goto": [{"node": "screen", "input": {"question": "x"}}] * 1000}},
        {"command": {"resume": "x"}},
        {"command": []},
    ],
)
def test_a_command_is_refused_wherever_it_stands(given: dict[str, Any]) -> None:
    run = {**RUN, **given}
    for sent in (
        run,
        [RUN, run],
        {"runs": [{"input": {}}, run]},
        {"id": 1, "method": "run.start", "params": run},
        {"schedule": "* * * * *", "payload": {"kwargs": run}},
        {"supersteps": [{"updates": [{"as_node": "screen", **given}]}]},
    ):
        assert status(sent) == 422, sent


@pytest.mark.parametrize("given", [{"goto": "screen"}, {"update": {"started": 1e15}}])
def test_what_goes_with_a_reply_to_an_interrupt_is_a_command_too(given: dict[str, Any]) -> None:
    reply = {"interrupt_id": "x", "response": "y", **given}
    assert status({"id": 1, "method": "input.respond", "params": reply}) == 422
    start = {**RUN, "input": {"question": "x"}, "force_resume": True, **given}
    assert status({"id": 1, "method": "run.start", "params": start}) == 422


def test_what_a_client_leaves_empty_or_keeps_as_its_own_is_no_command() -> None:
    command = {"command": {"goto": "screen"}, "update": "x"}
    for sent in (
        {**RUN, "input": None, "command": None},
        {**RUN, "metadata": command, "config": {"configurable": command}},
        {"namespace": ["notes"], "key": "a", "value": command},
        {"metadata": command, "values": command},
    ):
        assert status(sent) is None, sent


@pytest.mark.parametrize(
    "state",
    [
        {"question": "a" * 4001},
        {"original_question": LONG},
        {"topic": LONG},
        {"consenting_user": LONG},
        {"queries": [LONG]},
        {"queries": LONG},
        {"queries": ["a"] * 11},
        {"options": ["a"] * 27},
        {"keyed_options": {"A": LONG}},
        {"messages": [{}] * 201},
    ],
)
def test_the_sizes_of_a_state_are_looked_at_wherever_it_stands(state: dict[str, Any]) -> None:
    for sent in (
        {"values": state, "as_node": "screen"},
        {"values": [[state, "screen"]], "as_node": "__copy__"},
        {"supersteps": [{"updates": [{"values": state, "as_node": "screen"}]}]},
        {"runs": [{**RUN, "input": state}]},
        {"a": {"b": [{"input": [state]}]}},
    ):
        assert status(sent) == 422, sent


def test_an_operator_alone_writes_what_the_graph_keeps() -> None:
    asker, operator = {"permissions": ["asker"]}, {"permissions": ["operator"]}
    inner = check_request({"values": {"draft": {}, "topic": "x", "question": "y"}})
    assert inner == {"draft", "topic"}
    scope = {"path": "/threads/x/state", WRITTEN: inner}
    with pytest.raises(Auth.exceptions.HTTPException) as caught:
        refuse_state(scope, asker)
    assert caught.value.status_code == 403
    assert "draft, topic" in caught.value.detail
    refuse_state(scope, operator)
    refuse_state({**scope, "path": "/threads/search"}, asker)
    texts = check_request({"values": {"question": "x", "options": ["a"], "messages": []}})
    refuse_state({**scope, WRITTEN: texts}, asker)
    refuse_state({"path": "/threads/x/state"}, asker)


def test_a_run_that_says_it_begins_later_ends_all_the_same() -> None:
    def node(state: Any, runtime: Any, came: Any) -> dict[str, Any]:
        return {}

    step = as_step("screen", node, Hooks(time_limit=lambda: 60.0), lambda *_: None)
    given: Any = {"question": "x", "started": 1e15}
    begun = step(given, Runtime(context=Context()))["started"]
    assert begun <= time.monotonic()
    assert step({**given, "started": begun}, Runtime(context=Context()))["started"] == begun
