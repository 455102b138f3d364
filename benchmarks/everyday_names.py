"""What the table of everyday names (``retrievers.terms``) brings.

    python -m benchmarks.everyday_names [--index DIR] [--starter DIR] [--data DIR] [--changed]

The questions of three sets are asked without and with the table; only those in which it replaces a
name can be answered differently, and only these are asked. The sets are those of ``python -m
benchmarks.asked_as``, with ``--starter``, an index of the starter corpus, and, with ``--index``, of
MedQuAD and the starter corpus, the real messages of ``python -m benchmarks.misses``. The writers
of the table had not seen them, but their instructions had two names from them as examples (Tums,
cavities). Printed are the numbers of answers whose first cited record answers, that cite another
first, and that state nothing. ``--changed`` prints the questions with their names.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from benchmarks.asked_as import written
from benchmarks.command_line import command_line
from benchmarks.misses import answerable, ask, is_right, real_messages, starter_questions
from evaluation.reading import Query
from graph import Context, build_graph
from retrievers import aliases

RIGHT, OTHER, SILENT = "right", "another record first", "nothing stated"


def main() -> None:
    """Print the counts for each set whose index is given."""
    parser = command_line(__doc__, "data")
    parser.add_argument("--index", type=Path, help="index of MedQuAD and the starter corpus")
    parser.add_argument("--starter", type=Path, help="index of the starter corpus")
    parser.add_argument("--changed", action="store_true", help="print what changed")
    chosen = parser.parse_args()
    if chosen.starter:
        _compare("written questions", chosen.starter, written(), chosen.changed)
        held_out = starter_questions(chosen.data)
        _compare("asked_starter, held out", chosen.starter, held_out, chosen.changed)
    if chosen.index:
        messages = answerable(real_messages(chosen.data))
        _compare("real messages", chosen.index, messages, chosen.changed)


def _compare(name: str, index: Path, queries: Sequence[Query], changed: bool) -> None:
    graph, context = build_graph(), Context.model_validate({"index": str(index)})
    found: Counter[tuple[str, str]] = Counter()
    for query in queries:
        after = ask(graph, query.text, context)
        with mock.patch.object(aliases, "everyday_names", return_value=[]):
            before = ask(graph, query.text, context) if after.get("aliases") else after
        names = [item for item in after.get("aliases", []) if item not in before["aliases"]]
        if names:
            both = tuple(
                RIGHT if is_right(state, query.relevant)
                else OTHER if state["answer"]["statements"] else SILENT
                for state in (before, after)
            )  # fmt: skip
            found[both[0], both[1]] += 1
            if changed:
                said = ", ".join(f"{item['written']} > {item['searched']}" for item in names)
                print(f"  {both[0]} > {both[1]} [{said}]: {query.text}", flush=True)
    print(f"{name}: {found.total()} of {len(queries)} with such a name")
    for (before_it, after_it), number in found.most_common():
        print(f"  {before_it} without the table, {after_it} with it: {number}", flush=True)


if __name__ == "__main__":
    main()
