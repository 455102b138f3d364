"""Claims of a small language model, with and without verification.

    python -m benchmarks.claims write --model REF --index DIR --out FILE
    python -m benchmarks.claims score --index DIR [--support .3,.5,.7] FILE…

``write`` asks 100 questions, half of which MedQuAD cannot answer, and stores every statement of the
model's first drafts: one JSON object per line with the question, the statement, the ids of the
passages that were its evidence, whether the gate before generation would have passed the question,
and ``supported`` null. Judges then set ``supported`` to whether the passages support the
statement, or to "no claim" if it makes no medical claim ('The answer is:', or that the documents do
not say). ``benchmarks/claims_*.jsonl`` are such files: three judges rated each statement without
knowing the critic's verdict, and the label is the majority's. In ``claims_strong.jsonl``, where one
judge rated each statement, ``kind`` is "written" or that of an error which somebody put in.

``score`` judges the labelled statements with the graph's critic and checks, and prints how many
unsupported statements a user is shown without verification, with it, and with gate and
verification; how many of the supported ones are kept; and which unsupported ones pass. With several
values of ``support`` it shows the trade-off of this setting.
"""

import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from anamnesis.models.critic import Critic
from benchmarks.command_line import add_critics, command_line, critic_of
from benchmarks.questions import ANSWERABLE
from evaluation.questions import UNANSWERABLE
from graph import Context, build_graph
from nodes.checking.judge import judge
from nodes.checking.statements import unchecked_statement
from nodes.settings.derived import READ_RELEVANCE
from retrievers.index import open_index

_NO_CLAIM = "no claim"
_STEPS = ("generate", "rerank")


def write(model: str, index: Path, out: Path) -> None:
    """Write drafts of 100 questions; continues after the last row of the file."""
    settings = {
        "index": str(index),
        "generator.model": model,
        "memory.recall": False,
        "loop.max_rounds": 1,
    }
    context = Context.model_validate(
        {
            **settings,
            "verification.critic": None,
            "retrieval.min_relevance": 0.0,
            "generator.seed": 7,
            "generator.max_tokens": 160,
            "generator.structured": False,
        }
    )
    gate = READ_RELEVANCE
    there = out.read_text("utf-8").splitlines() if out.is_file() else []
    done = {json.loads(line)["question"] for line in there}
    graph = build_graph()
    asked = [*((entry, True) for entry in ANSWERABLE), *((entry, False) for entry in UNANSWERABLE)]
    for place, (question, answerable) in enumerate(asked, 1):
        if question in done:
            continue
        start = time.perf_counter()
        state: dict[str, Any] = {}
        for update in graph.stream({"question": question}, context=context, stream_mode="updates"):
            for step in _STEPS:
                state |= update.get(step) or {}
        problem = state["draft"]["problem"]
        if problem == "silent":
            raise SystemExit("The model did not answer.")
        said = [] if problem else state["draft"]["statements"]
        common = {
            "question": question,
            "answerable": answerable,
            "gate": max((item["relevance"] for item in state["selected"]), default=0.0) >= gate,
            "passages": [item["id"] for item in state["selected"]],
        }
        rows = [
            {**common, "statement": entry["text"], "cites": entry["citations"], "supported": None}
            for entry in said
        ] or [{**common, "statement": None}]
        with out.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        spent = time.perf_counter() - start
        print(f"{place}/{len(asked)} {len(said)} statements, {spent:.0f} s", file=sys.stderr)


def score(index: Path, file: Path, critic: Critic, support: float) -> None:
    """Print how many unsupported statements are removed and how many supported ones are kept."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    by_question: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_question[row["question"]].append(row)
    opened = open_index(index)
    shown = {True: 0, False: 0}
    gated = {True: 0, False: 0}
    total = {True: 0, False: 0}
    empty = {True: 0, False: 0}
    slipped = []
    for question, item in by_question.items():
        labelled = [row for row in item if row["statement"] is not None]
        if not labelled:
            continue
        missing = [row["statement"] for row in labelled if row["supported"] is None]
        if missing:
            raise SystemExit(f"{file}: not labelled: {missing[0]!r} ({question})")
        passages = opened.passages(labelled[0]["passages"])
        drafted = [unchecked_statement(row["statement"], row["cites"]) for row in labelled]
        for row, judged in zip(labelled, judge(drafted, passages, critic, support), strict=True):
            passed = judged["verdict"] == "supported"
            if row["supported"] == _NO_CLAIM:
                empty[passed] += 1
                continue
            total[row["supported"]] += 1
            shown[row["supported"]] += passed
            gated[row["supported"]] += passed and row["gate"]
            if passed and not row["supported"]:
                slipped.append((question, row["statement"], judged["probability"]))
    silent = sum(rows[0]["statement"] is None for rows in by_question.values())
    print(f"{file.name}: {len(by_question)} questions, {silent} of them 'not found'")
    print(f"support {support}")
    print(f"statements: {total[True]} supported, {total[False]} not")
    print(f"without a claim: {empty[True] + empty[False]}, {empty[True]} of them shown")
    for name, counts in (("verification", shown), ("gate and verification", gated)):
        print(
            f"{name}: {counts[False]} unsupported shown instead of {total[False]} "
            f"({1 - counts[False] / max(1, total[False]):.1%} fewer), "
            f"{counts[True] / max(1, total[True]):.1%} of the supported kept"
        )
    for question, text, probability in slipped:
        print(f"  passed wrongly ({probability}): {question} → {text}")


def main() -> None:
    options = command_line(__doc__)
    kinds = options.add_subparsers(required=True, dest="kind")
    writing = kinds.add_parser("write", help="ask the questions")
    writing.add_argument("--model", required=True, help="reference of the chat model")
    writing.add_argument("--out", type=Path, required=True)
    scoring = kinds.add_parser("score", help="judge labelled statements")
    scoring.add_argument("files", type=Path, nargs="+")
    add_critics(scoring)
    scoring.add_argument(
        "--support",
        default=str(Context.model_validate({}).verification.min_probability),
        help="one value or several",
    )
    for each in (writing, scoring):
        each.add_argument("--index", type=Path, required=True, help="index of MedQuAD")
    chosen = options.parse_args()
    if chosen.kind == "write":
        write(chosen.model, chosen.index, chosen.out)
    else:
        for file in chosen.files:
            for support in map(float, chosen.support.split(",")):
                score(chosen.index, file, critic_of(chosen), support)


if __name__ == "__main__":
    main()
