"""Queries from a corpus itself: a record is relevant if it is on the query's subject [R7].

In the published protocol the record of a query stays among the documents, where it is found first;
``retrieval.evaluate_retrieval`` can leave it out.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import fmean, stdev
from typing import Any

from anamnesis.corpus.record import Record
from anamnesis.corpus.topics import is_held_out
from anamnesis.errors import SettingError
from anamnesis.language.text import digest
from evaluation.reading import Query

RUNS, SAMPLE, LEAST = 10, 100, 5


def focus_queries(
    records: Sequence[Record],
    *,
    runs: int = RUNS,
    sample: int = SAMPLE,
    min_records: int = LEAST,
    held_out: bool = False,
    seed: int = 0,
) -> list[list[Query]]:
    """``runs`` lists of ``sample`` questions; all records of the same focus are relevant, grade 1.

    As in the paper, records are drawn, so a question that many records share is more likely; but
    none is drawn twice. Only records whose focus has at least ``min_records`` records are drawn. A
    query has the id of its record, and its focus as its group. ``held_out`` keeps only topics that
    the project's models were not trained on, without records whose text is part of others.

    Raises SettingError if the corpus has too few such questions.
    """
    by_focus: defaultdict[str, list[str]] = defaultdict(list)
    for record in records:
        if record.focus.strip():
            by_focus[record.focus.casefold()].append(record.id)
    possible = [
        record
        for record in records
        if record.question
        and len(by_focus[record.focus.casefold()]) >= min_records
        and (not held_out or is_held_out(record))
    ]
    random.Random(seed).shuffle(possible)
    seen = {digest(item.text) for item in records if held_out and not is_held_out(item)}
    asked: dict[str, Record] = {}
    for record in possible:
        if not held_out or digest(record.text) not in seen:
            asked.setdefault(record.question, record)
    if runs < 1 or sample < 1 or runs * sample > len(asked):
        raise SettingError(
            f"{runs} runs of {sample} questions cannot be drawn: the corpus has {len(asked)} "
            f"different questions on subjects with {min_records} records or more; draw at least "
            "one and no more than there are"
        )
    queries = [
        Query(item.id, item.question, dict.fromkeys(by_focus[focus], 1.0), focus)
        for item in islice(asked.values(), runs * sample)
        for focus in [item.focus.casefold()]
    ]
    return [queries[start : start + sample] for start in range(0, len(queries), sample)]


def first_queries(records: Sequence[Record], areas: int) -> list[Query]:
    """The first question of each of the first ``areas`` subjects in alphabetical order (§4.8, R7).

    All records of the subject are relevant, grade 1. Raises SettingError if no record has a
    question and a subject.
    """
    by_focus: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.focus.strip() and record.question:
            by_focus[record.focus.casefold()].append(record)
    if not by_focus or areas < 1:
        raise SettingError(
            f"{areas} subjects cannot be asked for: the corpus has {len(by_focus)} with questions"
        )
    return [
        Query(item[0].id, item[0].question, dict.fromkeys((each.id for each in item), 1.0), focus)
        for focus, item in islice(sorted(by_focus.items()), areas)
    ]


def spread(
    runs: Sequence[Sequence[Query]], rows: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, dict[str, float]]]:
    """By method and metric, ``mean`` and ``sd`` of the runs' means, as in the paper [R7].

    ``rows`` are those of a ``RetrievalResult``; runs without any query among them are ignored. A
    single run has no ``sd``.
    """
    found: dict[str, dict[str, dict[str, float]]] = {}
    for method, metrics in run_means(runs, rows).items():
        found[method] = {
            metric: {"mean": fmean(means)} | ({"sd": stdev(means)} if len(means) > 1 else {})
            for metric, means in metrics.items()
        }
    return found


def run_means(
    runs: Sequence[Sequence[Query]], rows: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, list[float]]]:
    """By method and metric, the mean of each run that has a query among ``rows``."""
    measured = {row["id"]: row["metrics"] for row in rows}
    asked = [[measured[item.id] for item in run if item.id in measured] for run in runs]
    return {
        method: {
            metric: [fmean(item[method][metric] for item in run) for run in asked if run]
            for metric in metrics
        }
        for method, metrics in rows[0]["metrics"].items()
    }
