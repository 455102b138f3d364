"""The start time of a run; if the user deletes everything after it, the run stores nothing [H7]."""

import logging
import time
from uuid import UUID

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from anamnesis import MemoryFolderError
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import State

_log = logging.getLogger(__name__)


def requested_at(runtime: Runtime[Context]) -> float:
    """The time when the run was requested, in Unix seconds.

    A server that was killed resumes its runs, which then keep their original time.
    """
    info = runtime.execution_info
    return time_of_run(info.run_id if info else None)


def time_of_run(run: str | None) -> float:
    """The time in a run id that is a UUID 7 (RFC 9562), in Unix seconds.

    For any other id, the current time.
    """
    now = time.time()
    try:
        parsed = UUID(str(run))
    except ValueError:
        return now
    return min(now, (parsed.int >> 80) / 1000) if parsed.version == 7 else now


def without_forgotten(
    state: State, user: str | None, parts: Parts
) -> tuple[State, list[AnyMessage]]:
    """The state without what the user has deleted, and the messages to remove from the thread."""
    if not _forgotten(state, user, parts):
        return state, []
    messages = state.get("messages") or []
    kept = messages[-1:] if messages and isinstance(messages[-1], HumanMessage) else []
    left: State = {**state, "messages": kept, "queries": [], "topic": "", "consenting_user": ""}
    return left, messages[: len(messages) - len(kept)]


def _forgotten(state: State, user: str | None, parts: Parts) -> bool:
    """Whether the user has deleted everything that was said before this turn."""
    before = state.get("requested_at")
    if not user or before is None:
        return False
    try:
        return before <= parts.memories().last_forgotten(user)
    except MemoryFolderError:
        _log.warning("cannot read when the memories were deleted", exc_info=True)
        return True
