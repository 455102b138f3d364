"""Messages with two questions over the starter corpus: is each answered from the right record?

    python -m benchmarks.several [--index DIR] [--data DIR]

``several.jsonl`` has 48 messages, written before the code that splits them, each with its questions
and the records that answer them; eight of the 96 questions have no such record. Each message is put
to the graph as a whole and split into its questions. A question is right if a statement for it (for
the whole: any statement) cites one of its records, wrong if there are statements and none does.
With ``--data`` it also prints how many held-out messages are split although they have at most one
question mark.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anamnesis.models.question_sentences import question_sentences
from benchmarks.command_line import command_line
from graph import Context, build_graph
from nodes.question.several import sub_questions
from nodes.state import Answer, Input
from retrievers.opening import open_corpus
from training.question_passages import read_question_passages

MESSAGES = Path(__file__).with_name("several.jsonl")


def messages() -> list[dict[str, Any]]:
    """The rows: ``id``, ``message``, and ``parts``, each with ``question`` and ``records``."""
    with MESSAGES.open(encoding="utf-8") as lines:
        return list(map(json.loads, lines))


def cited(answer: Answer, question: str) -> set[str] | None:
    """The records cited for a question of a message; None if it has no statements."""
    number = next(
        (n for n, entry in enumerate(answer["parts"], 1) if question in entry["question"]), None
    )
    statements = [item for item in answer["statements"] if number in (None, item.get("part"))]
    return {key for item in statements for key in item["citations"]} if statements else None


def judged(rows: Sequence[dict[str, Any]], answers: Sequence[Answer]) -> Counter[str]:
    """How many questions are right, wrong and silent; and ``none``: those that no record answers
    but that were answered.
    """
    found: Counter[str] = Counter()
    for row, answer in zip(rows, answers, strict=True):
        for part in row["parts"]:
            records = cited(answer, part["question"])
            if not part["records"]:
                found["none"] += records is not None
            elif records is None:
                found["silent"] += 1
            else:
                found["right" if records & {*part["records"]} else "wrong"] += 1
    return found


def main() -> None:
    parser = command_line(__doc__, "index")
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    chosen = parser.parse_args()
    rows = messages()
    talk = build_graph(index=open_corpus(chosen.index))
    answerable = sum(bool(part["records"]) for row in rows for part in row["parts"])
    others = sum(len(row["parts"]) for row in rows) - answerable
    for name, several in (("as a whole", False), ("apart", True)):
        context = Context.model_validate({"question.split": several, "memory.recall": False})
        answers: list[Answer] = []
        for row in rows:
            said: Input = {"question": row["message"]}
            answers.append(talk.invoke(said, context=context)["answer"])
        found = judged(rows, answers)
        shares = ", ".join(
            f"{item} {found[item] / answerable:.3f}" for item in ("right", "wrong", "silent")
        )
        print(f"{name}: of {answerable} questions {shares}; ", end="")
        print(f"{found['none']} of {others} answered that no record answers")
        if several:
            apart = sum(len(item["parts"]) == 2 for item in answers)
            print(f"  {apart} of {len(rows)} messages taken apart into two questions")
    if chosen.data:
        aside = [
            item
            for item in read_question_passages(chosen.data)
            if item.held_out and item.style == "message"
        ]
        single = [item.question for item in aside if item.question.count("?") < 2]
        taken = sum(len(sub_questions(item, question_sentences)) > 1 for item in single)
        print(f"{taken} of {len(single)} messages with at most one question mark taken apart")


if __name__ == "__main__":
    main()
