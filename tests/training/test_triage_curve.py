"""The learning curve of the triage, on messages and vectors made by hand."""

from itertools import pairwise

import numpy as np
import pytest

from training.question_passages import Reading
from training.triage_curve import SHARES, curve, is_in, recognised


def test_a_smaller_share_is_part_of_a_larger_one() -> None:
    texts = [f"message {number}" for number in range(400)]
    kept = [{text for text in texts if is_in(text, share)} for share in SHARES]
    assert all(small <= large for small, large in pairwise(kept))
    assert kept[-1] == set(texts)
    assert 30 < len(kept[0]) < 70


def test_emergencies_above_nineteen_in_twenty_routine_messages_are_recognised() -> None:
    odds = np.array([*range(20), 18.5, 30.0, 1.0], float)
    levels = ["routine"] * 20 + ["emergency", "emergency", "urgent"]
    share, auroc = recognised(odds, levels)
    assert share == 1.0
    assert auroc == pytest.approx(39 / 40)
    assert recognised(np.array([*odds[:20], 5.0, 30.0, 1.0]), levels)[0] == 0.5


def test_each_share_has_a_line_for_each_set() -> None:
    messages = {
        "emergency": "he is not breathing",
        "urgent": "deep cut",
        "routine": "my knee clicks",
    }
    made = [
        Reading(f"{text} {number}", level=level)
        for number in range(60)
        for level, text in messages.items()
    ]
    vectors = np.array([np.eye(3)[list(messages).index(item.level or "")] for item in made])
    lines = list(curve(made, {"same": made}, [vectors, vectors]))
    assert len(lines) == len(SHARES)
    assert lines[-1].startswith("180 messages (1.000), same: words 1.000 (AUROC 1.000)")
    assert "both 1.000" in lines[-1]
