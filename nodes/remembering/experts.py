"""Which questions wait for an expert, and the notices for their users [M9]."""

from anamnesis.memory.questions import Question
from nodes.fields.recalled import Notice
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import Answer, State

_UNANSWERED = frozenset(("no_evidence", "weak_evidence", "not_found", "unsupported", "undecided"))


def should_queue(answer: Answer, context: Context) -> bool:
    """Whether a question is queued: unanswered, and its user agreed to storing and showing it."""
    agreed = context.memory.consent and context.memory.ask_experts
    return agreed and answer["outcome"] == "abstained" and answer["reason"] in _UNANSWERED


def queue_question(state: State, answer: str, user: str, parts: Parts) -> None:
    """Queue the question for an expert, in the rewritten form, with the answer."""
    requested_at = state.get("requested_at")
    parts.questions().ask(user, state["queries"][0], "abstained", answer, requested_at)


def notices_of_decisions(user: str, parts: Parts) -> list[Notice]:
    """A note on each question of the user that an expert has answered since the last answer."""
    return [
        {"id": item.id, "note": _note(item)}
        for item in parts.questions().of(user)
        if item.state == "answered" and not item.seen
    ]


def _note(question: Question) -> str:
    if question.note:
        return f"An expert wrote on your question “{question.text}”: “{question.note}”"
    if question.document:
        return (
            f"An expert has approved a document for your question “{question.text}”: ask it again."
        )
    return f"An expert had your question “{question.text}” asked again: ask it to see the answer."
