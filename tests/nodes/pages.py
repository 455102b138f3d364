"""Passages as they were found and read, for the tests of what is quoted of them."""

from collections.abc import Sequence
from typing import Any

from anamnesis.corpus.passage import Passage
from anamnesis.language.text import sentences
from nodes.fields.passages import Selected
from nodes.state import Statement
from nodes.writing.extract import extract_quotations


def page(text: str, key: str = "g", title: str = "Gout") -> Passage:
    return Passage(f"{key}#0", key, 0, len(text), text, title=title)


def page_on_topic(key: str, text: str) -> Passage:
    return Passage(f"{key}#0", key, 0, len(text), text, "Topic", focus="Topic")


def read(passage: Passage, relevance: float, *chances: float) -> Selected:
    spans = sentences(passage.text)
    return {
        "id": passage.id, "record_id": passage.record_id, "score": 1.0, "ranks": {}, "scores": {},
        "relevance": relevance, "polar": {},
        "sentences": [[*span, chance] for span, chance in zip(spans, chances, strict=True)],
    }  # fmt: skip


def quoted_statements(*given: Any, **settings: Any) -> list[Statement]:
    return extract_quotations(*given, **settings).statements


def texts(kept: Sequence[Statement]) -> list[str]:
    return [item["text"] for item in kept]


def undisputed(sentence: str, passage: Passage) -> bool:
    return False
