"""What experts see of an answer that was given to a user [M9]."""

from typing import cast

from nodes.state import Answer, Urgency
from nodes.writing.render import render

_CALM: Urgency = {"level": "routine", "kind": "", "crisis": False, "why": ""}


def for_experts(answer: Answer) -> str:
    """The text of an answer without what it says of its user: their consent is to the question.

    Left out are notes, which may quote earlier questions, warnings from their profile, recalled
    memories, and what a draft states without support.
    """
    statements = [{**own, "warnings": []} for own in answer["statements"]]
    bare = {**answer, "statements": statements, "notes": [], "memories": [], "withheld": []}
    return render(cast(Answer, bare), _CALM)
