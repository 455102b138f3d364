"""The routes for questions to experts: those of their users, and those of experts [M9].

Experts see a question and its answer, but not the user.
"""

from typing import Any

from starlette.exceptions import HTTPException

from anamnesis import SettingError
from anamnesis.memory.questions import Question
from app.experts import deciding
from app.server.endpoints import Handler, NotFoundError, UserRequest, text_of, user_of
from app.server.recording import for_all, paged
from app.users.tokens import DECIDING
from nodes.policy import apply_policy, served_index
from nodes.settings.context import Context
from nodes.state import Answer
from nodes.writing.for_experts import for_experts

_STATES = ("waiting", "answered", "dismissed")
_DECISIONS = ("note", "approve", "dismiss", "again")


def rated_wrong(request: UserRequest, answer: Answer) -> None:
    """Queue the question of an answer that its user rated wrong.

    Emergencies, and answers that quote the user's own words, are not queued.
    """
    if request.user and answer["outcome"] != "urgent" and answer["reason"] != "remembered":
        shown = for_experts(answer, request.readable)
        deciding.questions().ask(request.user, answer["query"], "rated wrong", shown)


def check_consent() -> None:
    """Raise SettingError unless the policy permits callers to queue questions for experts."""
    apply_policy(Context.model_validate({"memory": {"ask_experts": True}}))


def questions_of(user: str) -> list[dict[str, Any]]:
    """The questions of a user, as JSON."""
    return [item.model_dump(mode="json") for item in deciding.questions().of(user)]


def _questions(request: UserRequest) -> list[dict[str, Any]]:
    """The user's questions to experts, waiting or decided, newest first."""
    return questions_of(user_of(request))


def _delete(request: UserRequest) -> dict[str, Any]:
    """Delete one of the user's questions, with every byte of its text."""
    user = user_of(request)
    try:
        return {"questions": deciding.questions().delete(user, [request.path["id"]])}
    except SettingError as error:
        raise NotFoundError(str(error)) from error


def _waiting(request: UserRequest) -> list[dict[str, Any]]:
    """The questions for experts, most frequent first: ``?state=waiting|answered|dismissed``."""
    _expert(request)
    state = request.query.get("state", "waiting")
    if state not in _STATES:
        raise SettingError(f"state is one of {', '.join(_STATES)}, not {state!r}")
    return [deciding.for_experts(item) for item in deciding.questions().all(state)]  # type: ignore[arg-type]


def _decide(request: UserRequest) -> dict[str, Any]:
    """Decide on a question, and ask it again: one of ``{"note": "…", "audience": {…}}``,
    ``{"approve": "COLLECTION"}``, ``{"again": true}`` and ``{"dismiss": true}``.
    """
    by, question = _expert(request), _question(request).id
    [decision, *more] = [name for name in _DECISIONS if name in request.body] or [""]
    if not decision or more:
        raise SettingError(f"send one of {', '.join(_DECISIONS)}")
    if decision == "dismiss":
        return deciding.for_experts(deciding.dismiss(question, by))
    ask = deciding.ask_function(paged, apply_policy(Context.model_validate({})), for_all())
    if decision == "note":
        text, audience = text_of(request, "note"), _audience(request)
        decided = deciding.answer_with_note(question, by, text, audience, ask)
    elif decision == "approve":
        collection = text_of(request, "approve")
        decided = deciding.approve_document(question, by, collection, served_index(), ask)
    else:
        decided = deciding.ask_again(question, by, ask)
    return deciding.for_experts(decided)


def _write(request: UserRequest) -> dict[str, Any]:
    """Write an expert's note: ``{"text": "…", "audience": {"department": "lungs"}}``."""
    by = _expert(request)
    memory = deciding.write_note(by, text_of(request, "text"), _audience(request))
    return memory.model_dump(mode="json")


def _expert(request: UserRequest) -> str:
    """The deciding expert. Raises HTTPException 403 for anyone but an expert or an operator."""
    if request.role not in DECIDING:
        raise HTTPException(403, "this is for experts: anamnesis token add USER --role expert")
    return user_of(request)


def _question(request: UserRequest) -> Question:
    try:
        return deciding.questions().get(request.path["id"])
    except SettingError as error:
        raise NotFoundError(str(error)) from error


def _audience(request: UserRequest) -> dict[str, str]:
    audience = request.body.get("audience", {})
    texts = isinstance(audience, dict) and all(isinstance(item, str) for item in audience.values())
    if not texts:
        raise SettingError('send the audience as {"department": "lungs"}, or leave it out')
    return dict(audience)


HANDLERS: dict[tuple[str, str], Handler] = {
    ("GET", "/questions"): _questions,
    ("DELETE", "/questions/{id}"): _delete,
    ("GET", "/experts/questions"): _waiting,
    ("POST", "/experts/questions/{id}"): _decide,
    ("POST", "/experts/notes"): _write,
}
"""The handlers by method and path."""
