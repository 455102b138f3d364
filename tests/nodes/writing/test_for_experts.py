"""What experts see of an answer: nothing that it says of its user."""

from typing import Any, cast

from nodes.state import Answer
from nodes.writing.for_experts import for_experts


def test_what_is_said_of_the_user_is_left_out_and_the_answer_is_not() -> None:
    statement = {
        "text": "Amoxicillin is used for otitis.",
        "citations": [],
        "verdict": "supported",
        "conflict": None,
        "warnings": [{"text": "You said that you are allergic to penicillin."}],
    }
    near = {"title": "Otitis", "source": "Test", "sentence": "Otitis hurts."}
    answer: dict[str, Any] = {
        "outcome": "answered",
        "reason": "supported",
        "statements": [statement],
        "notes": ["Your question “What is HIV?” was answered before."],
        "memories": [{"text": "The user said: “I am pregnant”.", "scope": "private"}],
        "withheld": [{**statement, "text": "You have HIV.", "near": near}],
        "verdict": None,
        "choice": None,
        "parts": [],
        "sources": [],
        "advice": [],
        "alternatives": [],
    }
    assert for_experts(cast(Answer, answer)) == "Amoxicillin is used for otitis."
    assert answer["statements"][0]["warnings"]
