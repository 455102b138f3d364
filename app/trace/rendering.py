"""The steps of a run as lines for a terminal."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.trace.runs import Step
from nodes.fields.codes import failed_check_text


def render(taken: Iterable[Step]) -> Iterator[str]:
    """The steps as lines for a terminal."""
    for number, step in enumerate(taken, 1):
        yield f"{number:>2}. {step['node']:<9} {step['ms']:>8.1f} ms"
        yield from (f"    {line}" for line in details(step))


def details(step: Step) -> Iterator[str]:
    """The input, the output and the next step of a step, as lines."""
    for key, value in step["inputs"].items():
        yield from _lines("<", key, value)
    for key, value in step["update"].items():
        if not value and step["node"] == "screen":
            continue  # cleared values of the previous turn
        yield from _lines(">", key, value)
    if step["to"]:
        yield f"  → {step['to']}: {step['why']}"


def _lines(sign: str, key: str, value: Any) -> Iterator[str]:
    """An entry of the state, as lines; ``sign`` says whether a step received or returned it."""
    if key in ("hits", "selected"):
        yield f"{sign} {key}: {len(value)} passages"
        yield from _hits(value if sign == ">" else [])
    elif key == "draft":
        yield from (f"{sign} {line}" for line in _draft(value))
        if value["statements"]:
            yield from _statements(sign, value["statements"])
    elif key == "dropped":
        for item in value:
            span = f"[{item['start']}:{item['end']}]" if "start" in item else ""
            what = "not quoted" if span else "not used"
            part = f" (question {item['part']})" if "part" in item else ""
            yield f"{sign} {what}: {item['passage']}{span}{part}, {item['why']}"
    elif key == "read":
        yield f"{sign} read: " + ", ".join(f"{i['id']} {i['relevance']:.2f}" for i in value)
    elif key == "rounds":
        yield f"{sign} rounds: " + ", ".join(f"{entry['score']:.2f}" for entry in value)
    elif key == "answer":
        summary = f"{value['outcome']} ({value['reason']}), {len(value['sources'])} sources"
        yield f"{sign} answer: {summary}"
        if (spent := value.get("usage", {}).get("total")) and spent["calls"]:
            yield f"{sign} chat models in all: {spending_line(spent)}"
    elif key == "calls":
        yield from (f"{sign} asked: {calls_line(entry)}" for entry in value)
    elif key == "messages":
        yield f"{sign} messages: {len(value)}"
    elif key == "recalled":
        yield f"{sign} recalled: {len(value)} memories"
        yield from (f"    {memory['id']}  {memory['score']}" for memory in value)
    elif key == "sub_questions":
        for number, question in enumerate(value, 1):
            yield f"{sign} question {number}: {_short(question['query'])}"
    elif key == "queries":
        yield f"{sign} query: {_short(value[-1])}"
    else:
        yield f"{sign} {key}: {_short(value)}"


def _hits(hits: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Found or selected passages: their places in the lists, and their scores."""
    for place, hit in enumerate(hits, 1):
        lists = ", ".join(
            f"{name} #{rank} ({hit['scores'][name]:.3f})" for name, rank in hit["ranks"].items()
        )
        extra = f"  relevance {hit['relevance']:.3f}" if "relevance" in hit else ""
        extra += f"  question {hit['part']}" if "part" in hit else ""
        yield f"    {place:>2}. {hit['id']}  fused {hit['score']:.5f}  {lists}{extra}"


def _draft(draft: Mapping[str, Any]) -> Iterator[str]:
    """A draft without its statements."""
    if draft.get("prompt"):
        prompt = draft["prompt"]
        yield (
            f"prompt: {' + '.join(prompt['files'])} {prompt['sha256'][:12]}, "
            f"{prompt['tokens']} tokens, left out: {', '.join(prompt['left_out']) or 'nothing'}"
        )
    if draft["problem"]:
        yield f"not used: {_short(draft['problem'])}"
    if draft["choice"] is not None:
        yield f"choice: {draft['choice']}"


def _statements(sign: str, statements: list[dict[str, Any]]) -> Iterator[str]:
    yield f"{sign} statements: {len(statements)}"
    for item in statements:
        chance = "–" if item["probability"] is None else f"{item['probability']:.2f}"
        failed = "; ".join(map(failed_check_text, item["failed"]))
        yield f"    {item['verdict']:<11} {chance}  {_short(item['text'], 70)}" + (
            f"  ({failed})" if failed else ""
        )
        by = f", checked by {item['checked_by']}" if item.get("checked_by") else ""
        yield f"                      cites {', '.join(item['citations']) or 'nothing'}{by}"


def _short(value: Any, most: int = 100) -> str:
    text = " ".join(
        (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split()
    )
    return text if len(text) <= most else text[: most - 1] + "…"


def calls_line(calls: Mapping[str, Any]) -> str:
    """The calls of chat models that a step made with one prompt, in one line."""
    model = f", by {calls['model']}" if calls.get("model") else ""
    asked = f"{' + '.join(calls['files']) or 'no prompt file'} {calls['sha256'][:12]}"
    return f"{asked}, {spending_line(calls)}{model}"


def spending_line(spent: Mapping[str, Any]) -> str:
    """Calls, tokens and price in one line; runs recorded by older versions lack some of them."""
    calls = "1 call" if spent["calls"] == 1 else f"{spent['calls']} calls"
    failed = f", {spent['failed']} failed" if spent["failed"] else ""
    cached = f", {spent['cached']} from the cache" if spent.get("cached") else ""
    about = "about " if spent["estimated"] else ""
    price = ""
    if spent.get("price") is not None and spent["calls"]:
        price = f", {spent['price']:.6f} {spent['currency']}"
    return (
        f"{calls}{failed}{cached}, "
        f"{about}{spent['prompt_tokens']} tokens of prompt and {spent['reply_tokens']} of reply"
        f"{price}"
    )
