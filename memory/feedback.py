"""What feedback on an answer tells of the memories that shaped it (rows M5, M8)."""

from collections.abc import Iterable, Mapping

from anamnesis import SettingError
from memory.record import Memory
from memory.store import Memories


def rate_shaping(
    memories: Memories,
    owner: str,
    shaping: Iterable[str],
    *,
    correct: bool,
    audience: Mapping[str, str] | None = None,
) -> list[Memory]:
    """Rate each of the memories that shaped an answer as the answer is; they come back [M5, M8].

    ``shaping`` are the ids in ``answer["memories"]``. One that is deleted by now, or that the owner
    may not see, is passed over. As by ``Memories.rate``, what the retention rule no longer keeps
    goes [M7]. Raises SettingError for a blank owner.
    """
    memories.ids(owner)
    rated = []
    for memory in shaping:
        try:
            rated.append(memories.rate(owner, memory, correct=correct, audience=audience))
        except SettingError:
            continue
    return rated
