"""Results as one self-contained HTML page: tables, plots, and comparisons with the papers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from evaluation import plots
from evaluation.behaviour import curves, overlaps, separate_lists, spread
from evaluation.compared import Compared, sides, systems
from evaluation.papers import Published, comparison
from evaluation.report import cell, counts, estimate, runs_rows

_TEMPLATE = Path(__file__).with_name("page.html")
_BINS = 10


@dataclass(frozen=True, slots=True)
class Table:
    """Cells; the first row contains the column names."""

    caption: str
    rows: Sequence[Sequence[str]]


@dataclass(slots=True)
class Section:
    """The section of a result."""

    title: str
    facts: Sequence[tuple[str, str]]
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    plots: list[Markup] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PagePart:
    """What the page shows of the results of one protocol in addition to their figures.

    Attributes:
        add: Adds tables and plots to the section of a result with rows.
        compared: What two results with rows are compared by.
        published: The papers' figures that a result is compared with.
    """

    add: Callable[[Section, Mapping[str, Any]], None] | None = None
    compared: Compared | None = None
    published: Callable[[Mapping[str, Any]], list[Published]] | None = None

    def papers(self, result: Mapping[str, Any]) -> list[Published]:
        """The papers' figures; none if the protocol has none."""
        return self.published(result) if self.published else []


PageParts = Mapping[str, PagePart]
"""By the name of the protocol."""
_NOTHING = PagePart()


def page(results: Mapping[str, Mapping[str, Any]], parts: PageParts, seed: int = 0) -> str:
    """The page of results by name, as returned by ``results.load``, in order."""
    tested = sides(
        [
            systems(name, result, parts.get(result["protocol"], _NOTHING).compared)
            for name, result in results.items()
        ],
        seed,
    )
    rows = [["second less first", "metric", "common questions", "difference", "p", "p (Holm)"]]
    for item in tested:
        tests = f"{item.p:.4f}", f"{item.p_holm:.4f}"
        named = f"{item.second} − {item.first}"
        rows.append([named, item.metric, str(item.common), estimate(item.difference), *tests])
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(_TEMPLATE.read_text("utf-8")).render(
        sections=[section(name, result, parts) for name, result in results.items()],
        sides=Table("Paired tests on the questions that two results have in common", rows)
        if tested
        else None,
    )


def section(name: str, result: Mapping[str, Any], parts: PageParts | None = None) -> Section:
    """The section of a result."""
    kind = result["protocol"]
    part = (parts or {}).get(kind, _NOTHING)
    by_name = result.get("methods") or result.get("rows") or {}
    if "metrics" in result:
        by_name = {kind: result["metrics"]}
    found = Section(f"{name} ({kind})", _facts(result))
    if by_name:
        found.tables.append(_metrics(by_name))
    if result.get("comparisons"):
        found.tables.append(_comparisons(result["comparisons"]))
    if result.get("runs"):
        caption = "Mean ± standard deviation of the runs, %"
        found.tables.append(Table(caption, runs_rows(result["runs"], "")))
    found.tables += [Table(caption, rows) for caption, rows in counts(result).items()]
    if result.get("reranking"):
        rows = [[name, cell(item)] for name, item in result["reranking"].items()]
        caption = "Fused order and re-ranked order, first ten documents"
        found.tables.append(Table(caption, [["what the reranker changed", "value"], *rows]))
    for item in part.papers(result):
        found.tables.append(_paper(item, by_name, result))
        found.notes.append(f"{item.row}: {item.differs}")
    found.notes += result.get("notes", [])
    if part.add and result.get("per_question"):
        part.add(found, result)
    if result.get("times"):
        series = {
            method: [(item["records"], item["ms"][method]) for item in result["times"]]
            for method in result["times"][0]["ms"]
        }
        found.plots.append(plots.lines("Time of a query", series, "records", "median ms"))
    return found


