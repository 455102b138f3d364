"""What experts see of an answer: nothing that it says of its user."""

from typing import Any, cast

from nodes.state import Answer
from nodes.writing.for_experts import for_experts
from retrievers.filter import Filter


def test_what_is_said_of_the_user_is_left_out_and_the_answer_is_not() -> None:
    warning = {"text": "You said that you are allergic to penicillin."}
    statement = {
        "text": "Amoxicillin is used for otitis.",
        "citations": [],
        "verdict": "supported",
        "conflict": None,
        "warnings": [warning],
    }
    near = {"title": "Otitis", "source": "Test", "url": "", "sentence": "Otitis hurts."}
    other = {**near, "sentence": "Amoxicillin helps.", "warnings": [warning]}
    answer: dict[str, Any] = {
        "outcome": "answered",
        "reason": "supported",
        "statements": [statement],
        "warnings": [warning],
        "notes": ["Your question “What is HIV?” was answered before."],
        "memories": [{"text": "The user said: “I am pregnant”.", "scope": "private"}],
        "withheld": [{**statement, "text": "You have HIV.", "near": near}],
        "verdict": None,
        "choice": None,
        "parts": [],
        "sources": [],
        "confidence": {"support": None, "relevance": None},
        "advice": [],
        "alternatives": [other],
    }
    shown = for_experts(cast(Answer, answer), Filter())
    assert shown.startswith("Amoxicillin is used for otitis.")
    assert "- Otitis (Test): “Amoxicillin helps.”" in shown
    assert "allergic" not in shown
    assert "HIV" not in shown
    assert answer["statements"][0]["warnings"]
    # Where there are no users, and where the user has no groups, nothing else is left out.
    assert for_experts(cast(Answer, answer), None) == shown
    assert for_experts(cast(Answer, answer), Filter(access=None)) == shown
    hidden = for_experts(cast(Answer, answer), Filter(access=("ward",)))
    assert "Amoxicillin" not in hidden
    assert "access groups" in hidden
