"""Results for people: text tables, and JSON numbers without insignificant digits."""

from collections.abc import Mapping, Sequence
from typing import Any

from anamnesis.entailment import LABELS
from evaluation.answers import COMPARED as ACCURACY
from evaluation.answers import AnswersResult
from evaluation.critic import CriticResult
from evaluation.memory import COMPARED as RECALL
from evaluation.memory import MemoryResult
from evaluation.retrieval import COMPARED, RetrievalResult
from evaluation.significance import Comparison, Estimate

_DIGITS = 6
_SCORES = ("precision", "recall", "f1")
_AT_THRESHOLD = ("binary", "kept", "passed")
_VALUE = "value [95 % interval]"


def rounded(value: Any) -> Any:
    """The same lists, dicts and texts, with every number rounded to six decimals."""
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def table(rows: Sequence[Sequence[str]]) -> str:
    """Cells in columns of equal width; the first row contains the column names."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def estimate(figure: Estimate | None) -> str:
    """A figure with its interval; a dash if it is undefined."""
    if figure is None:
        return "–"
    mean, low, high = (round(value, 3) + 0.0 for value in figure)  # + 0.0: no minus before a zero
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def cell(figure: Mapping[str, float] | None) -> str:
    """``estimate`` of a figure in a result file."""
    return estimate(Estimate(figure["mean"], figure["low"], figure["high"]) if figure else None)


def retrieval_text(result: RetrievalResult) -> str:
    """The metrics of all methods, and their differences."""
    names = list(next(iter(result.methods.values())))
    rows = [["method", *names, "median ms"]]
    for method, found in result.methods.items():
        cells = [estimate(found[name]) for name in names]
        rows.append([method, *cells, f"{result.median_ms[method]:.1f}"])
    parts = [
        f"{result.counts.used} queries, {result.counts.excluded} more without a relevant document; "
        f"{result.counts.relevant} relevant documents, {result.counts.not_in_corpus} not in the "
        "corpus",
        table(rows),
        "a perfect order has " + ", ".join(f"{n} {item:.3f}" for n, item in result.best.items()),
    ]
    if result.comparisons:
        parts.append(_differences(f"difference in {COMPARED}", result.comparisons))
    return "\n\n".join(parts)


def runs_rows(runs: Mapping[str, Mapping[str, Mapping[str, float]]], head: str) -> list[list[str]]:
    """Mean and standard deviation of the runs' means, in per cent, by method [R7].

    ``head`` names the column of methods. A single run has no deviation.
    """
    rows = [[head, *next(iter(runs.values()))]]
    for method, found in runs.items():
        cells = [
            f"{100 * item['mean']:.2f}" + (f" ± {100 * item['sd']:.2f}" if "sd" in item else "")
            for item in found.values()
        ]
        rows.append([method, *cells])
    return rows


def answers_text(result: AnswersResult) -> str:
    """The metrics of all rows, and their differences."""
    names = list(next(iter(result.rows.values())))
    rows = [["row", *names]]
    for name, value in (("chance", result.chance), ("always the same", result.majority)):
        rows.append([name, f"{value:.3f}", *[""] * (len(names) - 1)])
    for name, found in result.rows.items():
        rows.append([name, *(estimate(found.get(metric)) for metric in names)])
    parts = [f"{result.used} questions", table(rows)]
    if result.comparisons:
        head = f"difference in {ACCURACY}"
        parts.append(_differences(head, result.comparisons, "p (McNemar)"))
    return "\n\n".join(parts)


def memory_text(result: MemoryResult) -> str:
    """The metrics of all methods, and the differences of the last one."""
    names = [name for name in next(iter(result.methods.values())) if name != "tokens"]
    rows = [["method", *names, "tokens", "median ms"]]
    for method, found in result.methods.items():
        ms = result.median_ms.get(method)
        tail = [f"{found['tokens'].mean:.0f}", "" if ms is None else f"{ms:.1f}"]
        rows.append([method, *(estimate(found[name]) for name in names), *tail])
    return "\n\n".join(
        [
            f"{result.used} questions on {result.memories} memories, {result.excluded} more "
            f"without evidence, {result.unanswerable} without an answer",
            table(rows),
            _differences(f"difference in {RECALL}", result.comparisons),
        ]
    )


def metrics_text(metrics: Mapping[str, Estimate]) -> str:
    """Metrics in one column."""
    rows = [[name, estimate(item)] for name, item in metrics.items()]
    return table([["metric", _VALUE], *rows])


def counts(measured: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Tables, by caption, of the counts of a result: ``outcomes``, ``taken`` and ``missed``.

    Only results of helpfulness and urgency have them.
    """
    found = {}
    if outcomes := measured.get("outcomes"):
        rows = [["outcome and reason", "queries"]]
        rows += [[name, str(count)] for name, count in outcomes.items()]
        found["What became of the queries"] = rows
    if taken := measured.get("taken"):
        levels = list(next(iter(taken.values())))
        rows = [["level", *(f"taken for {level}" for level in levels)]]
        rows += [[name, *(str(item[level]) for level in levels)] for name, item in taken.items()]
        found["Levels of urgency"] = rows
    if missed := {
        kind: item for kind, item in measured.get("missed", {}).items() if item["missed"]
    }:
        rows = [["kind of emergency", "emergencies", "missed"]]
        for kind, item in missed.items():
            rows.append([kind or "not given", str(item["emergencies"]), str(item["missed"])])
        found["Emergencies that were missed, by kind"] = rows
    return found


