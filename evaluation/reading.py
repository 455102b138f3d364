"""Reading the data of evaluations: labelled pairs, judged queries, multiple choice questions.

In a corpus an unusable record is skipped. Here it is an error: without that record, the evaluation
would measure something other than the file.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Malformed, Skip
from anamnesis.entailment import Label
from anamnesis.errors import CorpusError, SettingError
from evaluation.metrics import relevant_ids
from nodes.fields.options import read_options

_LABELS: Mapping[str, Label] = {label: label for label in get_args(Label)}
_HIGHEST_GRADE = 100  # 2^grade must be finite
_BIOASQ = ("yesno", "factoid", "list", "summary")  # its types of questions
_T = TypeVar("_T")


class Pair(NamedTuple):
    """A hypothesis, and whether its premise entails it, contradicts it, or neither.

    ``more`` are further premises: the hypothesis is entailed if one of them entails it.
    """

    premise: str
    hypothesis: str
    label: Label
    more: tuple[str, ...] = ()

    @property
    def premises(self) -> tuple[str, ...]:
        """All premises."""
        return (self.premise, *self.more)


class Query(NamedTuple):
    """A query, and the grades of the documents that were judged for it, by id.

    Queries of one ``group``, such as a subject, are not independent.
    """

    id: str
    text: str
    relevant: Mapping[str, float]
    group: str | None = None

    @property
    def judged(self) -> bool:
        """Whether at least one document is relevant, so that a ranking can be measured."""
        return bool(relevant_ids(self.relevant))


class Question(NamedTuple):
    """A multiple choice question: its options by key, and the key of the right one."""

    text: str
    options: Mapping[str, str]
    answer: str


def read_pairs(file: Path, split: str | None = None) -> list[Pair]:
    """Pairs of a JSON Lines file, which may be compressed: premise, hypothesis, label.

    The premise may be a list of texts: passages that may support the hypothesis.

    ``split`` keeps only records with this value in the field ``split``. Other fields are ignored.

    Raises CorpusError, with file and line, if a record cannot be read or is invalid, and if none is
    left.
    """
    return [pair for _, pair in labelled(file, split, _pair)]


def read_queries(file: Path, split: str | None = None, *, graded: bool = False) -> list[Query]:
    """Queries of a JSON Lines file, which may be compressed: id, text, relevant {id: grade}.

    BioASQ's questions are read in their own format: id, question, relevant_passages [id, …], of
    grade 1.

    ``split`` keeps only records with this value in the field ``split``. Other fields are ignored.
    With ``graded``, grades begin at 0, and there may be no relevant document.

    Raises CorpusError, with file and line, if a record cannot be read, is invalid or repeats an id,
    and, unless ``graded``, if no query has a relevant document.
    """
    least = 0 if graded else -_HIGHEST_GRADE
    places: dict[str, str] = {}
    queries = []
    for where, query in labelled(file, split, partial(_query, lowest_grade=least)):
        if query.id in places:
            raise CorpusError(
                f"{file}, {where}: the id {query.id!r} is that of {places[query.id]} already. "
                "Give each query an id of its own."
            )
        places[query.id] = where
        queries.append(query)
    if not graded and not any(query.judged for query in queries):
        raise CorpusError(
            f"{file}: none of its {len(queries)} queries has a relevant document. Give the field "
            "'relevant' the ids of documents, each with a grade above 0."
        )
    return queries


def read_questions(file: Path, dataset: str | None = None) -> tuple[list[Question], int]:
    """Questions of a JSON Lines file, which may be compressed: question, options, answer [K5].

    The second value counts the questions left out: their options are equal, empty or only one, or
    they are BioASQ's of a type other than yes/no.

    The options are a list of texts or an object from keys to texts (see
    ``nodes.question.options``), the answer is the key or the text of one of them. Two data sets are
    read in their own formats [S8]: PubMedQA, where ``final_decision`` is yes, no or maybe, and
    BioASQ, where ``exact_answer`` is yes or no if ``type`` is yesno. ``dataset`` keeps only records
    with this value in the field ``dataset``. Other fields are ignored.

    Raises CorpusError, with file and line, if a record cannot be read or is invalid, and if none is
    left.
    """
    found = [question for _, question in labelled(file, dataset, _question, "dataset")]
    questions = [question for question in found if question is not None]
    if not questions:
        raise CorpusError(
            f"{file}: none of its {len(found)} questions has options that differ. Give each "
            "question at least two options with texts of their own."
        )
    return questions, len(found) - len(questions)


@contextmanager
def fields_of(row: files.Row, file: Path) -> Iterator[Mapping[str, Any]]:
    """The fields of a record; CorpusError, with file and place, if it is unusable."""
    try:
        if row.problem:
            raise Malformed("not readable", row.problem)
        yield building.fields(row.values)
    except Skip as wrong:
        detail = f" ({wrong.detail})" if wrong.detail else ""
        raise CorpusError(
            f"{file}, {row.where}: {wrong.reason}{detail}. Correct the record or remove it."
        ) from wrong


def labelled(
    file: Path, split: str | None, make: Callable[[Mapping[str, Any]], _T], field: str = "split"
) -> Iterator[tuple[str, _T]]:
    """The result of ``make`` for each record of the split, with its place in the file.

    ``make`` raises ``Malformed`` for an invalid record.

    Raises CorpusError, with file and line, for an unusable record, and if none is left.
    """
    others: dict[str, None] = {}
    kept = 0
    for row in files.json_rows(file):
        with fields_of(row, file) as values:
            value = values.get(field)
            if split is not None and value != split:
                others[str(value)] = None
                continue
            made = make(values)
        kept += 1
        yield row.where, made
    if not kept:
        known = f" of {field} {split!r}; there are: {', '.join(others)}" if others else ""
        raise CorpusError(f"{file}: it contains no record{known}. Check the file and the {field}.")


def _pair(values: Mapping[str, Any]) -> Pair:
    given = values.get("premise")
    if isinstance(given, list):
        if not given:
            raise Malformed("field 'premise' is an empty list", "give at least one text")
        premise, *more = [text_of({"premise": item}, "premise") for item in given]
    else:
        premise, more = text_of(values, "premise"), []
    hypothesis = text_of(values, "hypothesis")
    label = text_of(values, "label")
    if label not in _LABELS:
        raise Malformed(f"unknown label {label!r}", f"labels are {', '.join(_LABELS)}")
    return Pair(premise, hypothesis, _LABELS[label], tuple(more))


def _query(values: Mapping[str, Any], lowest_grade: int) -> Query:
    key = "_id" if "_id" in values else "id"
    text = "question" if "question" in values and "text" not in values else "text"
    relevant = values.get("relevant")
    passages = values.get("relevant_passages")
    if "relevant" not in values and isinstance(passages, list):
        relevant = dict.fromkeys(map(str, passages), 1)
    if not isinstance(relevant, dict):
        found = type(relevant).__name__ if "relevant" in values else "no such field"
        raise Malformed("field 'relevant' is not an object of ids with grades", f"found {found}")
    for document, grade in relevant.items():
        if isinstance(grade, bool) or not isinstance(grade, int | float):
            raise Malformed(f"the grade of {document!r} is not a number", f"found {grade!r}")
        if not math.isfinite(grade) or not lowest_grade <= grade <= _HIGHEST_GRADE:
            raise Malformed(
                f"the grade of {document!r} is {grade}",
                f"grades go up to {_HIGHEST_GRADE}, from {lowest_grade} on",
            )
    return Query(text_of(values, key), text_of(values, text), relevant)


def _question(values: Mapping[str, Any]) -> Question | None:
    if "options" not in values and values.get("type") in _BIOASQ and "exact_answer" in values:
        if values["type"] != "yesno":
            return None
        values = {**values, "options": ["yes", "no"], "answer": values["exact_answer"]}
    elif "options" not in values and "final_decision" in values:
        decision = values["final_decision"]
        values = {**values, "options": ["yes", "no", "maybe"], "answer": decision}
    text, answer, given = (
        text_of(values, "question"),
        text_of(values, "answer"),
        values.get("options"),
    )
    if not isinstance(given, list | dict):
        found = type(given).__name__ if "options" in values else "no such field"
        raise Malformed("field 'options' is not a list or object of texts", f"found {found}")
    try:
        options = read_options(given)
    except SettingError:
        return None
    right = [key for key, item in options.items() if answer == key] or [
        key for key, item in options.items() if answer.casefold() == item.casefold()
    ]
    if not right:
        raise Malformed(f"the answer {answer!r} is not one of the options", ", ".join(options))
    return Question(text, options, right[0])


def text_of(values: Mapping[str, Any], name: str) -> str:
    """A required field's text, stripped. Raises Malformed if it is missing or not Unicode."""
    found = building.answer(values, name)
    try:
        found.encode("utf-8")
    except UnicodeEncodeError:
        # Half of a surrogate pair: valid in JSON, but no tokenizer can read it.
        raise Malformed(f"field {name!r} is not Unicode text", f"found {found!a}") from None
    return found
