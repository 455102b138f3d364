"""The commands that run the graph: ask, chat, trace."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, cast

from anamnesis import AnamnesisError
from app.cli.streams import standard_input
from app.trace import diff as trace_diff
from app.trace import runs as trace
from app.trace.rendering import render
from app.users.audit import object_name, record
from graph import Context, graph
from graph.build import Graph
from nodes.state import Answer, Input


def ask(inputs: Input, context: dict[str, Any], *, as_json: bool, recorded: bool) -> int:
    """Ask, and print the answer. Returns 1 if there is no answer."""
    settings = Context(**context)
    if recorded:
        events = [*streamed(graph, inputs, settings, "debug")]
        taken = list(trace.steps(events))
        answer = cast(Answer, taken[-1]["update"]["answer"])
        _print_id(trace.record(inputs["question"], context, taken))
    else:
        *_, last = streamed(graph, inputs, settings, "values")
        answer = last["answer"]
    print(json.dumps(answer, ensure_ascii=False, indent=2) if as_json else answer["text"])
    return 1 if answer["outcome"] == "abstained" else 0


def chat(context: dict[str, Any]) -> int:
    """Answer questions until an empty line or the end of input.

    Returns 2 if a question ended with an error, which is printed.
    """
    from langgraph.checkpoint.memory import InMemorySaver

    settings = Context(**context)
    threaded = graph.copy({"checkpointer": InMemorySaver()})
    typed = standard_input().isatty()
    if typed:
        print("Ask a medical question; an empty line ends the conversation.")
    status = 0
    while True:
        try:
            question = input("\n> " if typed else "")
        except EOFError:
            return status
        if not question.strip():
            return status
        thread = {"configurable": {"thread_id": "chat"}}
        try:
            *_, result = streamed(threaded, {"question": question}, settings, "values", thread)
        except AnamnesisError as error:  # the conversation is kept: another question may succeed
            print(f"anamnesis: {error}", file=sys.stderr)
            status = 2
            continue
        answer = result["answer"]
        if answer["query"] != answer["question"]:
            print(f"(understood as: {answer['query']})")
        print(answer["text"])


def streamed(
    asking: Graph,
    inputs: Input,
    settings: Context,
    mode: Literal["values", "debug"],
    config: Any = None,
) -> Iterator[dict[str, Any]]:
    """The events of a run in one stream mode; streamed statements are printed to standard error."""
    events: Any = asking.stream(inputs, config, context=settings, stream_mode=["custom", mode])
    for kind, event in events:
        if kind == mode:
            yield event
        elif event["type"] == "statement":
            print(statement_line(event), file=sys.stderr, flush=True)


def statement_line(item: Mapping[str, Any]) -> str:
    """A streamed statement as one line."""
    named = ", ".join(entry["title"] or entry["id"] for entry in item["evidence"])
    against = " – another source contradicts this" if item["conflict"] else ""
    return f"{item['verdict']}: {' '.join(item['text'].split())} ({named}){against}"


def traced(inputs: Input, context: dict[str, Any], *, as_jsonl: bool) -> int:
    """Ask, and print every step, then the answer."""
    taken = list(trace.steps(streamed(graph, inputs, Context(**context), "debug")))
    _print_steps(taken, as_jsonl)
    answer = taken[-1]["update"]["answer"]
    if not as_jsonl:
        print("\n" + answer["text"])
    return 1 if answer["outcome"] == "abstained" else 0


def show_trace(run: str | None, *, as_jsonl: bool) -> int:
    """Print a recorded run."""
    first, taken = trace.read(run)
    record("read", object_name("trace", first["run"]), owner=first["context"].get("user"))
    if not as_jsonl:
        print(f"{first['run']}: {first['question']}\nsettings: {json.dumps(first['context'])}\n")
    _print_steps(taken, as_jsonl)
    return 0


def diff_traces(first: str, second: str, *, as_json: bool) -> int:
    """Print the differences between two recorded runs."""
    found = trace_diff.diff(trace.read(first), trace.read(second))
    record("read", "traces")
    if as_json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
        return 0
    for line in trace_diff.render(found):
        print(line)
    return 0


def replay_trace(
    given: argparse.Namespace, settings: Callable[[dict[str, Any]], dict[str, Any]]
) -> int:
    """Repeat a recorded run from a step, record the new run, and print the differences."""
    from app.trace.replay import replay

    first, steps = trace.read(given.run_id)
    context = settings(first["context"])
    if context.get("memory.consent"):
        context["memory.consent"] = False  # a replay uses no memories
    taken = replay(
        steps, given.node, context, turn=given.round, query=given.query, without=given.without
    )
    whole = [*(step for step in steps if step["step"] < taken[0]["step"]), *taken]
    run = trace.record(first["question"], context, whole, replayed=given.run_id)
    _print_id(run)
    second = trace.head(run or "replayed", first["question"], context)
    for line in trace_diff.render(trace_diff.diff((first, steps), (second, whole))):
        print(line)
    return 0


def _print_id(run: str | None) -> None:
    message = f"recorded as {run}; see it with: anamnesis trace show {run}"
    if run is None:
        message = "not recorded: the user's data was deleted in the meantime"
    print(message, file=sys.stderr)


def _print_steps(taken: list[trace.Step], as_jsonl: bool) -> None:
    lines = (
        (json.dumps({**step, "state": None}, ensure_ascii=False) for step in taken)
        if as_jsonl
        else render(taken)
    )
    for line in lines:
        print(line)
