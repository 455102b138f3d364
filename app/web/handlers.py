"""The page's event handlers, which use the graph, the index and the memories."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import gradio as gr

from anamnesis import AnamnesisError, AuditError, SettingError
from anamnesis.memory.opening import open_memories
from anamnesis.memory.questions import Questions
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from anamnesis.paths import index_at
from anamnesis.shown_errors import for_others
from app.server import durable
from app.server.auditing import REFUSED
from app.server.quotas import quotas
from app.server.recording import unchanged_settings
from app.trace import runs as trace
from app.trace.forgetting import forget_traces
from app.users import audit
from app.users.audit import Actor, object_name
from app.web.answering import conversation_html
from app.web.comparing import columns_html, compare
from app.web.examples import USUAL, examples
from app.web.markup import notice
from app.web.memories import memories_html
from app.web.progress import progress_html
from app.web.running import Conversation, Run
from app.web.tracing import recorded, trace_html
from app.web.visitors import identity, readable
from graph.step import ApplyPolicy
from nodes.policy import open_settings
from nodes.settings.context import Context
from nodes.state import Input
from retrievers.filter import Filter, filtered
from retrievers.opening import open_corpus

_log = logging.getLogger(__name__)


def _problem(error: Exception, served: bool) -> str:
    """The error message for a visitor.

    Errors of other programs go only to the log, because they may contain anything.
    ``served``: the visitor may be somebody other than the operator.
    """
    if isinstance(error, AnamnesisError) and not isinstance(error, AuditError):
        shown = for_others(error) if served else error
        return str(notice("error", "That did not work", str(shown)))
    _log.error("the page could not be made", exc_info=error)
    why = REFUSED if isinstance(error, AuditError) else "The log of the server says why."
    return str(notice("error", "That did not work", why))


def guarded(make: Callable[..., str]) -> Callable[..., str]:
    """The handler; an error is shown instead of its result."""

    @wraps(make)
    def safe(self: Any, *given: Any) -> str:
        try:
            return make(self, *given)
        except Exception as error:
            return _problem(error, self.served)

    return safe


@dataclass(frozen=True)
class Handlers:
    """The page's handlers for settings of a run.

    With ``typed_names`` an unauthenticated visitor may enter a name: use it only if everybody who
    reaches the page may see all memories. ``policy`` applies the policy to the settings.
    """

    context: Mapping[str, Any]
    typed_names: bool = True
    policy: ApplyPolicy = unchanged_settings

    @property
    def served(self) -> bool:
        """Whether people other than the operator see the page."""
        return self.policy is not unchanged_settings

    def user(self, name: str | None, request: gr.Request) -> str | None:
        """The user whose memories are used: the authenticated identity, or a permitted typed
        name.
        """
        who = identity(request)
        if who is None and self.typed_names:
            return (name or "").strip() or None
        return who

    def arrive(self, request: gr.Request) -> tuple[Any, Any]:
        """The fields for name and consent; an authenticated visitor's name is fixed."""
        who = identity(request)
        if who is None:
            return gr.skip(), gr.skip()
        return gr.update(value=who, interactive=False, visible=True), gr.update(visible=True)

    def ask(
        self,
        question: str | None,
        options: str | None,
        name: str | None,
        consent: bool,
        talk: Conversation | None,
        request: gr.Request,
    ) -> Iterator[tuple[str, Conversation, Any, Any]]:
        """The growing answer, above the previous turns.

        Also the conversation, the emptied question field, and the button that starts a new
        conversation.
        """
        inputs: Input = {"question": question or ""}
        if chosen := [line.strip() for line in (options or "").splitlines() if line.strip()]:
            inputs["options"] = chosen
        user = self.user(name, request)
        known = identity(request) is not None
        talk = _own_talk(talk, user) or Conversation(user, known, self.policy)
        there = gr.update(visible=True)
        try:
            host = request.client.host if request and request.client else ""
            with quotas().running(user or f"address {host}"):
                for moment in talk.ask(
                    inputs,
                    {**self.context, "memory.consent": bool(user and consent)},
                    readable(request, self.typed_names),
                ):
                    if moment.run is None:
                        progress = progress_html(
                            moment.steps, moment.draft, moment.checked, moment.urgent
                        )
                        page = str(progress + conversation_html([], talk.runs))
                        yield page, talk, gr.skip(), there
                    else:
                        shown = str(conversation_html(talk.runs[-1:], talk.runs[:-1]))
                        yield shown, talk, gr.update(value=""), there
        except Exception as error:
            yield (
                _problem(error, self.served) + str(conversation_html([], talk.runs)),
                talk,
                gr.skip(),
                gr.skip(),
            )

    def anew(self) -> tuple[str, None, Any, Any, Any]:
        """No answer, no conversation, empty fields for question and options, and no button."""
        return "", None, gr.update(value=""), gr.update(value=""), gr.update(visible=False)

    @guarded
    def compare(self, question: str | None, request: gr.Request) -> str:
        """The columns of the four search methods."""
        if not question or not question.strip():
            raise SettingError("there is no question: write one, or choose an example")
        context = self.policy(Context(**self.context))
        permitted = readable(request, self.typed_names)
        index = filtered(open_corpus(index_at(context.index)), permitted)
        return str(columns_html(compare(index, question, context.retrieval.reranker, context)))

    def examples(self) -> list[str]:
        """Questions that the present index answers; the usual ones if it cannot be read."""
        try:
            context = self.policy(Context(**self.context))
            # They are the same for all visitors.
            return examples(filtered(open_corpus(index_at(context.index)), Filter()))
        except AnamnesisError as error:
            _log.warning("the page has the usual examples: %s", error)
            return list(USUAL)

    def _recorded(self, user: str | None, request: gr.Request) -> dict[str, Path]:
        """The files of the recorded runs that a user may see, by their labels in the list of runs.

        They are the user's own. A user who typed a name also sees this machine's runs without a
        user; an authenticated user does not, because they may be somebody else's.
        """
        folders = [trace.folder(user)] if user else []
        if self.typed_names and identity(request) is None:
            folders.append(trace.folder())
        return {label: path for folder in folders for label, path in recorded(folder)}

    def runs(self, name: str | None, talk: Conversation | None, request: gr.Request) -> Any:
        """The available runs: those of the conversation, and the user's recorded ones."""
        user = self.user(name, request)
        choices = [*_turns(_own_talk(talk, user)), *self._recorded(user, request)]
        return gr.update(choices=choices, value=choices[0] if choices else None)

    @guarded
    def trace(
        self, chosen: str | None, name: str | None, talk: Conversation | None, request: gr.Request
    ) -> str:
        """The chosen run."""
        user = self.user(name, request)
        if run := _turns(_own_talk(talk, user)).get(chosen or ""):
            return str(trace_html(run["question"], run["context"], run["steps"]))
        path = self._recorded(user, request).get(chosen or "")
        if path is None:
            return str(notice("quiet", "No run to show", "Ask a question first."))
        audit.record("read", object_name("trace", path.stem), actor=actor_of(user, request))
        first, steps = trace.read(str(path))
        context = open_settings(first["context"]) if self.served else first["context"]
        return str(trace_html(first["question"], context, steps))

    @guarded
    def memories(self, name: str | None, talk: Conversation | None, request: gr.Request) -> str:
        """The visitor's memories."""
        user = self.user(name, request)
        if user is None:
            message = "Write your name at the top." if self.typed_names else "Sign in first."
            return str(notice("quiet", "Memories belong to a user", message))
        audit.record("read", "memories", actor=actor_of(user, request))
        return _listed(open_memories(), user, _own_talk(talk, user))

    @guarded
    def act(
        self, name: str | None, talk: Conversation | None, request: gr.Request, event: gr.EventData
    ) -> str:
        """Apply a button's action to a memory. Returns the remaining memories."""
        user = self.user(name, request)
        if user is None:
            raise SettingError("memories belong to a user: enter your name")
        memories = open_memories()
        data: dict[str, Any] = event._data or {}
        act, memory = str(data.get("act")), str(data.get("id", ""))
        with audit.recorded(*_audit_entry(act, memory), actor=actor_of(user, request)):
            match act:
                case "right" | "wrong":
                    memories.rate(user, memory, correct=act == "right")
                case "edit":
                    memories.edit(user, memory, str(data.get("text", "")))
                case "add":
                    entry = Memory.entered(user, str(data.get("text", "")))
                    memories.add(user, [entry])
                case "delete":
                    memories.delete(user, [memory])
                case "delete-question":
                    Questions(memories.folder).delete(user, [memory])
                case "delete-all":
                    memories.delete(user)
                    forget_traces(user)
                    if conversation := _own_talk(talk, user):
                        conversation.forget()
                case other:
                    raise SettingError(f"there is no action {other!r} on memories")
            durable.flush()
        return _listed(memories, user, _own_talk(talk, user))


