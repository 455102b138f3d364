"""Whether an answer quotes the whole of its first page, and what it quotes of others after it.

The sentences of a short page that the reader model does not choose often restrict the answer or
warn: *daily aspirin can cause bleeding*, *a rash need not appear*. `python -m
benchmarks.typed_answers` counts how judges compared whole pages with chosen sentences, without
knowing which was which.
"""

from collections.abc import Sequence

from anamnesis.language.quotable import Unit
from anamnesis.language.words import repeated
from nodes.evidence.sentences import QUOTED, SAME, ScoredUnit, choose_units
from nodes.fields.passages import Selected

MOST_UNITS_QUOTED_WHOLE = 6
"""Maximum number of units (sentences or whole lists) of a passage that is quoted whole."""
LEAST_RELEVANCE_QUOTED_WHOLE = 0.4
"""Minimum relevance of the first quoted passage for it to be quoted whole, if it is short and the
only one that is quoted.

From .4 to .7, the whole passage was preferred 29 times and the sentences 8 times if the sentences
are from one passage, and 10 and 15 times if they are from several.
"""
LEAST_RELEVANCE_WITH_OTHERS = 0.7
"""The same if others are quoted after it: from .7 on, the whole passage was preferred 28 times and
the sentences 9 times of the pairs with which it was chosen, and 13 and 8 times of the others."""
FURTHER_UNITS = 2
"""Number of units of a further passage that follow a passage quoted whole.

The further passage is almost as relevant as the first, and has that many units that a good answer
quotes (``QUOTED``). Of the 530 answers with which this was chosen, 25 have such units. A judge who
did not know which was which called 15 of these useful with them and 11 without, 0 and 3 irrelevant,
and none misleading; preferred were 10 with and 9 without, where the units add what was not asked
(*missed pills*). Of 100 others, four have such units: preferred were 2 with and 1 without.
"""


def first_passage_whole(
    quoted_units: list[Unit],
    relevant: Sequence[Sequence[ScoredUnit]],
    selected: Sequence[Selected],
    max_statements: int,
) -> list[Unit]:
    """The units, with the whole passage of the first one if it should be quoted whole.

    That is so if the passage is short and relevant enough, and is not one of several topics that
    the question may mean. Then return all of its units, then the other units that do not repeat
    them; at most ``max_statements``. If these are only units of the first passage, and
    ``max_statements`` is at least ``MOST_UNITS_QUOTED_WHOLE``, the next passage with
    ``FURTHER_UNITS`` good ones adds these. Otherwise return the units unchanged. Without any,
    the most relevant passage counts as the first.

    ``relevant`` has the quotable units of each passage, none if it is not relevant enough.
    """
    by_relevance = [reading["relevance"] for reading in selected]
    first = quoted_units[0].passage if quoted_units else by_relevance.index(max(by_relevance))
    passage_units, relevance = relevant[first], by_relevance[first]
    alone = bool(quoted_units) and all(unit.passage == first for unit in quoted_units)
    if (
        len(passage_units) > MOST_UNITS_QUOTED_WHOLE
        or relevance < (LEAST_RELEVANCE_QUOTED_WHOLE if alone else LEAST_RELEVANCE_WITH_OTHERS)
        or len(selected[first].get("topics", [])) > 1
    ):
        return quoted_units
    whole = choose_units(passage_units, [], max_statements, 0.0).units
    others = [
        unit
        for unit in quoted_units
        if unit.passage != first
        and repeated(unit.text, [quoted_unit.text for quoted_unit in whole]) <= SAME
    ]
    shown = [*whole, *others][:max_statements]
    if (
        relevance < LEAST_RELEVANCE_WITH_OTHERS
        or max_statements < MOST_UNITS_QUOTED_WHOLE
        or len(shown) > len(whole)
    ):
        return shown
    others_by_relevance = sorted(
        set(range(len(relevant))) - {first}, key=lambda place: -by_relevance[place]
    )
    return [*shown, *_further([relevant[place] for place in others_by_relevance], whole)]


def _further(others: Sequence[Sequence[ScoredUnit]], whole: Sequence[Unit]) -> list[Unit]:
    """The units of the first of the other passages that has ``FURTHER_UNITS`` good ones."""
    for passage_units in others:
        good = [scored for scored in passage_units if scored.probability >= QUOTED]
        found = choose_units(good, whole, FURTHER_UNITS, QUOTED).units
        if len(found) == FURTHER_UNITS:
            return found
    return []
