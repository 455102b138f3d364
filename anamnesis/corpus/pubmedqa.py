"""PubMedQA: research questions, each with the abstract that answers it and its conclusion [H8].

Read as published (``ori_pqal.json``: an object by PubMed number with upper-case fields) and as
JSON Lines with the fields id, question, contexts, labels and long_answer.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Skip
from anamnesis.corpus.files import Row
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.language.text import tidy

_METADATA = ("final_decision", "meshes", "year", "split")


def read(file: Path, report: Report) -> Iterator[Record]:
    """Records whose text is the abstract: its labelled sections, then the conclusion."""
    return building.build(file, _rows(file), _record, report)


def read_abstracts(file: Path, report: Report) -> Iterator[Record]:
    """The same without the conclusions, which give away the answers to the questions [S8]."""
    without = {"long_answer": ""}
    return building.build(file, _rows(file), lambda row: _record({**row, **without}), report)


def _rows(file: Path) -> Iterator[Row]:
    for row in files.json_rows(file):
        values = row.values
        if (
            isinstance(values, dict)
            and values
            and all(isinstance(inner, dict) for inner in values.values())
        ):
            for number, inner in values.items():
                lowered = {name.lower(): value for name, value in inner.items()}
                yield Row(f"PubMed {number}", {"id": number, **lowered})
        else:
            yield row


def _record(values: Mapping[str, Any]) -> Record:
    question = building.tidy_question(building.text(values, "question", required=True))
    contexts = building.texts(values, "contexts", required=True)
    labels = building.texts(values, "labels")
    conclusion = tidy(building.text(values, "long_answer"))
    if len(labels) != len(contexts):
        labels = [""] * len(contexts)
    parts = [*zip(labels, contexts, strict=True), ("Conclusion", conclusion)]
    text = "\n\n".join(
        f"{label.capitalize()}\n\n{part}" if label else part for label, part in parts if part
    )
    if not contexts and not conclusion:
        raise Skip("empty abstract")
    number = building.text(values, "id") or building.text(values, "pmid")
    year = building.text(values, "year")
    dated = {"date": year} if year else {}
    return Record(
        id=number or building.content_id("pubmedqa", question, text),
        title=question,
        text=text,
        question=question,
        source="PubMed",
        url=f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if number.isdigit() else "",
        kind="abstract",
        metadata={**building.non_empty_fields(values, *_METADATA), **dated},
    )