def _facts(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    configuration, machine = result["configuration"], result.get("machine", {})
    found = [("command", f"anamnesis {configuration.get('command', '')}")]
    for name in ("protocol", "generator", "bertscore_model", "perplexity_model"):
        if isinstance(configuration.get(name), str):
            found.append((name, configuration[name]))
    for name in ("embedder", "reranker", "critic"):
        if isinstance(configuration.get(name), Mapping):
            found.append((name, configuration[name]["reference"]))
    for name in ("corpus", "queries", "pairs", "questions", "messages"):
        if isinstance(configuration.get(name), Mapping):
            used = configuration[name].get("used", configuration[name].get("documents"))
            found.append((name, f"{configuration[name].get('file', '')} ({used})"))
    found += [
        ("seed, resamples", f"{configuration.get('seed')}, {configuration.get('resamples')}"),
        ("configuration", result["configuration_sha256"][:12]),
        ("machine", f"{machine.get('cores')} cores, {machine.get('processor')}"),
        ("measured", f"{result.get('created')}, program {configuration.get('program')}"),
    ]
    return found


def _metrics(by_name: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Table:
    names = list(dict.fromkeys(name for item in by_name.values() for name in item))
    if len(by_name) == 1:
        [metrics] = by_name.values()
        return Table("Measured", [["metric", "value"], *([n, cell(metrics[n])] for n in names)])
    rows = [["", *names]]
    rows += [[name, *(cell(item.get(each)) for each in names)] for name, item in by_name.items()]
    return Table("Measured", rows)


def _comparisons(comparisons: Sequence[Mapping[str, Any]]) -> Table:
    rows = [["second less first", "metric", "difference", "p", "p (Holm)"]]
    for item in comparisons:
        tests = [f"{item[name]:.4f}" if name in item else "–" for name in ("p", "p_holm")]
        named = f"{item['of']} − {item['less']}"
        rows.append([named, item["metric"], cell(item["difference"]), *tests])
    return Table("Differences on the same questions", rows)


def _paper(
    table: Published, ours: Mapping[str, Mapping[str, Any]], result: Mapping[str, Any]
) -> Table:
    """The paper's figures, ours for the same measures, and the difference."""
    rows = [["compared with the paper", "metric", "paper", "ours"]]
    if table.row == "R8":
        ours = {"reranked": result.get("reranking", {})}
    for system, metric, value, item in comparison(table, ours):
        rows.append([system, metric, f"{value:.4g}", cell(item)])
    return Table(f"Row {table.row}: the paper compared with ours", rows)


def lists(found: Section, result: Mapping[str, Any]) -> None:
    """The curves of retrieval by rank, the spread over queries, and the lists' overlap [R8]."""
    rows = result["per_question"]
    drawn = curves(rows, result["configuration"].get("gain", "linear"))
    for metric, label in (("ndcg", "nDCG"), ("precision", "precision"), ("recall", "recall")):
        series = {method: item[metric] for method, item in drawn.items()}
        found.plots.append(plots.lines(f"{label} at k", series, "k", label))
    values = {
        "nDCG@10": {name: [row["metrics"][name]["ndcg@10"] for row in rows] for name in drawn},
        "milliseconds": {name: [row["ms"][name] for row in rows] for name in drawn},
    }
    for label, by_method in values.items():
        title = f"{label} of single queries: minimum, quartiles, maximum"
        spreads = {name: spread(values) for name, values in by_method.items()}
        found.plots.append(plots.boxes(title, spreads, label))
    names = separate_lists(rows)
    if len(names) > 1:
        title = "Which lists have a document among their first ten"
        sizes = overlaps(rows, names)
        found.plots.append(plots.upset(title, sizes, names, "documents per query"))


def critic(found: Section, result: Mapping[str, Any]) -> None:
    """Coverage and risk over all thresholds, and the calibration of the probabilities."""
    rows = result["per_question"]
    support = np.array([row["support"] for row in rows])
    entailed = np.array([row["label"] == "entailment" for row in rows])
    passes = np.array([(row["contradiction"] or 0) <= row["support"] for row in rows])
    order = [place for place in np.argsort(-support, kind="stable") if passes[place]]
    wrong = np.cumsum(~entailed[order])
    # About forty points are enough for a plot.
    picked = sorted({*range(0, len(order), max(1, len(order) // 40)), len(order) - 1} - {-1})
    curve = [((n + 1) / len(rows), float(wrong[n] / (n + 1))) for n in picked]
    if curve:
        title = "Risk against coverage"
        found.plots.append(plots.lines(title, {"risk": curve}, "coverage", "risk"))
    place = np.minimum((support * _BINS).astype(int), _BINS - 1)
    points = [
        (float(support[place == item].mean()), float(entailed[place == item].mean()))
        for item in np.unique(place)
    ]
    title = "Reliability: support, and the share that is entailed"
    found.plots.append(plots.lines(title, {"pairs": points}, "support", "entailed", square=True))
