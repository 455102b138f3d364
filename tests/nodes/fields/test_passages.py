"""Records of passages that were not used, and of pages to read."""

from anamnesis.corpus.passage import Passage
from nodes.fields.passages import dropped, near_of
from retrievers.search import Hit

HIT: Hit = {"id": "croup#1", "record_id": "croup", "score": 1.5, "ranks": {}, "scores": {}}


def test_what_is_dropped_is_a_passage_or_a_sentence_of_it() -> None:
    assert dropped(HIT, "too far") == {"passage": "croup#1", "why": "too far"}
    assert dropped(HIT, "too far", 0, 9) == {
        "passage": "croup#1", "why": "too far", "start": 0, "end": 9,
    }  # fmt: skip


def test_of_several_questions_it_names_the_one_that_it_was_found_for() -> None:
    second: Hit = {**HIT, "part": 2}
    assert dropped(second, "too far") == {"passage": "croup#1", "why": "too far", "part": 2}


def test_a_page_is_named_by_its_question_or_else_by_its_title() -> None:
    passage = Passage(
        "croup#1", "croup", 9, 15, "Croup.", "Croup", "What is croup?", "NHS", "https://c"
    )
    titled = Passage("croup#1", "croup", 9, 15, "Croup.", "Croup", "", "NHS", "https://c")
    assert near_of(passage, "Croup.") == {
        "id": "croup", "title": "What is croup?", "source": "NHS", "url": "https://c",
        "sentence": "Croup.",
    }  # fmt: skip
    assert near_of(titled, "")["title"] == "Croup"
    assert near_of(titled, "")["sentence"] == ""
