"""The page's part for experts: waiting questions, and decisions on them [M9]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from anamnesis import SettingError
from anamnesis.memory.questions import Question
from app.experts import deciding
from app.server.recording import graph, paged
from app.users import audit
from app.users.audit import named
from app.users.identity import role_of
from app.web.handlers import Handlers, actor_of, guarded, identity
from app.web.markup import Markup, html, joined, notice
from nodes.context import Context

ROLES = ("expert", "operator")


@dataclass(frozen=True)
class Experts:
    """The handlers of the experts' tab, with the settings and the rule of the page."""

    page: Handlers

    @property
    def served(self) -> bool:
        """Whether people other than the operator see the page."""
        return self.page.served

    def who(self, name: str | None, request: gr.Request) -> str | None:
        """The name of an authenticated expert or operator, or the typed name on a page whose
        visitors
        enter their names; None for everybody else.
        """
        user = self.page.user(name, request)
        if identity(request) is None:
            return user
        scope = request.request.scope if request.request else {}
        return user if role_of(scope["user"]) in ROLES else None

    def arrive(self, request: gr.Request) -> Any:
        """The tab, visible to experts and operators only."""
        if identity(request) is None:
            return gr.skip()
        return gr.update(visible=self.who(None, request) is not None)

    @guarded
    def listed(self, name: str | None, request: gr.Request) -> str:
        """The waiting questions."""
        expert = self.who(name, request)
        if expert is None:
            hint = "Write your name at the top." if self.page.typed_names else "Your role is asker."
            return str(notice("quiet", "This part is for experts", hint))
        audit.record("read", "questions", actor=actor_of(expert, request))
        return str(questions_html(deciding.questions().all("waiting")))

    @guarded
    def act(self, name: str | None, request: gr.Request, event: gr.EventData) -> str:
        """Apply a button's decision to a question. Returns the questions that still wait."""
        expert = self.who(name, request)
        if expert is None:
            raise SettingError("only an expert decides on questions")
        data: dict[str, Any] = event._data or {}
        act, question = str(data.get("act")), str(data.get("id", ""))
        with audit.recorded("change", named("question", question), actor=actor_of(expert, request)):
            if act == "dismiss":
                deciding.dismiss(question, expert)
            elif act in ("note", "again"):
                context = self.page.rule(Context.model_validate(dict(self.page.context)))
                ask = deciding.asking(paged if self.served else graph, context)
                if act == "again":
                    deciding.again(question, expert, ask)
                else:
                    deciding.note(question, expert, str(data.get("text", "")), {}, ask)
            else:
                raise SettingError(f"there is no action {act!r} on questions")
        return str(questions_html(deciding.questions().all("waiting")))


def questions_html(questions: Sequence[Question]) -> Markup:
    """The waiting questions, each with a field for a note and the buttons."""
    if not questions:
        return html('<p class="none" role="status">No question waits for an expert.</p>')
    return html('<ul class="memories">{}</ul>', joined(_waiting(item) for item in questions))


def _waiting(question: Question) -> Markup:
    times = f", asked {question.times} times" if question.times > 1 else ""
    return html(
        '<li data-id="{id}"><p class="kind">{why}{times} · <time datetime="{at}">{day}</time></p>'
        '<p class="text">{text}</p><details class="edit"><summary>What was answered</summary>'
        '<p class="text">{answer}</p></details>'
        '<textarea rows="3" aria-label="Note for everybody who asks this"></textarea>'
        '<div class="actions"><button type="button" data-act="note">Write note</button>'
        '<button type="button" data-act="again">Ask again</button>'
        '<button type="button" data-act="dismiss" class="danger">Dismiss</button></div></li>',
        id=question.id,
        why={"abstained": "Not answered", "rated wrong": "Rated wrong"}[question.why],
        times=times,
        at=question.created.isoformat(),
        day=f"{question.created:%d %B %Y}".lstrip("0"),
        text=question.text,
        answer=question.answer,
    )
