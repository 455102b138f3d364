"""What changed between two recorded runs: settings, path, passages, statements, outcome.

Both runs are compared round by round. Only differences are listed.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from app.trace.rendering import calls_line
from app.trace.runs import Step

Run = tuple[Mapping[str, Any], Sequence[Step]]
"""A recorded run: its first line, and its steps."""


def diff(first: Run, second: Run) -> dict[str, Any]:
    """The differences as plain data; empty if the runs are equal except for timings.

    ``[a, b]`` are the values of the first and the second run. Keys: ``question``, ``settings`` by
    name, ``path`` (the names of the steps), ``calls`` of chat models by step and prompt,
    ``outcome`` (with its reason and choice), and ``rounds``: for each round that differs its
    ``query``, the ``hits`` of retrieval and the ``evidence`` selected from them (``gained``,
    ``lost``, and ``moved`` between ranks), and the ``statements`` (``gained``, ``lost``, and
    ``changed`` verdicts and probabilities).
    """
    from nodes.settings.context import Context
    from nodes.settings.names import flat

    (head, steps), (other_head, other_steps) = first, second
    nothing: dict[str, Any] = {}
    found: dict[str, Any] = {
        "question": _pair(head["question"], other_head["question"]),
        "settings": _changed(
            *(dict(flat(item["context"], Context, True)) for item in (head, other_head))
        ),
        "path": _pair([item["node"] for item in steps], [item["node"] for item in other_steps]),
        "calls": _changed(_calls(steps), _calls(other_steps)),
        "rounds": [
            changes
            for number, (one, other) in enumerate(
                zip_longest(_rounds(steps), _rounds(other_steps), fillvalue=nothing), 1
            )
            if (changes := {"round": number, **_round(one, other)}) != {"round": number}
        ],
        "outcome": _pair(_outcome(steps), _outcome(other_steps)),
    }
    return {key: value for key, value in found.items() if value}


def render(found: Mapping[str, Any]) -> Iterator[str]:
    """The differences as lines for a terminal."""
    if not found:
        yield "The runs are equal."
    if "question" in found:
        yield from _pair_lines("question", found["question"])
    for name, pair in found.get("settings", {}).items():
        yield from _pair_lines(f"setting {name}", pair)
    if "path" in found:
        yield from _pair_lines("path", [" → ".join(path) for path in found["path"]])
    for name, pair in found.get("calls", {}).items():
        yield from _pair_lines(f"asked in {name}", pair)
    for changes in found.get("rounds", ()):
        yield f"round {changes['round']}"
        if "query" in changes:
            yield from _pair_lines("  query", changes["query"])
        for name in ("hits", "evidence"):
            places = changes.get(name, {})
            yield from (f"  {name} + {key} (place {at})" for key, at in places.get("gained", ()))
            yield from (f"  {name} - {key} (place {at})" for key, at in places.get("lost", ()))
            for key, at, to in places.get("moved", ()):
                yield f"  {name}   {key}: place {at} → {to}"
        statements = changes.get("statements", {})
        for sign, kind in (("+", "gained"), ("-", "lost")):
            yield from (f"  {sign} {verdict}: {text}" for text, verdict in statements.get(kind, ()))
        for text, one, other in statements.get("changed", ()):
            yield f"  ~ {_verdict_of(one)} → {_verdict_of(other)}: {text}"
    if "outcome" in found:
        yield from _pair_lines("outcome", found["outcome"])


def _rounds(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """By round: query, ids of hits and of evidence in order, judgements by statement."""
    rounds: list[dict[str, Any]] = []
    for step in steps:
        inputs, update = step["inputs"], step["update"]
        if step["node"] == "retrieve":
            query = (inputs.get("queries") or [""])[-1]
            rounds.append({"query": query, "hits": [hit["id"] for hit in update.get("hits", ())]})
        elif step["node"] == "rerank" and rounds:
            rounds[-1]["evidence"] = [item["id"] for item in update.get("selected", ())]
        elif step["node"] == "verify" and rounds:
            rounds[-1]["statements"] = {
                item["text"]: (item["verdict"], item["probability"])
                for item in update.get("draft", {}).get("statements", ())
            }
    return rounds


def _calls(steps: Sequence[Step]) -> dict[str, str]:
    """The calls of chat models by step and prompt, for each time that the step ran."""
    calls: dict[str, list[str]] = {}
    for step in steps:
        for item in step["update"].get("calls", ()):
            calls.setdefault(f"{step['node']} {' + '.join(item['files'])}", []).append(
                calls_line(item)
            )
    return {name: "; ".join(lines) for name, lines in calls.items()}


def _round(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    found = {
        "query": _pair(one.get("query"), other.get("query")),
        "hits": _places(one.get("hits", ()), other.get("hits", ())),
        "evidence": _places(one.get("evidence", ()), other.get("evidence", ())),
        "statements": _statements(one.get("statements", {}), other.get("statements", {})),
    }
    return {key: value for key, value in found.items() if value}


def _places(one: Sequence[str], other: Sequence[str]) -> dict[str, Any]:
    """The ids that were gained, lost or moved, with ranks from 1."""
    at = {key: place for place, key in enumerate(one, 1)}
    to = {key: place for place, key in enumerate(other, 1)}
    found = {
        "gained": [[key, to[key]] for key in other if key not in at],
        "lost": [[key, at[key]] for key in one if key not in to],
        "moved": [[key, at[key], to[key]] for key in one if key in to and at[key] != to[key]],
    }
    return {key: value for key, value in found.items() if value}


def _statements(
    one: Mapping[str, tuple[str, float | None]], other: Mapping[str, tuple[str, float | None]]
) -> dict[str, Any]:
    found = {
        "gained": [[text, other[text][0]] for text in other if text not in one],
        "lost": [[text, one[text][0]] for text in one if text not in other],
        "changed": [
            [text, list(one[text]), list(other[text])]
            for text in one
            if text in other and one[text] != other[text]
        ],
    }
    return {key: value for key, value in found.items() if value}


def _outcome(steps: Sequence[Step]) -> str:
    """Outcome, reason and choice of the answer; '' for a run without an answer."""
    answers = [step["update"]["answer"] for step in steps if step["update"].get("answer")]
    if not answers:
        return ""
    text = f"{answers[-1]['outcome']} ({answers[-1]['reason']})"
    return f"{text}: {answers[-1]['choice']}" if answers[-1].get("choice") else text


def _changed(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, list[Any]]:
    names = dict.fromkeys([*one, *other])
    return {name: pair for name in names if (pair := _pair(one.get(name), other.get(name)))}


def _pair(one: Any, other: Any) -> list[Any]:
    """Both values if they differ, otherwise an empty list."""
    return [] if one == other else [one, other]


def _pair_lines(name: str, pair: Sequence[Any]) -> Iterator[str]:
    yield f"{name}: {pair[0]}"
    yield f"{' ' * (len(name) - 1)}→ {pair[1]}"


def _verdict_of(judged: Sequence[Any]) -> str:
    verdict, probability = judged
    return verdict if probability is None else f"{verdict} {probability:.2f}"
