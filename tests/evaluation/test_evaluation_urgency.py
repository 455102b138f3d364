"""A triage that is scripted, and what is measured of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.topics import is_held_out_message
from anamnesis.errors import CorpusError, SettingError
from evaluation.page import section
from evaluation.results import Execution
from evaluation.urgency import Message, evaluate_urgency, read_messages
from nodes.state import Level, Urgency

MESSAGES = [
    Message("a emergency", "emergency", "stroke"),
    Message("b urgent", "emergency", "stroke"),
    Message("c routine", "emergency", "poisoning"),
    Message("d emergency", "emergency", "child"),
    Message("e urgent", "urgent", ""),
    Message("f emergency", "urgent", ""),
    Message("g routine", "urgent", ""),
    Message("h routine", "routine", ""),
    Message("i urgent", "routine", ""),
    Message("j emergency", "routine", ""),
    Message("k routine", "routine", ""),
]


def scripted(message: str) -> Urgency:
    """The level is the message's last word."""
    level: Level = next(text for text in ("emergency", "urgent", "routine") if text in message)  # type: ignore[assignment]
    return {"level": level, "kind": "", "why": "the script"}


def test_each_level_is_measured_by_itself() -> None:
    result = evaluate_urgency(MESSAGES, scripted, Execution(resamples=50))
    means = {name: estimate.mean for name, estimate in result.metrics.items()}
    assert means == pytest.approx(
        {"recall_emergency": 0.5, "recall_urgent": 2 / 3, "false_alarms": 0.25}
    )
    assert result.taken == {
        "emergency": {"emergency": 2, "urgent": 1, "routine": 1},
        "urgent": {"emergency": 1, "urgent": 1, "routine": 1},
        "routine": {"emergency": 1, "urgent": 1, "routine": 2},
    }
    assert result.missed == {
        "poisoning": {"emergencies": 1, "missed": 1},
        "stroke": {"emergencies": 2, "missed": 1},
        "child": {"emergencies": 1, "missed": 0},
    }
    assert result.rows[2] == {
        "text": "c routine", "level": "emergency", "kind": "poisoning", "taken": "routine",
        "why": "the script",
    }  # fmt: skip
    for metric in result.metrics.values():
        assert metric.low <= metric.mean <= metric.high


def test_a_level_that_does_not_occur_is_not_measured() -> None:
    reported: list[tuple[int, int]] = []
    routine = [message for message in MESSAGES if message.level == "routine"]
    result = evaluate_urgency(
        routine,
        scripted,
        Execution(resamples=50, progress=lambda *progress: reported.append(progress)),
    )
    assert set(result.metrics) == {"false_alarms"}
    assert (set(result.taken), result.missed, reported[-1]) == ({"routine"}, {}, (4, 4))
    with pytest.raises(SettingError, match="at least one"):
        evaluate_urgency([], scripted)


def test_the_page_counts_levels_and_missed_kinds() -> None:
    result = evaluate_urgency(MESSAGES, scripted, Execution(resamples=50)).to_json()
    configuration = {"command": "evaluate urgency", "messages": {"file": "m.jsonl", "used": 11}}
    found = section(
        "own",
        {
            **result,
            "protocol": "urgency",
            "configuration": configuration,
            "configuration_sha256": "0",
        },
    )
    assert ("messages", "m.jsonl (11)") in found.facts
    captions = {table.caption: table.rows for table in found.tables}
    assert captions["Levels of urgency"][1] == ["emergency", "2", "1", "1"]
    assert captions["Emergencies that were missed, by kind"][1:] == [
        ["poisoning", "1", "1"],
        ["stroke", "2", "1"],
    ]


def written(tmp_path: Path, *rows: Any) -> Path:
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_messages_that_were_trained_on_are_left_out(tmp_path: Path) -> None:
    texts = [f"message {number}" for number in range(60)]
    file = written(tmp_path, *({"text": text, "level": "routine"} for text in texts))
    kept = [message.text for message in read_messages(file, held_out=True)]
    assert kept == [text for text in texts if is_held_out_message(text)]
    assert 0 < len(kept) < 30 < len(read_messages(file)) == 60
    trained = next(text for text in texts if not is_held_out_message(text))
    file = written(tmp_path, {"text": trained, "level": "routine", "kind": "study"})
    assert read_messages(file) == [Message(trained, "routine", "study")]
    with pytest.raises(CorpusError, match=r"none of its 1 messages is held out.*--dev"):
        read_messages(file, held_out=True)


def test_the_case_of_a_message_does_not_change_whether_it_is_held_out() -> None:
    for number in range(30):
        text = f"Message {number}"
        assert is_held_out_message(text) == is_held_out_message(text.upper())


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"level": "urgent"}, "no field 'text'"),
        ({"text": "m"}, "no field 'level'"),
        ({"text": "m", "level": "grave"}, "unknown level 'grave' .levels are emergency, urgent"),
        ({"text": "", "level": "urgent"}, "empty text"),
        ({"text": "m", "level": "urgent", "kind": ["a"]}, "'kind' is not a text"),
        ("m", "not an object"),
    ],
)
def test_a_record_that_is_none_is_named(tmp_path: Path, row: Any, said: str) -> None:
    file = written(tmp_path, {"text": "m", "level": "urgent"}, row)
    with pytest.raises(CorpusError, match=f"own.jsonl, line 2: .*{said}.*Correct the record"):
        read_messages(file)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"own.jsonl: the file is empty"):
        read_messages(written(tmp_path))
