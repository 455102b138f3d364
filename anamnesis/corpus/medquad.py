"""MedQuAD: 47,457 question-answer pairs of the NIH and CDC, in XML, JSON Lines or CSV [H8].

The XML comes in three schemas: ``<Document>`` (nearly all), ``<doc>`` (four NINDS files) and
``<DiseaseFile>`` (one CDC file). The answers of three folders were removed by the authors for
copyright: these pairs are skipped and counted.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Skip
from anamnesis.corpus.medquad_text import mend
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.errors import CorpusError

_ROOTS = ("document", "doc", "diseasefile")
_NO_MORE_THAN_ITS_QUESTION = re.compile(r"What are the signs and symptoms of [^?]*\?|")
_METADATA = (
    "qtype", "umls_cui", "umls_semantic_type", "umls_semantic_group", "category", "synonyms",
    "doc_id", "file",
)  # fmt: skip


def read_xml(file: Path, report: Report) -> Iterator[Record]:
    """The answered pairs of one XML file.

    Ids are the source, the file's stem and the pair's number: ``GARD_0000004_1``.
    """
    root = _parse(file)
    if root.tag.lower() not in _ROOTS:
        raise CorpusError(
            f"{file}: its root is <{root.tag}>, not <Document>, <doc> or <DiseaseFile>. "
            "Is it a file of MedQuAD?"
        )
    shared = _document_fields(root, file)
    pairs = [element for element in root.iter() if element.tag.lower() in ("qapair", "pair")]
    for number, pair in enumerate(pairs, start=1):
        number_given = pair.get("pid") or str(number)
        try:
            yield _record({**shared, **_pair_fields(pair, number_given, shared["source"], file)})
        except Skip as skip:
            report.skip(file, f"pair {number_given}", skip.reason, skip.detail)


def read_jsonl(file: Path, report: Report) -> Iterator[Record]:
    """MedQuAD as JSON Lines: fields id, question, answer, source, focus, url and others."""
    return building.build(file, files.json_rows(file), _record, report)


def read_csv(file: Path, report: Report) -> Iterator[Record]:
    """The widespread ``medquad.csv``: columns question, answer, source, focus_area.

    It has no ids, so they are made from the record's content.
    """

    def make(row: Any) -> Record:
        values = dict(row)
        values["focus"] = values.pop("focus_area", "")
        parts = [building.text(values, n) for n in ("question", "answer", "source", "focus")]
        return _record({**values, "id": building.content_id("medquad", *parts)})

    return building.build(file, files.csv_rows(file), make, report)


def _record(values: Mapping[str, Any]) -> Record:
    question = building.tidy_question(building.text(values, "question", required=True))
    answer = building.answer(values, "answer")
    identity = building.answer(values, "id")
    source = building.text(values, "source")
    focus = " ".join(building.text(values, "focus").split())
    text = mend(answer, source, focus)
    if _NO_MORE_THAN_ITS_QUESTION.fullmatch(text):
        raise Skip("answer that names no sign but the disease", focus)
    return Record(
        id=identity,
        title=focus or question,
        text=text,
        question=question,
        source=source,
        url=building.text(values, "url"),
        focus=focus,
        metadata=building.non_empty_fields(values, *_METADATA),
    )


def _parse(file: Path) -> Element:
    """The XML tree; a file with a document type is refused: entities can grow without limit."""
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data

    def refuse(*_: object) -> None:
        raise CorpusError(f"{file}: it declares a document type. Remove the DOCTYPE and entities.")

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(files.read_bytes(file), True)
        return builder.close()
    except expat.ExpatError as error:
        raise CorpusError(
            f"{file}: it is not well-formed XML ({error}). Correct the file."
        ) from error


def _document_fields(root: Element, file: Path) -> dict[str, Any]:
    """The fields that all pairs of a document share."""
    values: dict[str, list[str]] = {}
    for element in root.iter():
        content = " ".join((element.text or "").split())
        if content:
            values.setdefault(element.tag.lower(), []).append(content)
    focus = values.get("focus") or values.get("doctitle-focus") or [""]
    return {
        "source": root.get("source") or root.get("corpus") or "",
        "url": root.get("url") or "",
        "focus": focus[0],
        "umls_cui": values.get("cui"),
        "umls_semantic_type": values.get("semantictype"),
        "umls_semantic_group": values.get("semanticgroup"),
        "category": values.get("category", [None])[0],
        "synonyms": values.get("synonym"),
        "doc_id": root.get("id") or root.get("docid") or root.get("fid"),
        "file": f"{file.parent.name}/{file.name}",
    }


def _pair_fields(pair: Element, number: str, source: str, file: Path) -> dict[str, Any]:
    found = {child.tag.lower(): child for child in pair}
    if "question" not in found or "answer" not in found:
        raise Skip("no question or no answer element", f"found: {', '.join(found) or 'nothing'}")
    return {
        "id": f"{source or 'MedQuAD'}_{files.plain_stem(file)}_{number}",
        "question": "".join(found["question"].itertext()),
        "answer": "".join(found["answer"].itertext()),
        "qtype": found["question"].get("qtype"),
    }
