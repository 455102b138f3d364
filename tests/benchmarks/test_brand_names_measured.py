"""What the measurement of brand names counts."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis import CorpusError
from anamnesis.corpus.record import Record
from benchmarks.brand_names import (
    BrandQuestion,
    outcome_of,
    read_questions,
    with_names,
    without_aliases,
)

IBUPROFEN = Record(
    "ibuprofen", "Ibuprofen", "It eases pain.", focus="Ibuprofen",
    metadata={"aliases": ["Nurofen"], "date": "2025"},
)  # fmt: skip
NAMED = BrandQuestion("what is nurofen for", "ibuprofen", True)


def answer(first: str | None, outcome: str = "answered") -> Any:
    sources = [{"id": first}, {"id": "other"}] if first else []
    return {"outcome": outcome, "statements": sources, "sources": sources}


@pytest.mark.parametrize(
    ("answerable", "given", "judgement"),
    [
        (True, answer("ibuprofen"), "right"),
        (True, answer("gout"), "wrong"),
        (True, answer(None), "silent"),
        (True, answer("ibuprofen", "urgent"), "urgent"),
        (False, answer("ibuprofen"), "answered"),
        (False, answer(None), "silent on a near miss"),
    ],
)
def test_the_first_source_decides(answerable: bool, given: Any, judgement: str) -> None:
    assert outcome_of(NAMED._replace(answerable=answerable), given) == judgement


def test_questions_with_an_alias_are_distinguished_from_others() -> None:
    others = [
        BrandQuestion("what is ibuprofen for", "ibuprofen", True),
        BrandQuestion("why", "ibuprofen", True),
    ]
    assert with_names([NAMED, *others], [IBUPROFEN]) == [NAMED]
    plain = without_aliases(IBUPROFEN)
    assert with_names([NAMED, *others], [plain]) == []
    assert dict(plain.metadata) == {"date": "2025"}


def test_rows_are_read_and_what_is_none_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "asked.jsonl.gz"
    rows = [
        {"question": NAMED.question, "record": NAMED.record, "style": style}
        for style in ("search", "nearmiss")
    ]
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert read_questions(file) == [NAMED, NAMED._replace(answerable=False)]
    file.write_bytes(gzip.compress(b'{"question": "what is nurofen for"}'))
    with pytest.raises(CorpusError, match="style"):
        read_questions(file)
