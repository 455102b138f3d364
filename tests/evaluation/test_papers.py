"""The figures of the papers on the page of results."""

import pytest

from evaluation.page import page
from evaluation.papers import FACTS, REASONING, SPARSE_DENSE, comparison
from tests.evaluation.test_evaluation_page import PARTS, answers, retrieval


def test_the_paper_stands_beside_its_own_protocol_only() -> None:
    assert f"{SPARSE_DENSE.values['sparse']['ndcg@10']}" in page({"one": retrieval()}, PARTS)
    assert "Row R7" not in page({"one": retrieval("judged")}, PARTS)


@pytest.mark.parametrize(
    ("dataset", "rows"), [("medqa", ["K6", "S8"]), ("pubmedqa", ["S8"]), ("mmlu", []), (None, [])]
)
def test_answers_stand_beside_the_paper_on_the_same_data_set(
    dataset: str | None, rows: list[str]
) -> None:
    told = page({"one": answers(dataset)}, PARTS)
    assert [row for row in ("K6", "S8") if f"Row {row}" in told] == rows
    # Each of our rows that measures the same is there, and no other.
    found = [own[0] for own in comparison(FACTS, answers()["rows"]) if own[3]]
    assert found == [f"MedQA, {own}" for own in (
        "no facts (ours: no facts)", "facts (ours: 4 facts)", "facts (ours: 8 facts)"
    )]  # fmt: skip
    assert comparison(FACTS, {"critic own": {}})[1] == ("MedQA, facts", "accuracy", 0.4854, None)
    assert len(comparison(REASONING["medqa"], answers()["rows"])) == 3
