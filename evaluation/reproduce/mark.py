"""MARK: corrections in dialogue, the resulting memories, and their effect [M10, M11]."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from langgraph.checkpoint.memory import InMemorySaver

from anamnesis.memory.record import REFINED
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import Embedder, load_embedder
from anamnesis.models.sentence_vectors import vectors_of
from evaluation.correcting import MOST_TURNS, CorrectedConversation, correct
from evaluation.corrections import Case, Reply, read_cases, reply_metrics
from evaluation.reproduce.asking import drawn, medquad
from evaluation.reproduce.running import Measured, Run
from evaluation.significance import Estimate, intervals, mean_intervals
from evaluation.talking import answered, statements_text
from graph import Context, build_graph
from nodes.cost.prices import prices
from nodes.state import Input

EXPERT = "expert"
_USERS = 3
"""Users of experiment 4, who take turns."""
_ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""The weights of ICS in AICS from which experiment 1 chooses."""
_SEPARATION = "AICS of the right less that of the others"
_COLUMNS = {
    "AICS": "aics", "KPCS": "kpcs", "ICS": "ics", "ICS as printed": "ics_literal",
    "tokens of a reply": "reply_tokens", "right": "right", "wrong": "wrong",
    "memories in the prompt": "injected",
}  # fmt: skip


def measure(run: Run) -> Measured:
    """Figure 4 and tables 4 to 6."""
    embedder, context = load_embedder(), run.context()
    index = run.index("medquad", ("medquad", medquad(run)))
    cases = read_cases(run.files["MedMCQA"])
    questions = drawn(cases, run.sizes["questions"], run.seed)
    with TemporaryDirectory(prefix="anamnesis-") as folder:
        store = Memories(Path(folder) / "one", embedder)
        talk = build_graph(index=index, memories=store, checkpointer=InMemorySaver())
        before = _ask_all(run, talk, questions, context, embedder, "without memory")
        wrong = [item for item, row in zip(questions, before, strict=True) if not row["right"]]
        corrected = wrong[: run.sizes["corrected"]]
        talks, notes_of = _corrected(run, talk, store, corrected, context)
        built = store.all(EXPERT)
        after = _ask_all(run, talk, questions, context, embedder, "with memory")
        still = [item for item, row in zip(questions, after, strict=True) if not row["right"]]
        shared = Memories(Path(folder) / "shared", embedder)
        shared.add(EXPERT, [item.changed(scope="expert") for item in built])
        later = _sessions(run, index, shared, still[: run.sizes["again"]], context)
    tables: dict[str, Mapping[str, Mapping[str, Estimate]]] = {
        "answers": {
            "without memory": _cells(before, run.seed),
            "with memory": _cells(after, run.seed),
        }
    }
    if apart := _separations(before, run.seed):
        tables["alpha"] = apart
    if talks:
        tables["corrections"] = {"conversation": _talked(talks, embedder, run.seed)}
        tables["built"] = {"conversation": mean_intervals(notes_of, run.seed)}
    if later:
        tables["sessions"] = {"conversation": _talked(later, embedder, run.seed)}
    notes = _notes(questions, before, after, talks, later)
    if talks and not built:
        notes.append(
            "Nothing was stored: the model wrote no list of notes, and the rules found nothing to "
            "quote. So the rows without and with memory are equal."
        )
    return Measured(tables, notes, _deviations(run))


def _ask_all(
    run: Run, talk: Any, questions: Sequence[Case], context: Context, embedder: Embedder, row: str
) -> list[dict[str, Any]]:
    """Ask every question once, without a user or as the expert, and store nothing."""
    user = EXPERT if row == "with memory" else None
    asking = context.changed({"user": user, "memory.consent": False})
    found = []
    with run.executing(row) as execution:
        for number, case in execution.each(questions):
            question: Input = {"question": case.text, "options": dict(case.options)}
            thread = {"configurable": {"thread_id": f"{row} {number}"}}
            answer, recalled = answered(talk, question, asking, thread)
            injected = [memory["text"] for memory in answer["memories"]]
            reply = Reply(answer["choice"], statements_text(answer), len(recalled), injected)
            values = reply_metrics(case, reply, vectors_of(embedder), embedder.count_tokens)
            named = f"{case.options[reply.choice]}. " if reply.choice else ""
            values["reply_tokens"] = sum(embedder.count_tokens([f"{named}{reply.text}"]))
            found.append(values)
    return found


