"""What the benchmarks of the triage count, on messages made by hand."""

import pytest

from benchmarks.first_aid import measured as pages_measured
from benchmarks.triage import left_out
from benchmarks.triage_errors import CLASSES, OTHER, Taken, class_of, table
from benchmarks.triage_time import measured
from benchmarks.triage_time import table as time_table
from evaluation.urgency import Message
from nodes.state import Urgency


def taken(level: str, kind: str, found: str, **more: bool) -> Taken:
    urgent: Urgency = {"level": found, "kind": "", "crisis": False, "why": "", **more}  # type: ignore[typeddict-item]
    return Taken(Message("text", level, kind), urgent)


@pytest.mark.parametrize(
    ("level", "kind", "name"),
    [
        ("routine", "running_idiom", "idioms"),
        ("routine", "petition", OTHER),
        ("routine", "pet", "animals"),
        ("routine", "relative_history", "other people's histories"),
        ("routine", "past_event", "the past"),
        ("routine", "child_mild", "children"),
        ("routine", "routine_search", "questions for information"),
        ("emergency", "suicidal_plan", "self-harm"),
        ("urgent", "urgent_child", OTHER),
    ],
)
def test_the_class_is_read_from_the_name_of_the_kind(level: str, kind: str, name: str) -> None:
    assert class_of(Message("", level, kind)) == name


def test_errors_are_counted_by_class() -> None:
    found = [
        taken("routine", "idiom", "emergency", possible=True),
        taken("routine", "idiom", "urgent"),
        taken("routine", "pet", "routine"),
        taken("emergency", "stroke", "urgent"),
        taken("emergency", "stroke", "emergency"),
        taken("urgent", "urgent_ear", "emergency"),
        taken("urgent", "urgent_ear", "routine"),
    ]
    lines = [line.strip() for line in table(found)]
    assert len(lines) == 3 + len(CLASSES) + 1 + 1 + 1
    assert "idioms: 1 of 2 taken for an emergency, 1 as a possible one" in lines
    assert "animals: 0 of 1 taken for an emergency, 0 as a possible one" in lines
    assert "medical: 1 of 2 missed, 1 taken for urgent" in lines
    assert "other: 1 of 2 taken for routine" in lines


def test_each_message_has_its_times() -> None:
    seen: list[str] = []
    times = measured(seen.append, ["a", "b"])
    assert seen == ["a", "b"]
    assert times.passed.shape == times.processor.shape == (2,)
    [line] = time_table({"part": times})
    assert line.startswith("part: median ")
    assert "; processor median" in line


def test_sentences_that_are_not_read_alone_are_counted() -> None:
    message = "I have been thinking of ending my life. She uses a cream twice a day."
    assert left_out([message]) == "sentences left out: 1 of 2, 0 of them at 0.15 or more"


def test_a_page_counts_as_shown_from_the_threshold_on_and_as_right_if_it_fits() -> None:
    found = [
        ({"burns": 0.6, "none": 0.4}, "burns"),
        ({"burns": 0.6, "none": 0.4}, "none"),
        ({"burns": 0.4, "none": 0.6}, "burns"),
    ]
    assert pages_measured(found, 0.5) == ("3 messages, 2 with a page: shown for 2, the right one 1")
