"""The memories near a question, and which of them a user may read who may not read every document.

The user's own words may always be recalled. An exchange repeats what its sources say: it is
recalled if the user may still read all of them, unchanged. Notes that a model inferred from
exchanges have no sources, and are not recalled.
"""

from collections.abc import Sequence

from anamnesis.memory.matching import ALL, NEAREST, MatchedMemory
from anamnesis.memory.record import KINDS
from nodes.parts import Parts
from nodes.remembering.outdated import is_unchanged
from nodes.settings.context import Context

_AT_ONCE = 20
"""Exchanges whose passages are requested together; the nearest ones come first."""


def nearest_memories(
    question: str,
    user: str,
    seen_by: dict[str, str],
    context: Context,
    parts: Parts,
    *,
    restricted: bool,
) -> list[MatchedMemory]:
    """The memories nearest to the question that the user may read.

    If the threshold depends on the user's memories, these are all of them. ``restricted`` says
    whether the user may not read every document.
    """
    settings = context.memory
    most = ALL if isinstance(settings.threshold, str) else NEAREST
    found = parts.memories().nearest(
        user,
        question,
        settings.recalled_kinds,
        n=ALL if restricted else most,
        audience=seen_by,
        lexical_weight=settings.lexical_weight,
    )
    return _readable(found, most, context, parts) if restricted else found


def _readable(
    near: Sequence[MatchedMemory], most: int, context: Context, parts: Parts
) -> list[MatchedMemory]:
    """The ``most`` nearest memories of each kind that the user may read, of all those ``near``."""
    inferred = context.memory.notes == "inferred"
    exchanges = [one for one in near if one.memory.grounds and one.memory.grounds.whole]
    kept: set[str] = set()
    for start in range(0, len(exchanges), _AT_ONCE):
        asked = exchanges[start : start + _AT_ONCE]
        ids = {key for one in asked if one.memory.grounds for key in one.memory.grounds.passages}
        there = parts.find(sorted(ids), context)
        kept |= {
            one.memory.id
            for one in asked
            if one.memory.grounds and is_unchanged(one.memory.grounds, there)
        }
        if len(kept) >= most:
            break
    allowed = [
        one
        for one in near
        if (
            one.memory.id in kept
            if one.memory.kind == "exchange"
            else one.memory.scope == "expert" or not inferred
        )
    ]
    return [one for kind in KINDS for one in [o for o in allowed if o.memory.kind == kind][:most]]