def _corrected(
    run: Run, talk: Any, store: Memories, cases: Sequence[Case], context: Context
) -> tuple[list[CorrectedConversation], dict[str, Any]]:
    """Experiment 2: the conversations, and by kind the number of notes that each has left."""
    kept = context.changed({"user": EXPERT, "memory.consent": True})
    talks, left = [], []
    with run.executing("corrections") as execution:
        for _, case in execution.each(cases):
            before = {item.id for item in store.all(EXPERT)}
            talks.append(correct(talk, case, kept))
            left.append([item.kind for item in store.all(EXPERT) if item.id not in before])
    return talks, {kind: np.array([float(kinds.count(kind)) for kinds in left]) for kind in REFINED}


def _sessions(
    run: Run, index: Any, shared: Memories, cases: Sequence[Case], context: Context
) -> list[CorrectedConversation]:
    """Experiment 4: users with the expert's memories correct the answers that are still wrong."""
    talk = build_graph(index=index, memories=shared, checkpointer=InMemorySaver())
    found = []
    with run.executing("sessions") as execution:
        for number, case in execution.each(cases):
            user = f"user {number % _USERS}"
            asking = context.changed({"user": user, "memory.consent": True})
            found.append(correct(talk, case, asking))
    return found


def _cells(rows: Sequence[Mapping[str, Any]], seed: int) -> dict[str, Estimate]:
    columns = {
        name: np.array([float(item[key]) for item in rows]) for name, key in _COLUMNS.items()
    }
    return mean_intervals(columns, seed)


def _separations(rows: Sequence[Mapping[str, Any]], seed: int) -> dict[str, dict[str, Estimate]]:
    """Experiment 1: how well AICS separates right answers from the others, by its weight of ICS.

    Empty if all answers are right, or none is.
    """
    right = np.array([bool(item["right"]) for item in rows])
    ics, kpcs = (np.array([float(item[name]) for item in rows]) for name in ("ics", "kpcs"))

    def apart(picked: Any, alpha: float) -> float:
        scores, good = (alpha * ics + (1 - alpha) * kpcs)[picked], right[picked]
        both = good.any() and not good.all()
        return float(scores[good].mean() - scores[~good].mean()) if both else math.nan

    if right.all() or not right.any():
        return {}
    return {
        f"α = {alpha}": intervals(
            lambda picked, alpha=alpha: {_SEPARATION: apart(picked, alpha)},  # type: ignore[misc]
            len(rows),
            seed,
        )
        for alpha in _ALPHAS
    }


def _talked(
    talks: Sequence[CorrectedConversation], embedder: Embedder, seed: int
) -> dict[str, Estimate]:
    """Turns of the conversations that reached the right answer; tokens, words and price of all.

    There is no price without the operator's table, or if the table lacks the model.
    """
    count = embedder.count_tokens
    columns = {
        "tokens": np.array([float(item.tokens(count)) for item in talks]),
        "words": np.array([float(item.words()) for item in talks]),
        "tokens of a turn": np.array([item.tokens(count) / item.exchanges for item in talks]),
        "words of a turn": np.array([item.words() / item.exchanges for item in talks]),
        "reached the right answer": np.array([float(item.turns is not None) for item in talks]),
    }
    table, paid = prices(), [item.price for item in talks]
    if table and None not in paid:
        each = zip(paid, talks, strict=True)
        columns[f"price of a turn in {table.currency}"] = np.array(
            [(price or 0.0) / item.exchanges for price, item in each]
        )
    found = dict(mean_intervals(columns, seed))
    if turns := [float(item.turns) for item in talks if item.turns is not None]:
        found |= mean_intervals({"turns to the right answer": np.array(turns)}, seed)
    return found


def _notes(
    questions: Sequence[Case],
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    talks: Sequence[CorrectedConversation],
    later: Sequence[CorrectedConversation],
) -> list[str]:
    one, two = (sum(bool(item["right"]) for item in rows) for rows in (before, after))
    bad, worse = (sum(bool(item["wrong"]) for item in rows) for rows in (before, after))
    came = [sum(item.turns is not None for item in some) for some in (talks, later)]
    return [
        f"{len(questions)} questions. Right: {one} without memory, {two} with it; wrong: {bad} and "
        f"{worse}; the paper: 50.8 % more right, 67.4 % fewer wrong.",
        f"{came[0]} of {len(talks)} conversations of experiment 2 and {came[1]} of {len(later)} of "
        f"experiment 4 reached the right answer within {MOST_TURNS} turns; only these have turns.",
    ]


def _deviations(run: Run) -> list[str]:
    if run.models["generator"] != "extractive":
        return []
    return [
        "Without a chat model no option is confirmed, whatever the expert "
        "says, and memories are written by rules: they do not change any answer."
    ]
