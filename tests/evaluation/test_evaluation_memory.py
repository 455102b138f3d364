"""Recall of memories measured on scripted recallers."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from anamnesis.errors import SettingError
from evaluation.conversations import Conversation, read_conversations
from evaluation.memory import MemoryResult, Recaller, evaluate_memory, exchanges
from evaluation.report import memory_text
from evaluation.results import Execution
from tests.fakes import count_words

[CLINIC] = read_conversations(
    Path(__file__).parents[2] / "docs" / "examples" / "conversations.jsonl"
)


def measured(**recallers: Recaller) -> MemoryResult:
    def keep(conversation: Conversation, texts: Sequence[str]) -> Mapping[str, Recaller]:
        assert len(texts) == len(conversation.turns)
        return recallers

    return evaluate_memory([CLINIC], keep, count_words, Execution(resamples=50))


def test_a_memory_is_a_turn_with_the_one_before_it_in_its_session() -> None:
    found = exchanges(CLINIC)
    assert found[0] == (f"Ann: {CLINIC.turns[0].text}", CLINIC.turns[:1])
    assert found[1][1] == CLINIC.turns[:2]
    assert found[1][0].splitlines()[1].startswith("Bea: Good morning.")
    assert found[5][1] == CLINIC.turns[5:6]  # the first of its session


def test_the_share_of_the_turns_that_were_recalled_by_hand() -> None:
    # Memory 4 has the turns D1:4 and D1:5, memory 6 has D2:1 and D2:2, memory 0 has D1:1.
    result = measured(none=lambda question: [], some=lambda question: [4, 6, 0])
    some = {name: estimate.mean for name, estimate in result.methods["some"].items()}
    assert some["recall@2"] == pytest.approx((1 + 0 + 1 / 2) / 3)
    assert some["recall@5"] == some["recall@10"] == pytest.approx((1 + 0 + 1) / 3)
    texts = [text for text, _ in exchanges(CLINIC)]
    assert some["tokens"] == sum(count_words([texts[place] for place in (4, 6, 0)]))
    assert result.methods["no memory"] == result.methods["none"]
    assert result.methods["no memory"]["recall@10"] == (0, 0, 0)
    assert result.methods["all of it"]["recall@2"] == (1, 1, 1)
    assert result.methods["all of it"]["tokens"].mean == sum(
        count_words([f"{turn.speaker}: {turn.text}" for turn in CLINIC.turns])
    )
    assert (result.used, result.excluded, result.unanswerable, result.memories) == (3, 0, 1, 8)
    assert [row["conversation"] for row in result.rows] == ["clinic"] * 3
    assert list(result.comparisons) == [("none", "some")]
    assert result.comparisons["none", "some"].difference.mean == pytest.approx(2 / 3)


def test_what_was_found_in_a_killed_run_is_not_asked_again() -> None:
    calls: list[str] = []

    def keep(conversation: Conversation, texts: Sequence[str]) -> Mapping[str, Recaller]:
        def recall(question: str) -> list[int]:
            calls.append(question)
            return [4, 6, 0]

        return {"own": recall}

    rows: dict[str, Any] = {}
    whole = evaluate_memory([CLINIC], keep, count_words, Execution(resamples=50, kept=rows))
    assert (len(calls), sorted(rows)) == (3, ["1", "2", "3"])
    del rows["3"]
    rows = json.loads(json.dumps(rows))
    again = evaluate_memory([CLINIC], keep, count_words, Execution(resamples=50, kept=rows))
    assert calls[3:] == calls[2:3]
    assert again.methods == whole.methods
    # Nothing is kept again where nothing is left to ask.
    evaluate_memory([CLINIC], lambda *given: 1 / 0, count_words, Execution(resamples=50, kept=rows))  # type: ignore[arg-type, return-value]


def test_the_report_has_every_row_and_the_differences() -> None:
    text = memory_text(measured(a=lambda question: [0], b=lambda question: [7]))
    assert text.startswith("3 questions on 8 memories, 0 more without evidence, 1 without")
    for row in ("no memory", "a ", "b ", "all of it", "b − a"):
        assert f"\n{row}" in text


def test_without_questions_nothing_is_measured() -> None:
    with pytest.raises(SettingError, match="no question"):
        evaluate_memory([CLINIC._replace(questions=[])], lambda *given: {}, count_words)
