"""The page's part for experts: waiting questions, and decisions on them [M9]."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from anamnesis import AnamnesisError, SettingError
from anamnesis.language.text import written_date
from anamnesis.memory.questions import Question
from anamnesis.paths import index_at
from app.experts import deciding
from app.experts.reading import WaitingRecord, read
from app.server.recording import for_all, graph, paged
from app.users import audit
from app.users.audit import object_name
from app.users.identity import role_of
from app.users.tokens import DECIDING
from app.web.handlers import Handlers, actor_of, guarded
from app.web.markup import Markup, html, joined, notice
from app.web.visitors import identity
from nodes.settings.context import Context
from retrievers.review import WaitingCollection, waiting

MOST = 50
"""Records of a waiting collection that the page shows; `anamnesis review list` shows all."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Experts:
    """The handlers of the experts' tab, with the settings and the policy of the page."""

    page: Handlers

    @property
    def served(self) -> bool:
        """Whether people other than the operator see the page."""
        return self.page.served

    def who(self, name: str | None, request: gr.Request) -> str | None:
        """The name of an expert or operator; None for everybody else.

        It is the typed name on a page whose visitors enter their names.
        """
        user = self.page.user(name, request)
        if identity(request) is None:
            return user
        scope = request.request.scope if request.request else {}
        return user if role_of(scope["user"]) in DECIDING else None

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
        return self._list()

    @guarded
    def act(self, name: str | None, request: gr.Request, event: gr.EventData) -> str:
        """Apply a button's decision to a question. Returns the questions that still wait."""
        expert = self.who(name, request)
        if expert is None:
            raise SettingError("only an expert decides on questions")
        data: dict[str, Any] = event._data or {}
        act, question = str(data.get("act")), str(data.get("id", ""))
        with audit.recorded(
            "change", object_name("question", question), actor=actor_of(expert, request)
        ):
            if act == "dismiss":
                deciding.dismiss(question, expert)
            elif act in ("note", "again", "approve"):
                context, text = self._context(), str(data.get("text", ""))
                ask = deciding.ask_function(paged if self.served else graph, context, for_all())
                if act == "again":
                    deciding.ask_again(question, expert, ask)
                elif act == "approve":
                    where = index_at(context.index)
                    deciding.approve_document(question, expert, text, where, ask)
                else:
                    deciding.answer_with_note(question, expert, text, {}, ask)
            else:
                raise SettingError(f"there is no action {act!r} on questions")
        return self._list()

    def _context(self) -> Context:
        return self.page.policy(Context.model_validate(dict(self.page.context)))

    def _list(self) -> str:
        try:
            documents = waiting(index_at(self._context().index))
        except AnamnesisError as error:  # an engine without such documents, or a damaged file
            _log.warning("the page shows no documents that wait for approval: %s", error)
            documents = []
        return str(questions_html(deciding.questions().all("waiting"), documents))


def questions_html(
    questions: Sequence[Question], documents: Sequence[WaitingCollection] = ()
) -> Markup:
    """The waiting questions, each with a field for a note and the buttons; above them the
    collections that wait for approval, so that an expert can read what a button approves."""
    if not questions:
        return html('<p class="none" role="status">No question waits for an expert.</p>')
    names = [item.collection for item in documents]
    return html(
        '{}<ul class="memories">{}</ul>',
        joined(_documents(item) for item in documents),
        joined(_waiting(item, names) for item in questions),
    )


def _documents(collection: WaitingCollection) -> Markup:
    found = read(collection)
    more = len(found) - MOST
    return html(
        '<details class="edit"><summary>Waits for approval: {name}, {number} records, safety check '
        'failed by {failed}</summary><ul class="memories">{records}</ul>{more}</details>',
        name=collection.collection,
        number=len(found),
        failed=sum(bool(item.failed) for item in found),
        records=joined(_record(item) for item in found[:MOST]),
        more=html('<p class="none">… and {} more records.</p>', more) if more > 0 else "",
    )


def _record(item: WaitingRecord) -> Markup:
    failed = html('<p class="kind">Fails: {}</p>', ", ".join(item.failed)) if item.failed else ""
    heading = html('<p class="kind">{}</p>', item.heading) if item.heading else ""
    return html('<li>{}{}<p class="text">{}</p></li>', failed, heading, item.record.text)


def _approval(name: str) -> Markup:
    return html(
        '<button type="button" data-act="approve" data-text="{0}" data-sure="Add the records of '
        '{0} to the index?">Approve {0}</button>',
        name,
    )


def _waiting(question: Question, documents: Sequence[str]) -> Markup:
    times = f", asked {question.times} times" if question.times > 1 else ""
    return html(
        '<li data-id="{id}"><p class="kind">{why}{times} · <time datetime="{at}">{day}</time></p>'
        '<p class="text">{text}</p><details class="edit"><summary>What was answered</summary>'
        '<p class="text">{answer}</p></details>'
        '<textarea rows="3" aria-label="Note for everybody who asks this"></textarea>'
        '<div class="actions"><button type="button" data-act="note">Write note</button>'
        '<button type="button" data-act="again">Ask again</button>{approvals}'
        '<button type="button" data-act="dismiss" class="danger">Dismiss</button></div></li>',
        id=question.id,
        why={"abstained": "Not answered", "rated wrong": "Rated wrong"}[question.why],
        times=times,
        at=question.created.isoformat(),
        day=written_date(question.created),
        text=question.text,
        answer=question.answer,
        approvals=joined(_approval(name) for name in documents),
    )
