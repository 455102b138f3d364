"""The judged pages that an answer may list below its statements."""

from pathlib import Path

import pytest

from benchmarks import other_pages
from benchmarks.other_pages import LABELS, judged, lines
from benchmarks.typed_answers import rows


def test_every_page_of_a_question_has_one_label() -> None:
    found = rows("other_pages.tsv")
    assert len({(row["question"], row["record"]) for row in found}) == len(found) == 836
    assert {row["label"] for row in found} == set(LABELS)


def test_listed_pages_are_counted_by_label(monkeypatch: pytest.MonkeyPatch) -> None:
    question, labels = next(iter(judged().items()))
    record, label = next(iter(labels.items()))

    def listed(graph: object, asked: str, context: object) -> list[str] | None:
        return [record, "another"] if asked == question else None

    monkeypatch.setattr(other_pages, "listed", listed)
    helped = int(label == "answers")
    first = f"default: answers with statements 1, with a page that answers {helped}"
    shown = list(lines(Path("index")))
    assert shown[0] == first
    assert "pages listed 2" in shown[1]
    assert f"{label} 1" in shown[1]
    assert shown[1].endswith("not judged 1")
