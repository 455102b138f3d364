"""Check the input of a request to the graph, and what it writes into the state of a thread.

The graph chooses its steps itself: a command that would write between two steps or redirect the
graph is refused, wherever it occurs in the request.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from anamnesis import SettingError
from anamnesis.limits import check, limits
from nodes.question.sizes import check_options, check_question
from nodes.settings.loop import LoopSettings
from nodes.state import Input

WRITTEN = "anamnesis.state_written"
"""Key in a request's scope for the result of ``check_request``."""

_COMMANDS = ("command", "goto", "update")
# These fields hold data: a name in them is not a command.
_DATA = ("input", "values", "value", "metadata", "config", "context", "checkpoint", "filter")
_TEXTS = ("question", "original_question", "topic", "consenting_user")
# There is one query per round.
_QUERIES = next(
    item.le for item in LoopSettings.model_fields["max_rounds"].metadata if hasattr(item, "le")
)


def check_request(value: Any) -> frozenset[str]:
    """The state keys, other than those of a run's input, that a request writes into a thread.

    ``value`` is the request's JSON. Raises LimitError for values over the operator's limits, and
    SettingError for a command.
    """
    inner: set[str] = set()
    for held in _objects(value, deep=True):
        for name in _COMMANDS:
            if held.get(name) is not None:
                raise SettingError(
                    f"{name!r} is not accepted: the graph chooses its own path and never waits "
                    f"for a reply; send an input, or null as the input to continue an interrupted "
                    f"run"
                )
        for state in _objects(held.get("input"), deep=False):
            _check_state(state)
        for state in _objects(held.get("values"), deep=False):
            _check_state(state)
            inner |= state.keys() - Input.__annotations__.keys()
    return frozenset(inner)


def _objects(value: Any, *, deep: bool) -> Iterator[dict[str, Any]]:
    """The objects in a value or its lists; if ``deep``, also those in other objects.

    The data in an object (``_DATA``) request nothing and are left out.
    """
    left = [value]
    while left:
        current = left.pop()
        if isinstance(current, dict):
            yield current
            left += [held for name, held in current.items() if deep and name not in _DATA]
        elif isinstance(current, list):
            left += current


def _check_state(state: Mapping[str, Any]) -> None:
    for name in _TEXTS:
        _check_text(state.get(name))
    for name in ("options", "keyed_options"):
        check_options(state.get(name))
    if isinstance(queries := state.get("queries"), list):
        check("the state", len(queries), "queries", _QUERIES, "leave out the others")
        for query in queries:
            _check_text(query)
    else:
        _check_text(queries)
    if isinstance(messages := state.get("messages"), list):
        most = limits().messages_sent
        check("the input", len(messages), "messages", most, "send the last ones alone")


def _check_text(text: object) -> None:
    if isinstance(text, str):
        check_question(text.strip())
