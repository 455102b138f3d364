"""Warnings from the facts of an index: what a condition contraindicates, and what interacts."""

import re
from collections.abc import Sequence

from anamnesis.corpus.cautions import comparison_key
from anamnesis.memory.profile import Entry, Warned
from nodes.checking.warning import advised_mentions, warning_of, warns_itself
from nodes.parts import Parts
from nodes.settings.context import Context
from retrievers.facts import FactQuery

_AGAINST = re.compile(r"\b(?:contraindicat|interact)", re.IGNORECASE)
_AS_FACTS_SAY = {"pregnant": "pregnancy", "breastfeeding": "breast feeding"}
_FIELDS = ("pregnancy", "condition", "medicine")
_MOST = 10
"""Maximum number of facts examined for a statement and an entry."""


def fact_warnings(
    statement: str, profile: Sequence[Entry], context: Context, parts: Parts
) -> list[Warned]:
    """The warnings for a statement, at most one per entry, each quoting a fact from the index.

    A fact counts if it says that the entry and something that the statement is about must not be
    combined, and names both of them or their aliases.
    """
    found: list[Warned] = []
    for entry in profile:
        if entry.field in _FIELDS and not warns_itself(statement, entry):
            found += _warnings_of_entry(entry, statement, context, parts)
    return found


def _warnings_of_entry(
    entry: Entry, statement: str, context: Context, parts: Parts
) -> list[Warned]:
    value = _AS_FACTS_SAY.get(entry.value, entry.value)
    near = parts.index(context).facts(FactQuery(f"{value} {statement}"), _MOST)
    for passage in parts.find([item.id for item in near], context).values():
        sides = [frozenset(comparison_key(item) for item in side) for side in passage.names]
        if len(sides) != 2 or not _AGAINST.search(passage.text):
            continue
        for item, other in (sides, reversed(sides)):
            mentions = advised_mentions(statement, other) if comparison_key(value) in item else []
            if mentions:
                name = statement[mentions[0].start : mentions[0].end]
                fact = passage.text.rstrip(".")
                return [warning_of(entry, name, f". A fact of the index says: “{fact}”")]
    return []
