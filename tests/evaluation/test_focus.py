"""Queries drawn from a corpus by subject (row R7)."""

import pytest

from anamnesis.corpus.record import Record
from anamnesis.corpus.topics import is_held_out
from anamnesis.errors import SettingError
from evaluation.focus import first_queries, focus_queries, spread

RECORDS = [
    Record(f"{focus}-{n}", focus, "A text.", f"What of {focus}, {n}?", focus=focus)
    for focus, count in (("Gout", 6), ("gout", 1), ("Asthma", 5), ("Mumps", 4), ("", 7))
    for n in range(count)
]


def test_records_of_the_same_focus_are_relevant() -> None:
    runs = focus_queries(RECORDS, runs=3, sample=4)
    queries = [query for run in runs for query in run]
    assert [len(run) for run in runs] == [4, 4, 4]
    assert len({query.text for query in queries}) == 12  # all there are, each once
    for query in queries:
        assert query.id in query.relevant
        assert {key.split("-")[0].casefold() for key in query.relevant} == {
            query.id.split("-")[0].casefold()
        }
    assert {len(query.relevant) for query in queries} == {7, 5}
    assert {query.group for query in queries} == {"gout", "asthma"}


def test_a_question_of_several_records_is_asked_once_and_the_seed_decides() -> None:
    twice = [*RECORDS, Record("copy", "Gout", "Other.", "What of Gout, 1?", focus="Gout")]
    drawn = [focus_queries(twice, runs=1, sample=6, seed=seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    with pytest.raises(SettingError, match="12 different questions"):
        focus_queries(twice, runs=1, sample=13)


def test_a_question_that_many_records_have_is_drawn_sooner() -> None:
    shared = [Record(f"s{n}", "t", "x", "What is gout?", focus="Gout") for n in range(9)]
    others = [Record(f"o{n}", "t", "x", f"Question {n}?", focus="Gout") for n in range(9)]
    first = [focus_queries([*shared, *others], runs=1, sample=1, seed=seed) for seed in range(200)]
    # Half of the records have it, but it is one of ten questions.
    assert 70 < sum(run[0][0].text == "What is gout?" for run in first) < 130


def test_too_few_questions_are_reported() -> None:
    for wrong in ({"runs": 0}, {"sample": 0}, {"min_records": 8}, {"runs": 1, "sample": 13}):
        with pytest.raises(SettingError, match="cannot be drawn"):
            focus_queries(RECORDS, **({"runs": 1, "sample": 1} | wrong))


def test_topics_that_were_trained_on_are_left_out() -> None:
    records = [
        Record(f"{topic}-{n}", "t", f"x{topic}-{n}", f"{topic} {n}?", focus=f"topic {topic}")
        for topic in range(40)
        for n in range(5)
    ]
    [run] = focus_queries(records, runs=1, sample=5, held_out=True)
    asked = {query.id.split("-")[0] for query in run}
    with pytest.raises(SettingError, match=r"has (5|10|15|20|25|30|35|40) different"):
        focus_queries(records, runs=1, sample=199, held_out=True)
    assert asked


def test_a_text_that_stands_in_topics_trained_on_is_not_asked_for() -> None:
    records = [
        Record(f"{topic}-{n}", "t", f"{topic} {n}" if n else "Ask a doctor.", f"{topic} {n}?",
               focus=f"topic {topic}")
        for topic in range(40)
        for n in range(5)
    ]  # fmt: skip
    most = sum(is_held_out(record) for record in records) * 4 // 5
    [run] = focus_queries(records, runs=1, sample=most, held_out=True)
    assert all(not query.id.endswith("-0") for query in run)
    with pytest.raises(SettingError, match=f"has {most} different"):
        focus_queries(records, runs=1, sample=most + 1, held_out=True)


def test_a_run_without_a_judged_query_counts_for_nothing() -> None:
    runs = focus_queries(RECORDS, runs=3, sample=2)
    rows = [
        {"id": query.id, "metrics": {"sparse": {"hit@1": 1.0}}} for query in (*runs[0], *runs[1])
    ]
    assert spread(runs, rows)["sparse"]["hit@1"] == {"mean": 1, "sd": 0}
    assert spread(runs, rows[:1])["sparse"]["hit@1"] == {"mean": 1}


def test_runs_have_a_mean_and_a_deviation() -> None:
    runs = focus_queries(RECORDS, runs=2, sample=2)
    found = [1.0, 0.5, 0.25, 0.25]
    rows = [
        {"id": query.id, "metrics": {"sparse": {"hit@1": value}}}
        for query, value in zip([query for run in runs for query in run], found, strict=True)
    ]
    estimate = spread(runs, rows)["sparse"]["hit@1"]
    assert estimate == pytest.approx({"mean": 0.5, "sd": 0.5 / 2**0.5})  # means .75 and .25
    assert set(spread(runs[:1], rows)["sparse"]["hit@1"]) == {"mean"}


def test_the_first_question_of_each_subject_in_alphabetical_order() -> None:
    queries = first_queries(RECORDS, 2)
    assert [(query.id, query.group, len(query.relevant)) for query in queries] == [
        ("Asthma-0", "asthma", 5),
        ("Gout-0", "gout", 7),
    ]
    assert [query.group for query in first_queries(RECORDS, 9)] == ["asthma", "gout", "mumps"]
    with pytest.raises(SettingError, match="the corpus has 0 with questions"):
        first_queries([Record("a", "A", "Text.", "")], 3)
