"""What the graph's tests have as well: a small index, a chat model that is scripted, memories."""

from tests.graph.conftest import memories, queue, small_index

__all__ = ["memories", "queue", "small_index"]
