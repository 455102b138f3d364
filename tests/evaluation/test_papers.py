"""The figures of the papers on the page of results."""

import pytest

from evaluation.page import page
from evaluation.papers import FACTS, REASONING, SPARSE_DENSE, comparison
from tests.evaluation.test_evaluation_page import PARTS, answers, retrieval


def test_the_paper_is_shown_with_its_own_protocol_only() -> None:
    assert f"{SPARSE_DENSE.values['sparse']['ndcg@10']}" in page({"one": retrieval()}, PARTS)
    assert "Row R7" not in page({"one": retrieval("judged")}, PARTS)


@pytest.mark.parametrize(
    ("dataset", "rows"), [("medqa", ["K6", "S8"]), ("pubmedqa", ["S8"]), ("mmlu", []), (None, [])]
)
def test_answers_are_shown_with_the_paper_on_the_same_data_set(
    dataset: str | None, rows: list[str]
) -> None:
    text = page({"one": answers(dataset)}, PARTS)
    assert [row for row in ("K6", "S8") if f"Row {row}" in text] == rows
    # Each of our rows that measures the same is there, and no other.
    found = [row[0] for row in comparison(FACTS, answers()["rows"]) if row[3]]
    assert found == [f"MedQA, {text}" for text in (
        "no facts (ours: no facts)", "facts (ours: 4 facts)", "facts (ours: 8 facts)"
    )]  # fmt: skip
    assert comparison(FACTS, {"critic own": {}})[1] == ("MedQA, facts", "accuracy", 0.4854, None)
    assert len(comparison(REASONING["medqa"], answers()["rows"])) == 3
