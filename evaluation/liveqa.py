"""LiveQA-Med: consumer questions over a pool of answers graded by people [R7]."""

from pathlib import Path
from typing import Any, Literal

from anamnesis.corpus import files
from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError
from evaluation.reading import Query

Asked = Literal["message", "summary"]

_LEAST = 3  # minimum grade of a correct answer (incomplete); 4 is excellent


def liveqa_pool(file: Path) -> list[Record]:
    """The judged answers. For an answer without text, its question is used.

    Raises CorpusError, with file and line, for an invalid record.
    """
    found = []
    for where, item in _rows(file):
        try:
            text = item["answer"] or item["question"]
            found.append(Record(item["answer_id"], item["question"], text, item["question"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise _malformed(file, where, "answer_id, question and answer", error) from error
    return found


def liveqa_queries(file: Path, asked: Asked) -> list[Query]:
    """Questions with a correct answer (grade 3 or 4): the whole message, or its summary.

    Grades are 1 to 4; of two grades the higher one counts. The gain of a grade in NDCG is 2^(grade
    - 1) - 1, and an answer is relevant from grade 2 (related) on.

    Raises CorpusError, with file and line, for an invalid record.
    """
    found = []
    for where, item in _rows(file):
        try:
            grades = {each["answer_id"]: max(each["grades"]) for each in item["judgments"]}
            text = item[asked] or item["summary"]
            if max(grades.values()) >= _LEAST:
                gains = {key: 2.0 ** (max(1, grade) - 1) - 1 for key, grade in grades.items()}
                found.append(Query(str(item["qid"]), text, gains))
        except (KeyError, TypeError, ValueError) as error:
            raise _malformed(file, where, "qid, message, summary and judgments", error) from error
    return found


def _rows(file: Path) -> list[tuple[str, Any]]:
    rows = list(files.json_rows(file))
    wrong = next((row for row in rows if row.problem), None)
    if wrong:
        raise CorpusError(f"{file}, {wrong.where}: {wrong.problem}. Correct the record.")
    return [(row.where, row.values) for row in rows]


def _malformed(file: Path, where: str, wanted: str, error: Exception) -> CorpusError:
    return CorpusError(
        f"{file}, {where}: it is not a record of LiveQA-Med ({type(error).__name__}: {error}). "
        f"It must have {wanted}."
    )
