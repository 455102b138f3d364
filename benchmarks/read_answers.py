"""A hundred answers to real questions, rated by a judge, compared with today's answers.

    python -m benchmarks.read_answers [--index DIR] [--data DIR]

``read_answers.jsonl`` has the first hundred judged messages that no model here was trained on, with
the outcome of each, the cited records, and how a judge with a doctor's criteria rated the text:
``useful``, ``poor`` (irrelevant, harmless), ``misleading``, ``silent-right``, ``silent-near`` (a
named page answers) or ``alarm-false``. The ``error`` of a poor one is ``general`` (the topic in
general, without the second thing that was asked about), ``aspect`` (another aspect of the topic) or
``similar`` (a similar illness or another part of the body). Each is asked again, with an index of
MedQuAD and the starter corpus. Prints the judgements, and the messages whose outcome or sources
have changed, which need to be read again.
"""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.command_line import command_line
from graph import Context, build_graph
from nodes.state import Answer
from training.judged import read_judged

READ = Path(__file__).with_name("read_answers.jsonl")


def rows() -> list[dict[str, Any]]:
    """The rows: ``id``, ``outcome``, ``cited``, ``judgement``, ``reason``, ``error`` if poor."""
    with READ.open(encoding="utf-8") as lines:
        return list(map(json.loads, lines))


def changed(row: Mapping[str, Any], answer: Answer) -> bool:
    """Whether the outcome or the sources differ from the judged ones."""
    cited = sorted({key for item in answer["statements"] for key in item["citations"]})
    return (answer["outcome"], cited) != (row["outcome"], row["cited"])


def main() -> None:
    """Run the command."""
    parser = command_line(__doc__, "data", "index")
    given = parser.parse_args()
    messages = {item.id: item.message for item in read_judged(given.data)}
    graph = build_graph()
    context = Context.model_validate({"index": str(given.index)})
    every = rows()
    print("as they were read:", dict(Counter(row["judgement"] for row in every).most_common()))
    errors = Counter(row["error"] for row in every if "error" in row)
    print("poor ones:", dict(errors.most_common()))
    again = [
        row
        for row in every
        if changed(row, graph.invoke({"question": messages[row["id"]]}, context=context)["answer"])
    ]
    same = Counter(row["judgement"] for row in every if row not in again)
    print("unchanged:", dict(same.most_common()))
    for row in again:
        print(f"to be read again: {row['id']} ({row['judgement']}: {row['reason']})")


if __name__ == "__main__":
    main()
