"""How well the other pages fit that an answer lists (``nodes.writing.alternatives``).

    python -m benchmarks.other_pages [--index DIR]

``other_pages.tsv`` has 836 pages for 366 questions of four of the sets of
``benchmarks.typed_answers``, judged by seven judges with a doctor's criteria, who saw the question,
the answer, and the page's title and nearest sentence: ``answers`` (what was asked and the answer
lacks), ``supports`` (it fits, and says the same or adds a detail), ``related`` (the same subject,
not what was asked), ``other`` (of no use), ``misleading``. They are the pages that were read for an
answer, not cited, and had a relevance of at least .2, up to three for a question. Of 180 pages that
two judges saw, they called the same 17 ``answers``, and two more were called so by one of them.
That weaker sources are left out was chosen on the pages for ``midlands`` and ``coast``.

The questions are asked over an index of MedQuAD and the starter corpus. Printed are the labels of
the pages that are listed now, with the default settings and without an order of sources, so that
weaker ones are listed too (and others are quoted first for a few questions); pages that were not
judged are counted apart.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.command_line import command_line
from benchmarks.typed_answers import rows
from graph import Context, build_graph
from graph.build import Graph

LABELS = ("answers", "supports", "related", "other", "misleading")
UNJUDGED = "not judged"


def judged() -> dict[str, dict[str, str]]:
    """The label of each judged page, by question and record."""
    found: dict[str, dict[str, str]] = {}
    for row in rows("other_pages.tsv"):
        found.setdefault(row["question"], {})[row["record"]] = row["label"]
    return found


def listed(graph: Graph, question: str, context: Context) -> list[str] | None:
    """The records of the listed pages; None if the answer has no statements."""
    answer = graph.invoke({"question": question}, context=context)["answer"]
    return [page["id"] for page in answer["alternatives"]] if answer["statements"] else None


def lines(index: Path) -> Iterator[str]:
    """What is printed."""
    graph = build_graph()
    variants = {"default": {}, "weaker sources too": {"generator.source_order": ()}}
    for name, settings in variants.items():
        context = Context.model_validate({"index": str(index), **settings})
        counts, answered, helped = Counter[str](), 0, 0
        for question, labels in judged().items():
            found = listed(graph, question, context)
            if found is None:
                continue
            said = [labels.get(record, UNJUDGED) for record in found]
            counts.update(said)
            answered += 1
            helped += "answers" in said
        shown = ", ".join(f"{label} {counts[label]}" for label in (*LABELS, UNJUDGED))
        yield f"{name}: answers with statements {answered}, with a page that answers {helped}"
        yield f"  pages listed {counts.total()}: {shown}"


def main() -> None:
    """Run the command."""
    chosen = command_line(__doc__, "index").parse_args()
    for line in lines(chosen.index):
        print(line, flush=True)


if __name__ == "__main__":
    main()
