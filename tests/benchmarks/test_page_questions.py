"""The questions that were written for pages of MedQuAD."""

from pathlib import Path

from evaluation.reading import read_queries

FILE = Path(__file__).parents[2] / "benchmarks" / "page_questions.jsonl.gz"


def test_each_page_has_a_short_question_and_a_message() -> None:
    short, message = (read_queries(FILE, split) for split in ("short", "message"))
    pages = [item.id.rpartition(":")[0] for item in short]
    assert len(set(pages)) == len(pages) > 2_500
    assert set(pages) == {item.id.rpartition(":")[0] for item in message}
    for item in [*short, *message]:
        [(record, grade)] = item.relevant.items()
        assert item.id.startswith(f"{record}#")
        assert grade == 3
    texts = [item.text.casefold() for item in [*short, *message]]
    assert len(set(texts)) == len(texts)
    assert max(len(item.text.split()) for item in short) <= 12
