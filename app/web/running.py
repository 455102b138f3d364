"""Runs of the graph for the page: their progress, then the answer and the steps."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, cast
from uuid import uuid4

from langgraph.checkpoint.memory import InMemorySaver

from anamnesis.corpus.passage import Passage
from anamnesis.language.text import without_thoughts
from app.server.auditing import AUTHENTICATED
from app.server.recording import READABLE, graph, paged, unchanged_settings
from app.trace import runs as trace
from app.trace.runs import Step
from graph import Context
from graph.step import ApplyPolicy
from nodes.parts import Parts
from nodes.state import Answer, Input
from nodes.writing.render import possible_text
from nodes.writing.streamed import Streamed
from retrievers.filter import Filter

MOST_OTHER_PASSAGES = 5
"""The maximum number of documents shown in addition to those of an answer."""


WHOLE = Filter(access=None)


class Run(TypedDict):
    """A finished run, with its settings.

    ``other_passages`` are those that its last search found in documents that its answer does not
    cite, one per document, best first.
    """

    question: str
    context: dict[str, Any]
    steps: list[Step]
    answer: Answer
    other_passages: list[Passage]


class Moment(NamedTuple):
    """The progress of a run: its steps so far with their rounds, the draft, and the finished run.

    ``checked`` are the streamed statements, which stay in the answer. ``urgent`` is the note on a
    possible emergency, shown before anything is found.
    """

    steps: list[tuple[str, int]]
    draft: list[str]
    run: Run | None
    checked: Sequence[Streamed] = ()
    urgent: str = ""


class Conversation:
    """The turns of one user in a separate thread, which is kept in memory only.

    ``runs`` are the finished ones, newest last. Whether the server has ``authenticated`` the user
    is recorded in the audit log. ``policy`` applies the policy to the settings of each run.
    """

    def __init__(
        self,
        user: str | None,
        authenticated: bool = False,
        policy: ApplyPolicy = unchanged_settings,
    ) -> None:
        self.user = user
        self._metadata = {AUTHENTICATED: authenticated}
        self._policy = policy
        self.forget()

    def forget(self) -> None:
        """Start again without earlier turns."""
        self.runs: list[Run] = []
        graph_of_server = graph if self._policy is unchanged_settings else paged
        self._graph = graph_of_server.copy({"checkpointer": InMemorySaver()})

    def ask(
        self, inputs: Input, context: Mapping[str, Any], readable: Filter = WHOLE
    ) -> Iterator[Moment]:
        """The progress of a run, which uses ``readable`` documents; only the last item has ``run``.

        ``draft`` is unchecked: statements, or the words of a chat model as they arrive if
        ``stream_draft`` is set. Raises the errors of the graph.
        """
        settings = self._policy(Context(**context)).changed({"user": self.user})
        progress = _Progress(settings.triage.country)
        for mode, event in self._graph.stream(
            inputs,
            {
                "configurable": {"thread_id": "page", READABLE: readable},
                "run_id": uuid4(),
                "metadata": self._metadata,
            },
            context=settings,
            stream_mode=["custom", "messages", "debug"],
            durability="exit",
        ):
            if progress.changes(str(mode), cast(Any, event)):
                yield progress.moment()
        taken = list(trace.steps(progress.events))
        answer = cast(Answer, taken[-1]["update"]["answer"])
        run: Run = {
            "question": answer["question"],
            "context": {**context, "user": self.user},
            "steps": taken,
            "answer": answer,
            "other_passages": _other_passages(taken, answer, settings, readable),
        }
        self.runs.append(run)
        yield Moment(progress.steps, [], run)


class _Progress:
    """What the events of a run's streams have shown so far; see ``Moment``.

    ``events`` are those of the stream ``debug``, from which the steps are made.
    """

    def __init__(self, country: str | None) -> None:
        self.steps: list[tuple[str, int]] = []
        self.events: list[dict[str, Any]] = []
        self._country = country
        self._draft: list[str] = []
        self._checked: list[Streamed] = []
        self._words = self._urgent = ""

    def changes(self, mode: str, event: Any) -> bool:
        """Note an event; whether the page changes after it."""
        if mode == "custom" and event.get("type") == "statement":
            self._checked.append(event)
        elif mode == "custom":
            self.steps.append((event["step"], event["round"]))
            self._words = ""
            if event["step"] not in ("generate", "verify"):
                self._draft = []
        elif mode == "messages":
            piece, about = event
            if "draft" not in (about.get("tags") or ()):
                return False
            self._words += piece.text
            shown = without_thoughts(self._words)
            self._draft = [shown] if shown else []
        else:
            self.events.append(event)
            return event["type"] == "task_result" and self._note_result(event["payload"])
        return True

    def _note_result(self, step: Mapping[str, Any]) -> bool:
        """Note the result of a step; whether the page changes after it."""
        if step["name"] == "screen":
            found = step["result"].get("urgency")  # none if the step failed
            if found and found.get("possible"):
                self._urgent = possible_text(found["kind"], self._country)
        if step["name"] != "generate":
            return False
        self._draft = [item["text"] for item in step["result"]["draft"]["statements"]]
        return True

    def moment(self) -> Moment:
        """The progress now."""
        return Moment([*self.steps], [*self._draft], None, [*self._checked], self._urgent)


def _other_passages(
    steps: list[Step], answer: Answer, context: Context, readable: Filter
) -> list[Passage]:
    hits = [step["update"]["hits"] for step in steps if step["node"] == "retrieve"]
    if not hits or not answer["statements"]:
        return []
    found = Parts(limits=readable).index(context).find([hit["id"] for hit in hits[-1]])
    cited = {source["id"] for source in answer["sources"]}
    first: dict[str, Passage] = {}
    for hit in hits[-1]:
        if hit["record_id"] not in cited and hit["id"] in found:
            first.setdefault(hit["record_id"], found[hit["id"]])
    return list(first.values())[:MOST_OTHER_PASSAGES]