def actor_of(user: str | None, request: gr.Request) -> Actor:
    """The actor for the audit log."""
    if not user:
        return Actor("", "nobody")
    return Actor(user, "typed" if identity(request) is None else "user")


def _audit_entry(act: str, memory: str) -> tuple[str, str]:
    """The action of a button, for the audit log."""
    if act == "delete-all":
        return "delete", "memories"
    if act == "add":
        return "change", "profile"
    return "delete" if act == "delete" else "change", object_name("memory", memory)


def _own_talk(talk: Conversation | None, user: str | None) -> Conversation | None:
    """The conversation, if it is the user's; another name starts a new one."""
    return talk if talk is not None and talk.user == user else None


def _turns(talk: Conversation | None) -> dict[str, Run]:
    """The runs of a conversation, newest first, by their labels in the list of runs."""
    runs = talk.runs if talk else []
    return {
        f"{run['question']} – question {number} of this conversation": run
        for number, run in reversed([*enumerate(runs, 1)])
    }


def _listed(memories: Memories, user: str, talk: Conversation | None) -> str:
    there = memories.all(user)
    shaped = talk.runs[-1]["answer"]["memories"] if talk and talk.runs else []
    used = {item["id"]: item["score"] for item in shaped}
    found = [memory.model_dump(mode="json") for memory in there]
    questions = Questions(memories.folder).of(user)
    export = {
        "user": user,
        "memories": found,
        "questions": [item.model_dump(mode="json") for item in questions],
        "audit": memories.audit(user),
    }
    return str(memories_html(there, used, export, questions))
