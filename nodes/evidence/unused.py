"""Which passages that were found are not given to the generator, and why: for the trace."""

from collections.abc import Collection, Sequence

from nodes.fields.passages import Dropped, Selected, dropped
from retrievers.search import Hit


def unread(hits: Sequence[Hit], read: Collection[str], depth: int) -> list[Dropped]:
    """The passages that were found and not read; ``depth`` passages are read."""
    return [
        dropped(hit, f"not read: place {place} of the fused list, and {depth} are read")
        for place, hit in enumerate(hits, 1)
        if hit["id"] not in read
    ]


def unselected(ranked: Sequence[Selected], selected: Collection[str], most: int) -> list[Dropped]:
    """The passages that were read and not selected, each with its sentences."""
    unused: list[Dropped] = []
    for place, item in enumerate(ranked, 1):
        if item["id"] not in selected:
            why = f"place {place} after reading, and {most} passages are used"
            unused += of_passage(item, f"relevance {item['relevance']:.2f}: {why}")
    return unused


def insufficient(selected: Sequence[Selected], least: float, why: str = "") -> list[Dropped]:
    """The selected passages that are not used, each with its sentences.

    The reason is a relevance below ``least``, otherwise ``why``. Those with enough relevance are
    left out if ``why`` is empty.
    """
    unused: list[Dropped] = []
    for item in selected:
        if item["relevance"] < least:
            unused += of_passage(item, f"relevance {item['relevance']:.2f}, below {least:.2f}")
        elif why:
            unused += of_passage(item, why)
    return unused


def of_passage(item: Selected, why: str) -> list[Dropped]:
    """A passage that is not used, and each of its sentences with its probability."""
    unused = [dropped(item, why)]
    for start, end, chance in item["sentences"]:
        reason = f"its passage is not used; probability of the sentence {chance:.2f}"
        unused.append(dropped(item, reason, int(start), int(end)))
    return unused
