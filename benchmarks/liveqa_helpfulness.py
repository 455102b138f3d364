"""LiveQA-Med as corpus and queries for ``anamnesis evaluate helpfulness``.

    python -m benchmarks.liveqa_helpfulness [--data DIR] --out DIR

Writes ``corpus.jsonl``, the judged answers, and queries with their grades for the people's messages
(subject and message) and for their one-line summaries: all judged ones (``…_all.jsonl``), and those
with an answer that helps (``…_answerable.jsonl``). The grades 1 to 4 become 0 to 3: incorrect,
related, incomplete, excellent; of two different grades the lower one counts. For an answer without
text its question is used, as in ``evaluate retrieval``.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from anamnesis.corpus import files
from anamnesis.errors import CorpusError
from benchmarks.command_line import command_line
from evaluation.helpfulness import MIN_HELPFUL_GRADE
from evaluation.liveqa import liveqa_pool
from evaluation.results import put

ANSWERS, QUESTIONS = "liveqa_med_answers.jsonl.gz", "liveqa_med_qrels.jsonl.gz"


def documents(file: Path) -> list[dict[str, str]]:
    """The judged answers as rows of a corpus: id, question, text."""
    return [
        {"id": item.id, "question": item.question, "text": item.text} for item in liveqa_pool(file)
    ]


def queries(file: Path) -> dict[str, list[dict[str, Any]]]:
    """The judged questions as rows of queries, by the name of their file.

    Raises CorpusError, with file and line, for an invalid record.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for row in files.json_rows(file):
        try:
            values = row.values
            grades = {each["answer_id"]: min(each["grades"]) - 1 for each in values["judgments"]}
            summary = values["summary"].strip()
            written = "\n".join(
                part for part in (values["subject"], values["message"]) if part
            ).strip()
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CorpusError(
                f"{file}, {row.where}: it is not a record of LiveQA-Med "
                f"({row.problem or repr(error)}). It must have qid, subject, message, summary and "
                "judgments."
            ) from error
        if not grades:
            continue
        for name, text in (("messages", written or summary), ("summaries", summary)):
            query = {"id": str(values["qid"]), "text": text, "relevant": grades}
            found.setdefault(f"{name}_all", []).append(query)
            if max(grades.values()) >= MIN_HELPFUL_GRADE:
                found.setdefault(f"{name}_answerable", []).append(query)
    return found


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--out", required=True, help="folder to write into")
    chosen = options.parse_args()
    data, out = chosen.data, Path(chosen.out)
    made: dict[str, Iterable[Mapping[str, Any]]] = {"corpus": documents(data / ANSWERS)}
    for name, rows in (made | queries(data / QUESTIONS)).items():
        lines = [json.dumps(item, ensure_ascii=False) + "\n" for item in rows]
        put(out / f"{name}.jsonl", "".join(lines))
        print(f"{out / name}.jsonl: {len(lines)} rows")


if __name__ == "__main__":
    main()
