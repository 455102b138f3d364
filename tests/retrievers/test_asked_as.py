"""The heading with which the reader gets a passage whose record lists questions."""

from anamnesis.corpus.passage import Passage
from retrievers.asked_as import headings


def page(key: str, *asked: str) -> Passage:
    return Passage(f"{key}#0", key, 0, 2, "T.", title=key, metadata={"asked_as": list(asked)})


def test_the_nearest_question_of_each_record_follows_its_heading() -> None:
    teeth = page("Milk teeth", "baby one year old no teeth yet", "how to brush a toddler's teeth")
    gout = page("Gout", "big toe red hot overnight", "beer and gout")
    found = headings("my son is 12 months and still has no tooth", [teeth, gout, page("Croup")])
    assert found[0] == "Milk teeth baby one year old no teeth yet"
    assert found[1] in ("Gout big toe red hot overnight", "Gout beer and gout")
    assert found[2] == "Croup"


def test_without_such_questions_headings_stay() -> None:
    assert headings("gout", [page("Gout"), page("Croup")]) == ["Gout", "Croup"]
    assert headings("gout", []) == []


def test_equal_questions_of_two_records_are_given_to_both() -> None:
    found = headings("toe", [page("Gout", "sore toe"), page("Bunion", "sore toe")])
    assert found == ["Gout sore toe", "Bunion sore toe"]
