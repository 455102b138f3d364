"""Each sentence that is not quoted has one reason."""

from nodes.writing.extract import extract_quotations
from nodes.writing.unquoted import dropped_sentences
from tests.nodes.pages import page, read, texts
from tests.nodes.writing.test_extract import PLAIN


def test_each_sentence_that_is_not_quoted_has_the_one_reason_and_its_figure() -> None:
    passage = page(
        "Gout hurts the big toe. Gout hurts the big toe badly. Cats are small animals."
        " Does it last? Beer brings on the attacks. Rest helps against gout."
    )
    selected = [read(passage, 0.9, 0.95, 0.9, 0.1, 0.8, 0.7, 0.6)]
    found = extract_quotations([passage], selected, 0.2, 2, **PLAIN)
    assert texts(found.statements) == ["Gout hurts the big toe.", "Beer brings on the attacks."]
    left = dropped_sentences([passage], selected, found)
    assert [item["why"].removeprefix("probability of the sentence ") for item in left] == [
        "0.90, but it repeats a quotation: overlap 1.00, above 0.7",
        "0.10, below 0.40",
        "0.80, but it is no claim by itself",
        "0.60, but no more than 2 are quoted from this passage",
    ]
    assert [passage.text[item["start"] : item["end"]] for item in left][
        1
    ] == "Cats are small animals."


def test_a_sentence_whose_antecedent_cannot_be_quoted_says_so() -> None:
    passage = page("A heading\n\nIt is caused by lack of fruit. Gout hurts the big toe.")
    selected = [read(passage, 0.9, 0.1, 0.9, 0.9)]
    left = dropped_sentences(
        [passage], selected, extract_quotations([passage], selected, 0.2, 5, **PLAIN)
    )
    assert left[1]["why"].endswith("0.90, but what it refers to cannot be quoted before it")


def test_a_passage_on_false_beliefs_is_named_as_the_reason() -> None:
    passage = page("Myths about gout\n\nGout only affects rich men.")
    selected = [read(passage, 0.9, 0.9, 0.9)]
    left = dropped_sentences(
        [passage], selected, extract_quotations([passage], selected, 0.2, 5, **PLAIN)
    )
    assert {item["why"] for item in left} == {"its passage is about false beliefs"}
