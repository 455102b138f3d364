"""When a run began: what a user deleted since is not kept of it [H7]."""

import time
from uuid import UUID

from langgraph.runtime import Runtime

from nodes.context import Context


def begun(runtime: Runtime[Context]) -> float:
    """When the run was asked for, in Unix seconds.

    A server that was killed takes up its runs again, which began before that: their ids
    (UUID 7, RFC 9562) say when they were made.
    """
    now, info = time.time(), runtime.execution_info
    try:
        run = UUID(str(info and info.run_id))
    except ValueError:
        return now
    return min(now, (run.int >> 80) / 1000) if run.version == 7 else now
