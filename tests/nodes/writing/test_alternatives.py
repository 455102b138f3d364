"""Other answers to the question."""

from anamnesis.corpus.passage import Passage
from nodes.fields.passages import ReadPassage
from nodes.writing.alternatives import alternatives


def page(name: str, text: str) -> Passage:
    return Passage(f"{name}#0", name, 0, len(text), text, title=name)


PAGES = [
    page("used", "Rest helps."),
    page("first", "Honey helps."),
    page("disputed", "Stop all inhalers at once."),
    page("myths", "Myth: asthma is caused by milk. Fact: it is not."),
    page("weak", "Tea helps."),
]
BY_ID = {page.id: page for page in PAGES}
READ: list[ReadPassage] = [
    {"id": page.id, "relevance": 0.3 if page.record_id == "weak" else 0.9, "start": 0,
     "end": len(page.text)}
    for page in PAGES
]  # fmt: skip


def test_disputed_sentences_myths_and_what_does_not_fit_are_left_out() -> None:
    found = alternatives(READ, BY_ID, ["used"], 0.5, 5, lambda text, _: "inhalers" in text)
    assert [page["id"] for page in found] == ["first"]
    every = alternatives(READ, BY_ID, ["used"], 0.5, 5, lambda *_: False)
    assert [page["id"] for page in every] == ["first", "disputed"]


def test_the_same_sentence_on_two_pages_is_one_alternative() -> None:
    pages = [page(name, "Honey helps.") for name in "ab"] + [page("c", "Rest helps.")]
    read: list[ReadPassage] = [
        {"id": page.id, "relevance": 0.9, "start": 0, "end": len(page.text)} for page in pages
    ]
    by_id = {page.id: page for page in pages}
    found = alternatives(read, by_id, [], 0.5, 2, lambda *_: False)
    assert [page["id"] for page in found] == ["a", "c"]
