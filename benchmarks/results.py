"""The page that compares our figures with the papers', from the results in ``results/``.

    python -m benchmarks.results            # write docs/results.md
    python -m benchmarks.results FILE …     # first keep these results of `anamnesis evaluate`

A result is stored without the rows of single questions, which are large and contain others' texts.
"""

import json
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from anamnesis.errors import SettingError
from app.cli.main import parser
from app.evaluate.answers import rows
from app.evaluate.protocols import page_parts
from app.run_options import context_of
from benchmarks.compared_settings import compared as settings_compared
from evaluation.papers import Published, comparison
from evaluation.report import cell
from evaluation.results import load, put
from nodes.settings.context import Context

ROOT = Path(__file__).parents[1]
KEPT, PAGE = ROOT / "results", ROOT / "docs" / "results.md"

# By result: what it measures, and the arguments of `anamnesis evaluate` that produce it.
MADE = {
    name: (item["title"], item["command"])
    for name, item in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}
OPENING = """# Results

Written by `python -m benchmarks.results` from the result files in [results](../results). Each
section has the command that makes its file; its files are those of the data sets, and DIR is an
index of MedQuAD, or of the corpus in the title. Figures have 95 % bootstrap intervals. A comparison
with a paper says whether our interval lies *above* the paper's figure, lies *below* it, or contains
it (*within*). A code such as R7 names a row of [systems.md](systems.md).
The protocols are described in [evaluation.md](evaluation.md). `short_messages.jsonl` is in
[benchmarks](../benchmarks), and `python -m benchmarks.liveqa_helpfulness` writes the files of
LiveQA-Med for `evaluate helpfulness`.
In the table on wrong statements, the critic's two readings of a passage were averaged with the
weights 1 and 3, not combined as in the [model
card](../anamnesis/models/own/README.md#figures-of-the-cross-encoder).
"""


def keep(file: Path) -> None:
    """Store a result in ``results/``. Raises CorpusError as ``load`` does."""
    whole = load(file)
    small = {name: item for name, item in whole.items() if name != "per_question"}
    put(KEPT / file.name, json.dumps(small, ensure_ascii=False, indent=1) + "\n")


def text(folder: Path = KEPT) -> str:
    """The page of the results in ``folder``, in the order of ``MADE``."""
    parts = [OPENING]
    for name, (title, command) in MADE.items():
        if (folder / f"{name}.json").is_file():
            parts.append(section(name, title, command, load(folder / f"{name}.json")))
    return "\n".join(parts) + "\n"


def section(name: str, title: str, command: str, result: Mapping[str, Any]) -> str:
    """A result: its command, its figures, its tests, and the paper's figures for comparison.

    Raises SettingError if the result was measured with options other than the command's.
    """
    configuration, machine = result["configuration"], result["machine"]
    measured = result["rows"] if result["protocol"] == "answers" else result.get("methods")
    measured = measured or {"value": result["metrics"]}
    wrong = differing(command, configuration)
    if wrong:
        raise SettingError(
            f"results/{name}.json was not measured by `anamnesis evaluate {command}`: different "
            f"{', '.join(wrong)}. Measure it again, or correct benchmarks/results.toml."
        )
    asked = (
        configuration.get("queries")
        or configuration.get("questions")
        or configuration.get("messages")
        or {}
    )
    number = asked.get("used") or sum(configuration.get("tried", {}).values())
    what = "messages" if "messages" in configuration else "questions"
    parts = [
        f"## {title}\n",
        f"`anamnesis evaluate {command} --out {name}.json`\n",
        f"{number} {what}, seed {configuration['seed']}, configuration "
        f"`{result['configuration_sha256'][:12]}`, {machine['cores']} cores.\n",
        _table(measured),
    ]
    if (program := configuration.get("program", VERSION)) != VERSION:
        parts.append(f"\nMeasured with version {program}, with other models and defaults.")
    if configuration.get("bertscore_model"):
        likely = configuration["perplexity_model"] or "none"
        parts.append(
            f"\nBERTScore is by {configuration['bertscore_model']}, perplexity by {likely}."
        )
    for metric, compared in groupby(result.get("comparisons", []), lambda item: item["metric"]):
        rows = [f"\n| difference in {metric} | value | p (Holm) |", "|---|---|---|"]
        for item in compared:
            pair, p = f"{item['of']} − {item['less']}", f"{item['p_holm']:.4f}"
            rows.append(f"| {pair} | {cell(item['difference'])} | {p} |")
        parts += rows
    if "majority" in result:
        parts.append(
            f"\nGuessing has an accuracy of {result['chance']:.3f}, always choosing "
            f"the most frequent answer {result['majority']:.3f}."
        )
    if result.get("premises"):
        found = dict.fromkeys(name for item in result["premises"].values() for name in item)
        parts.append(f"\n| finding on the assumption | {' | '.join(found)} |")
        parts.append("|---" * (len(found) + 1) + "|")
        for kind, item in result["premises"].items():
            parts.append(f"| {kind} | {' | '.join(str(item.get(name, 0)) for name in found)} |")
    if result.get("best"):
        best = ", ".join(f"{name} {value:.3f}" for name, value in result["best"].items())
        parts.append(f"\nA perfect ranking has {best}.")
    if result.get("reranking"):
        changed = result["reranking"]
        parts.append(
            f"\nRe-ranking changes {cell(changed['positions'])} of the first ten places, and "
            f"{cell(changed['top'])} of the first documents."
        )
    for item in page_parts()[result["protocol"]].papers(result):
        moved = {"reranked": result.get("reranking", {})}
        parts += _paper_table(item, moved if item.row == "R8" else measured)
    return "\n".join(parts) + "\n"


