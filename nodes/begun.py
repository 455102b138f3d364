"""When a run began: what a user deleted since is not kept of it [H7]."""

import time
from uuid import UUID

from langgraph.runtime import Runtime

from nodes.context import Context


def begun(runtime: Runtime[Context]) -> float:
    """When the run was asked for, in Unix seconds.

    A server that was killed takes up its runs again, which began before that.
    """
    info = runtime.execution_info
    return asked_at(info.run_id if info else None)


def asked_at(run: str | None) -> float:
    """When the run of an id was asked for, in Unix seconds, as a UUID 7 (RFC 9562) says it.

    Any other id is one of now.
    """
    now = time.time()
    try:
        told = UUID(str(run))
    except ValueError:
        return now
    return min(now, (told.int >> 80) / 1000) if told.version == 7 else now
