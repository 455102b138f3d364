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

OTHERS = 5
"""The maximum number of documents shown in addition to those of an answer."""


WHOLE = Filter(access=None)


class Run(TypedDict):
    """A finished run, with its settings.

    ``others`` are passages that its last search found in documents that its answer does not cite,
    one per document, best first.
    """

    question: str
    context: dict[str, Any]
    steps: list[Step]
    answer: Answer
    others: list[Passage]


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
        own = graph if self._policy is unchanged_settings else paged
        self._graph = own.copy({"checkpointer": InMemorySaver()})

    def ask(
        self, asked: Input, context: Mapping[str, Any], readable: Filter = WHOLE
    ) -> Iterator[Moment]:
        """The progress of a run, which uses ``readable`` documents; only the last item has ``run``.

        ``draft`` is unchecked: statements, or the words of a chat model as they arrive if
        ``stream_draft`` is set. Raises the errors of the graph.
        """
        settings = self._policy(Context(**context)).changed({"user": self.user})
        steps: list[tuple[str, int]] = []
        draft: list[str] = []
        checked: list[Streamed] = []
        words = urgent = ""
        events: list[dict[str, Any]] = []
        for mode, event in self._graph.stream(
            asked,
            {
                "configurable": {"thread_id": "page", READABLE: readable},
                "run_id": uuid4(),
                "metadata": self._metadata,
            },
            context=settings,
            stream_mode=["custom", "messages", "debug"],
            durability="exit",
        ):
            sent = cast(Any, event)
            if mode == "custom" and sent.get("type") == "statement":
                checked.append(sent)
            elif mode == "custom":
                steps.append((sent["step"], sent["round"]))
                words = ""
                if sent["step"] not in ("generate", "verify"):
                    draft = []
            elif mode == "messages":
                piece, about = sent
                if "draft" not in (about.get("tags") or ()):
                    continue
                words += piece.text
                shown = without_thoughts(words)
                draft = [shown] if shown else []
            else:
                events.append(sent)
                payload = sent["payload"]
                if sent["type"] == "task_result" and payload["name"] == "screen":
                    found = payload["result"].get("urgency")  # none if the step failed
                    if found and found.get("possible"):
                        urgent = possible_text(found["kind"], settings.triage.country)
                if sent["type"] != "task_result" or payload["name"] != "generate":
                    continue
                draft = [item["text"] for item in payload["result"]["draft"]["statements"]]
            yield Moment([*steps], [*draft], None, [*checked], urgent)
        taken = list(trace.steps(events))
        answer = cast(Answer, taken[-1]["gave"]["answer"])
        run: Run = {
            "question": answer["question"],
            "context": {**context, "user": self.user},
            "steps": taken,
            "answer": answer,
            "others": _other_passages(taken, answer, settings, readable),
        }
        self.runs.append(run)
        yield Moment(steps, [], run)


def _other_passages(
    steps: list[Step], answer: Answer, context: Context, readable: Filter
) -> list[Passage]:
    hits = [step["gave"]["hits"] for step in steps if step["node"] == "retrieve"]
    if not hits or not answer["statements"]:
        return []
    found = Parts(limits=readable).index(context).find([hit["id"] for hit in hits[-1]])
    cited = {source["id"] for source in answer["sources"]}
    first: dict[str, Passage] = {}
    for hit in hits[-1]:
        if hit["record_id"] not in cited and hit["id"] in found:
            first.setdefault(hit["record_id"], found[hit["id"]])
    return list(first.values())[:OTHERS]
