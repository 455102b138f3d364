"""Take a recorded run up again from one of its steps, with other settings or another query."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langgraph.checkpoint.memory import InMemorySaver

from anamnesis import SettingError
from app import trace
from app.trace import Step
from graph import Context, graph

# Which steps lead to which: the last of these that ran before it.
_BEFORE = {
    "recall": ("screen",),
    "retrieve": ("screen", "rewrite"),
    "rerank": ("retrieve",),
    "generate": ("rerank",),
    "verify": ("generate",),
    "rewrite": ("verify",),
    "fallback": ("screen", "rerank", "verify"),
    "remember": ("verify", "fallback"),
}


def replay(
    steps: Sequence[Step],
    node: str,
    context: Mapping[str, Any],
    *,
    turn: int = 1,
    query: str | None = None,
    without: Sequence[str] = (),
) -> list[Step]:
    """The steps of the run from the ``turn``-th time on that it came to ``node``, run again.

    What the step was given comes from the record; ``query`` takes the place of the query of that
    round, and ``context`` of the run's settings. ``without`` are ids of passages, or of the sources
    that they are from, which count as not found, for the steps that take what was found (``rerank``
    and ``generate``). Raises SettingError where the run has no such step to begin at, or the step
    was not given such a passage.
    """
    places = [place for place, step in enumerate(steps) if step["node"] == node]
    if node not in _BEFORE or not 1 <= turn <= len(places):
        ran = ", ".join(dict.fromkeys(step["node"] for step in steps if step["node"] in _BEFORE))
        times = f"{len(places)} times" if places else "never"
        raise SettingError(f"the run came to {node!r} {times}; it can be taken up from {ran}")
    place = places[turn - 1]
    if not steps[place].get("state"):
        raise SettingError("the record holds no states to take the run up from; record it anew")
    values = dict(steps[place]["state"])
    if query is not None:
        values["queries"] = [*values["queries"][:-1], query]
    if without:
        values |= _without(values, node, without)
    before = next(step["node"] for step in reversed(steps[:place]) if step["node"] in _BEFORE[node])
    own = graph.copy({"checkpointer": InMemorySaver()})
    config = own.update_state({"configurable": {"thread_id": "replay"}}, values, as_node=before)
    events = own.stream(None, config, context=Context(**context), stream_mode="debug")
    return list(trace.steps(cast(Any, events)))


def _without(values: Mapping[str, Any], node: str, ids: Sequence[str]) -> dict[str, Any]:
    """What was found and selected, less the passages of the ids."""
    taken = {"rerank": "hits", "generate": "selected"}.get(node)
    if taken is None:
        raise SettingError(
            f"{node!r} takes no passages to leave out; take the run up from rerank or generate"
        )
    for own in ids:
        if not any(own in (item["id"], item["record_id"]) for item in values[taken]):
            there = ", ".join(item["id"] for item in values[taken])
            raise SettingError(f"{node!r} was not given {own!r}; it was given {there}")
    return {
        name: [item for item in values[name] if not {item["id"], item["record_id"]} & set(ids)]
        for name in ("hits", "selected")
    }