def rows_text(
    methods: Mapping[str, Mapping[str, Estimate]],
    comparisons: Mapping[str, Mapping[tuple[str, str], Comparison]],
) -> str:
    """The metrics of all rows, one column each, and their differences by metric."""
    metrics = dict.fromkeys(name for found in methods.values() for name in found)
    rows = [["metric", *methods]]
    for name in metrics:
        rows.append([name, *(estimate(found.get(name)) for found in methods.values())])
    parts = [table(rows)]
    by_name = {
        (first, f"{metric}: {second}"): item
        for metric, found in comparisons.items()
        for (first, second), item in found.items()
    }
    if by_name:
        parts.append(_differences("difference", by_name))
    return "\n\n".join(parts)


def _differences(head: str, comparisons: Mapping[tuple[str, str], Comparison], p: str = "p") -> str:
    """A table of differences; ``head`` and ``p`` name the columns of names and of p-values."""
    rows = [[head, _VALUE, p, "p (Holm)"]]
    for (first, second), item in comparisons.items():
        tests = f"{item.p:.4f}", f"{item.p_holm:.4f}"
        rows.append([f"{second} − {first}", estimate(item.difference), *tests])
    return table(rows)


def critic_text(result: CriticResult) -> str:
    """The metrics of a critic: overall, by label and by threshold."""
    metrics = result.metrics
    by_label = {f"{score}_{label}" for label in LABELS for score in _SCORES}
    rows = [["metric", _VALUE]]
    for name, item in metrics.items():
        if "@" not in name and name not in by_label:
            at = f" (τ {result.threshold:g})" if name.startswith(_AT_THRESHOLD) else ""
            rows.append([f"{name}{at}", estimate(item)])
    parts = [table(rows)]
    if result.three_way:
        rows = [["label", *_SCORES]]
        for label in result.labels:
            rows.append([label, *(estimate(metrics.get(f"{each}_{label}")) for each in _SCORES)])
        parts.append(table(rows))
    rows = [["τ", "coverage", "risk"]]
    for name, item in metrics.items():
        kind, _, tau = name.partition("@")
        if kind == "coverage":
            rows.append([tau, estimate(item), estimate(metrics.get(f"risk@{tau}"))])
    return "\n\n".join([*parts, table(rows), "\n".join(result.notes)])