VERSION = version("anamnesis")


def differing(command: str, setup: Mapping[str, Any]) -> list[str]:
    """The parts of a configuration that differ from those of an ``anamnesis evaluate`` command."""
    given = parser().parse_args(["evaluate", *command.split()])
    wanted = {"command": f"evaluate {given.kind}", "seed": given.seed}
    found = dict(setup)
    for name in ("corpus", "questions", "messages"):
        if file := getattr(given, name, None):
            wanted[name] = Path(file).name
            found[name] = setup[name]["file"]
    if given.kind == "robustness":
        wanted |= {"sample": given.sample, "held_out": given.held_out}
        found |= {name: setup["corpus"][name] for name in ("sample", "held_out")}
    elif given.kind == "answers":
        for name in ("dataset", "sample"):
            wanted[name], found[name] = getattr(given, name), setup["questions"][name]
        critics, given.critic = given.critic, None
        contexts = rows(
            context_of(given), critics=critics, retrieval=given.retrieval, rounds=given.rounds,
            facts_k=given.facts_k, fact_search=given.fact_search,
        )  # fmt: skip
        wanted["settings"], found["settings"] = settings_compared(contexts, setup["settings"])
    elif given.kind in ("chatbot", "corrections"):
        wanted["sample"] = given.sample
        found["sample"] = setup["questions"]["used"]
        for name in ("bertscore_model", "perplexity_model"):
            if hasattr(given, name):
                wanted[name] = getattr(given, name) or setup[name]
    elif given.kind == "helpfulness":
        wanted["queries"], found["queries"] = Path(given.queries).name, setup["queries"]["file"]
        alone = {"memory": {"recall": False, "consent": False}}
        by_command = {given.kind: Context(**context_of(given)).changed(alone)}
        kept = {given.kind: setup["settings"]}
        wanted["settings"], found["settings"] = settings_compared(by_command, kept)
    elif given.kind == "reading":
        wanted["held_out"], found["held_out"] = given.held_out, setup["questions"]["held_out"]
    elif given.kind == "urgency":
        wanted["dev"], found["dev"] = given.dev, setup["messages"]["dev"]
    else:
        wanted |= {"protocol": given.protocol, "gain": given.gain}
        wanted |= {"methods": given.methods.split(",")}
        if given.protocol.startswith("focus"):
            names = {"number": "runs", "queries": "sample", "least_records": "min_records"}
            wanted |= {name: getattr(given, name) for name in (*names.values(), "held_out")}
            found |= {names.get(name, name): item for name, item in setup["runs"].items()}
    if setup.get("program", VERSION) != VERSION and "settings" in wanted:
        wanted["settings"], found["settings"] = list(wanted["settings"]), list(found["settings"])
    return [name for name, item in wanted.items() if found.get(name) != item]


def _paper_table(paper: Published, ours: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The paper's figures and ours for the same measurement; empty if there are none."""
    rows = []
    for system, metric, value, item in comparison(paper, ours):
        if item:
            held = "within"
            if not item["low"] <= value <= item["high"]:
                held = "above" if item["low"] > value else "below"
            rows.append(f"| {system}, {metric} | {value:.4f} | {cell(item)} | {held} |")
    head = [f"\n| row {paper.row} | paper | ours | interval |", "|---|---|---|---|"]
    return [*head, *rows, f"\n{paper.differs}"] if rows else []


def _table(methods: Mapping[str, Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(name for item in methods.values() for name in item))
    cells = [["", *names]]
    cells += [[row, *(cell(item.get(name)) for name in names)] for row, item in methods.items()]
    if len(names) > 2 * len(methods):  # too wide for a page
        cells = [list(column) for column in zip(*cells, strict=True)]
    head, *rows = [f"| {' | '.join(item)} |".replace("|  |", "| |") for item in cells]
    return "\n".join([head, "|---" * len(cells[0]) + "|", *rows])


def main() -> None:
    for file in sys.argv[1:]:
        keep(Path(file))
    put(PAGE, text())


if __name__ == "__main__":
    main()
