"""What the page does when somebody acts: the graph, the index and the memories behind it."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import gradio as gr

from anamnesis import AnamnesisError, SettingError
from anamnesis.paths import default_index
from app import trace
from app.web.answering import answer_html, progress_html
from app.web.comparing import columns_html, compare
from app.web.markup import notice
from app.web.memories import memories_html
from app.web.running import Run, run
from app.web.tracing import recorded, trace_html
from memory.opening import open_memories
from memory.store import Memories
from nodes.context import Context
from nodes.state import Input
from retrievers.index import open_index

_log = logging.getLogger(__name__)

LAST = "last"
"""The choice of the run that was made in this session."""


def _problem(error: Exception) -> str:
    """The error for a reader; what is none of ours goes to the log, for it may name anything."""
    if isinstance(error, AnamnesisError):
        return str(notice("error", "That did not work", str(error)))
    _log.error("the page could not be made", exc_info=error)
    return str(notice("error", "That did not work", "The log of the server says why."))


def _shown(make: Callable[..., str]) -> Callable[..., str]:
    """The handler, with a problem shown in the place of what it makes."""

    @wraps(make)
    def safe(*given: Any) -> str:
        try:
            return make(*given)
        except Exception as error:
            return _problem(error)

    return safe


def identity(request: gr.Request) -> str | None:
    """Who the request is from, if the server has authenticated it."""
    user = request.request.scope.get("user") if request.request else None
    return str(user.identity) if user is not None and user.is_authenticated else None


@dataclass(frozen=True)
class Handlers:
    """The page's handlers for settings of a run.

    With ``typed_names`` a visitor whom nobody has authenticated may say who they are: right only
    where all who reach the page are one person, or trust each other.
    """

    context: Mapping[str, Any]
    typed_names: bool = True

    def user(self, name: str | None, request: gr.Request) -> str | None:
        """Whose memories are meant: the authenticated identity, else the name if it counts."""
        who = identity(request)
        if who is None and self.typed_names:
            return (name or "").strip() or None
        return who

    def arrive(self, request: gr.Request) -> tuple[Any, Any]:
        """The fields for name and consent of a visitor whom the server knows; else as they are."""
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
        request: gr.Request,
    ) -> Iterator[tuple[str, Run | None]]:
        """The answer as it comes about, and in the end the run."""
        asked: Input = {"question": question or ""}
        if chosen := [line.strip() for line in (options or "").splitlines() if line.strip()]:
            asked["options"] = chosen
        user = self.user(name, request)
        context = {**self.context, "user": user, "remember": bool(user and consent)}
        try:
            for moment in run(asked, context):
                if moment.run is None:
                    yield str(progress_html(moment.steps, moment.draft)), None
                else:
                    yield str(answer_html(moment.run["answer"])), moment.run
        except Exception as error:
            yield _problem(error), None

    @_shown
    def compare(self, question: str | None) -> str:
        """The columns of the four ways to search."""
        if not question or not question.strip():
            raise SettingError("there is no question: write one, or take an example")
        context = Context(**self.context)
        index = open_index(Path(context.index) if context.index else default_index())
        return str(columns_html(compare(index, question, context.reranker)))

    def runs(self, last: Run | None, request: gr.Request) -> Any:
        """The runs there are to see: the session's last one, and those recorded on this machine.

        An authenticated user sees no recorded ones: they may be another's.
        """
        own = [(f"{last['question']} – just asked", LAST)] if last else []
        there = recorded() if identity(request) is None and self.typed_names else []
        choices = [*own, *there]
        return gr.update(choices=choices, value=choices[0][1] if choices else None)

    @_shown
    def trace(self, chosen: str | None, last: Run | None, request: gr.Request) -> str:
        """The run that was chosen."""
        if chosen == LAST and last:
            return str(trace_html(last["question"], last["context"], last["steps"]))
        there = recorded() if identity(request) is None and self.typed_names else []
        if chosen not in [run for _, run in there]:
            return str(notice("quiet", "No run to show", "Ask a question first."))
        first, steps = trace.read(chosen)
        return str(trace_html(first["question"], first["context"], steps))

    @_shown
    def memories(self, name: str | None, last: Run | None, request: gr.Request) -> str:
        """What is remembered of the visitor."""
        user = self.user(name, request)
        if user is None:
            told = "Write your name at the top." if self.typed_names else "Sign in first."
            return str(notice("quiet", "Memories belong to somebody", told))
        return _listed(open_memories(), user, last)

    @_shown
    def act(
        self, name: str | None, last: Run | None, request: gr.Request, event: gr.EventData
    ) -> str:
        """Do to a memory what its button says; the memories that are left come back."""
        user = self.user(name, request)
        if user is None:
            raise SettingError("memories belong to somebody: say who you are")
        memories = open_memories()
        told: dict[str, Any] = event._data or {}
        match told.get("act"), str(told.get("id", "")):
            case "right", memory:
                memories.rate(user, memory, correct=True)
            case "wrong", memory:
                memories.rate(user, memory, correct=False)
            case "edit", memory:
                memories.edit(user, memory, str(told.get("text", "")))
            case "delete", memory:
                memories.delete(user, [memory])
            case "delete-all", _:
                memories.delete(user)
            case other, _:
                raise SettingError(f"there is no action {other!r} on memories")
        return _listed(memories, user, last)


def _listed(memories: Memories, user: str, last: Run | None) -> str:
    there = memories.all(user)
    used = {own["id"]: own["score"] for own in last["answer"]["memories"]} if last else {}
    found = [memory.model_dump(mode="json") for memory in there]
    export = {"user": user, "memories": found, "audit": memories.audit(user)}
    return str(memories_html(there, used, export))
