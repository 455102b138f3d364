"""BioASQ Task B: questions of biomedical experts with ideal answers and their evidence [H8].

Read as published (``{"questions": [{"body": …}]}``) and as JSON Lines with the fields question,
ideal_answers and relevant_pmids. Evidence snippets (fields pmid, text) are a separate format.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Malformed, Skip
from anamnesis.corpus.files import Row
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.language.text import tidy

_PUBMED = "https://pubmed.ncbi.nlm.nih.gov/"


def read(file: Path, report: Report) -> Iterator[Record]:
    """Records whose text is the first ideal answer; other wordings are in the metadata."""
    return building.build(file, _rows(file), _record, report)


def read_passages(file: Path, report: Report) -> Iterator[Record]:
    """PubMed snippets: JSON Lines with id, pmid, section and text."""
    return building.build(file, files.json_rows(file), _passage, report)


def _rows(file: Path) -> Iterator[Row]:
    for row in files.json_rows(file):
        inner = row.values.get("questions") if isinstance(row.values, dict) else None
        if isinstance(inner, list):
            yield from (Row(f"question {n}", item) for n, item in enumerate(inner, start=1))
        else:
            yield row


def _record(values: Mapping[str, Any]) -> Record:
    question = building.text(values, "body") or building.text(values, "question")
    if not question:
        raise Malformed("no question", f"fields found: {', '.join(values) or 'none'}")
    answers = building.texts(values, "ideal_answer") or building.texts(values, "ideal_answers")
    if not answers:
        if not {"ideal_answer", "ideal_answers", "exact_answer"} & values.keys():
            raise Malformed("no field 'ideal_answer'", f"fields found: {', '.join(values)}")
        raise Skip("no ideal answer")
    question = building.tidy_question(question)
    documents = _documents(values)
    return Record(
        id=building.text(values, "id") or building.content_id("bioasq", question),
        title=question,
        text=answers[0],
        question=question,
        source="BioASQ",
        url=documents[0] if documents else "",
        metadata={
            **building.non_empty_fields(values, "type", "exact_answer", "batch"),
            "documents": documents,
            "other_answers": answers[1:],
        },
    )


def _documents(values: Mapping[str, Any]) -> list[str]:
    """Addresses of the articles, each once: as given, or made from PubMed numbers."""
    given = building.texts(values, "documents")
    numbers = building.texts(values, "relevant_pmids")
    return list(dict.fromkeys(given or [f"{_PUBMED}{number}/" for number in numbers]))


def _passage(values: Mapping[str, Any]) -> Record:
    text = tidy(building.answer(values, "text"))
    number = building.text(values, "pmid", required=True)
    section = building.text(values, "section")
    return Record(
        id=building.text(values, "id") or building.content_id(f"pubmed-{number}", text),
        title=f"PubMed {number}",
        text=text,
        source="PubMed",
        url=f"{_PUBMED}{number}/",
        kind="snippet",
        metadata={"pmid": number, **({"section": section} if section else {})},
    )
