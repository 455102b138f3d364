"""The small index of the graph's tests, for the steps that search it."""

from tests.graph.conftest import queue, small_index

__all__ = ["queue", "small_index"]
