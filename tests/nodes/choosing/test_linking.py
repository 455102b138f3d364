"""Which facts link a question with an option, and which options are linked most."""

import pytest

from anamnesis.corpus.passage import Passage
from nodes.choosing.linking import linked, linking

OPTIONS = {"A": "Oral colchicine", "B": "Allopurinol", "C": "Rest", "D": "No allopurinol"}


def fact(head: str, verb: str, tail: str, *aliases: str) -> Passage:
    names = ((head,), (tail, *aliases))
    return Passage(
        f"{head} {tail}#0", "f", 0, 0, f"{head} {verb} {tail}.", kind="fact", names=names
    )


TREATS = fact("Colchicine", "may treat", "Gout", "podagra")
FEVER = fact("Colchicine", "may treat", "Fever")
ALLOPURINOL = fact("Allopurinol", "may treat", "Gout", "podagra")


@pytest.mark.parametrize(
    ("question", "facts", "found"),
    [
        ("What helps against gout?", [TREATS], ["A"]),
        ("What helps against podagra?", [TREATS, ALLOPURINOL], ["A", "B"]),
        ("What helps against gout with fever?", [TREATS, FEVER, ALLOPURINOL], ["A"]),
        ("What helps against asthma?", [TREATS, ALLOPURINOL], []),
        ("What helps against gout?", [fact("Gout", "may cause", "Rest")], ["C"]),
        ("What is contraindicated in gout?", [TREATS], []),
        (
            "What is contraindicated in gout?",
            [fact("Colchicine", "may be contraindicated in", "Gout")],
            ["A"],
        ),
        ("What may cause gout?", [fact("Rest", "may be contraindicated in", "Gout")], []),
        ("Which drug is given for gout?", [fact("Rest", "may cause", "Gout")], []),
        ("A man has gout. What now?", [fact("Rest", "may cause", "Gout"), TREATS], ["A", "C"]),
        ("What helps against gout?", [fact("No", "may treat", "Gout")], []),
        (
            "What helps against tophaceous gout?",
            [TREATS, fact("Colchicine", "may treat", "Tophaceous gout"), ALLOPURINOL],
            ["A", "B"],
        ),
        ("Which is a drug?", [fact("Colchicine", "belongs to the category of", "Drug")], []),
        ("Which is like a drug?", [fact("Colchicine", "has features in common with", "Drug")], []),
    ],
)
def test_the_options_that_most_of_the_question_is_linked_with(
    question: str, facts: list[Passage], found: list[str]
) -> None:
    links = linking(question, OPTIONS, facts)
    assert linked(question, OPTIONS, links, negated=False) == found


def test_of_an_exception_it_is_what_nothing_is_linked_with() -> None:
    asked = "All help against gout except"
    links = linking(asked, OPTIONS, [TREATS, ALLOPURINOL])
    assert links == {"A": [TREATS], "B": [ALLOPURINOL], "C": [], "D": []}
    assert linked(asked, OPTIONS, links, negated=True) == ["C", "D"]
    assert linked(asked, OPTIONS, linking(asked, OPTIONS, []), negated=True) == []


def test_a_passage_links_nothing() -> None:
    passage = Passage("p#0", "p", 0, 0, "Colchicine may treat Gout.")
    assert not any(linking("What helps against gout?", OPTIONS, [passage]).values())
