"""Run a recorded run again from one of its steps, with other settings or another query."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langgraph.checkpoint.memory import InMemorySaver

from anamnesis import SettingError
from app.trace import runs as trace
from app.trace.runs import Step
from graph import Context, graph
from graph.build import STEPS, conditional_edges
from nodes.state import State
from nodes.writing.round_support import queries_of_next_round


def replay(
    steps: Sequence[Step],
    node: str,
    context: Mapping[str, Any],
    *,
    turn: int = 1,
    query: str | None = None,
    without: Sequence[str] = (),
) -> list[Step]:
    """Run the recorded run again from the ``turn``-th occurrence of ``node``; returns the steps.

    The input of the step comes from the record; ``query`` replaces the query of that round, and
    ``context`` the settings of the run. No memories are used, because their texts may have been
    deleted since. ``without`` are ids of passages or of their sources, which are treated as not
    found, for the steps that use retrieved passages (``rerank`` and ``generate``). Steps of one
    superstep run together and are numbered as in the record. Raises SettingError if the run has no
    such step, or the step did not receive such a passage.
    """
    places = [place for place, step in enumerate(steps) if step["node"] == node]
    if node == "screen" or not 1 <= turn <= len(places):
        ran = ", ".join(dict.fromkeys(item["node"] for item in steps if item["node"] != "screen"))
        times = f"{len(places)} times" if places else "never"
        raise SettingError(f"the run executed {node!r} {times}; it can be continued from {ran}")
    resumed = steps[places[turn - 1]]
    if not resumed.get("state"):
        raise SettingError("the recorded run has no states to continue from; record it again")
    settings = Context(**{**context, "memory.consent": False})
    values = dict(resumed["state"])
    if query is not None:
        values["queries"] = [*values["queries"][:-1], query]
        if "next_queries" in values:  # made from the replaced query
            threshold = settings.loop.min_supported_share
            values["next_queries"] = queries_of_next_round(cast(State, values), threshold)
    if without:
        values |= _without(values, node, without)
    with_checkpoints = graph.copy({"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "replay"}}
    config = with_checkpoints.update_state(thread, values, as_node=_before(node, values))
    events = with_checkpoints.stream(None, config, context=settings, stream_mode="debug")
    again = list(trace.steps(cast(Any, events)))
    later = resumed["step"] - again[0]["step"]
    return [cast(Step, {**step, "step": step["step"] + later}) for step in again]


def _before(node: str, state: Mapping[str, Any]) -> str:
    """The step before one that received this state; of several, the last that leads to it."""
    choosing = [step for step in STEPS if (step, node) in conditional_edges(graph)]
    always = [step for step in STEPS if (step, node) in graph.builder.edges]
    first, second = (choosing, always) if state["route"]["to"] == node else (always, choosing)
    return (first or second)[-1]


def _without(values: Mapping[str, Any], node: str, ids: Sequence[str]) -> dict[str, Any]:
    """The retrieved and selected passages without those of the ids."""
    taken = {"rerank": "hits", "generate": "selected"}.get(node)
    if taken is None:
        raise SettingError(
            f"{node!r} has no passages to leave out; continue the run from rerank or generate"
        )
    for entry in ids:
        if not any(entry in (item["id"], item["record_id"]) for item in values[taken]):
            there = ", ".join(item["id"] for item in values[taken])
            raise SettingError(f"{node!r} was not given {entry!r}; it was given {there}")
    return {
        name: [item for item in values[name] if not {item["id"], item["record_id"]} & set(ids)]
        for name in ("hits", "selected")
    }
