import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from anamnesis.errors import CorpusError
from evaluation.conversations import read_conversations

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "conversations.jsonl"


def example() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(EXAMPLE.read_text("utf-8"))
    return found


def test_turns_and_questions_are_read_in_their_order() -> None:
    [conversation] = read_conversations(EXAMPLE)
    assert conversation.id == "clinic"
    assert [turn.id for turn in conversation.turns] == [
        "D1:1", "D1:2", "D1:3", "D1:4", "D1:5", "D2:1", "D2:2", "D2:3",
    ]  # fmt: skip
    first, photo = conversation.turns[0], conversation.turns[6]
    assert (first.speaker, first.session) == ("Ann", 1)
    assert first.when == datetime(2025, 3, 3, 9, 15, tzinfo=UTC)
    assert photo.text.endswith("hurt less. [photo: a photo of a swimming pool]")
    assert [question.evidence for question in conversation.questions] == [
        {"D1:5"}, {"D2:3"}, {"D1:1", "D2:2"},
    ]  # fmt: skip
    assert (conversation.excluded, conversation.unanswerable) == (0, 1)


def test_what_the_conversation_does_not_answer_is_left_out_though_it_names_turns(
    tmp_path: Path,
) -> None:
    one = example()
    trap = {"question": "Which tablets does Bea take?", "evidence": ["D1:5"]}
    asked = [*one["qa"][:1], {**one["qa"][1], "evidence": []}, trap, {**trap, "answer": ""}]
    file = tmp_path / "traps.jsonl"
    file.write_text(json.dumps({**one, "qa": asked}))
    [conversation] = read_conversations(file)
    assert [question.text for question in conversation.questions] == [one["qa"][0]["question"]]
    assert (conversation.excluded, conversation.unanswerable) == (1, 2)


def test_sessions_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    one = example()
    conversation = one["conversation"]
    for name in ("session_10", "session_10_date_time"):
        conversation[name] = conversation.pop(name.replace("10", "1"))
    file = tmp_path / "list.json"
    file.write_text(json.dumps([one]))
    assert [turn.session for turn in read_conversations(file)[0].turns] == [2] * 3 + [10] * 5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"conversation": []}, "'conversation'"),
        ({"qa": {}}, "'qa'"),
        ({"qa": ["what?"]}, "not an object"),
        ({"sample_id": " "}, "empty sample_id"),
        ({"conversation": {"session_1": "said"}}, "'session_1' is not a list"),
        ({"conversation": {"session_1": []}}, "'session_1_date_time' is not a time"),
        ({"conversation": {"session_1": [{}], "session_1_date_time": "1:00 pm on 1 May, 2025"}},
         "no field 'text'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps(example()) + "\n" + json.dumps({**example(), **change}) + "\n")
    with pytest.raises(CorpusError, match=f"line 2.*{said}"):
        read_conversations(file)


def test_questions_without_evidence_are_no_measure(tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text(json.dumps({**example(), "qa": []}))
    with pytest.raises(CorpusError, match="no question"):
        read_conversations(file)
    file.write_text("{")
    with pytest.raises(CorpusError, match="JSON"):
        read_conversations(file)
