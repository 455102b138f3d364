"""Statements about a different kind or medicine than the question are turned down."""

from dataclasses import replace

import pytest

from anamnesis.corpus.passage import Passage
from nodes.checking.judge import judge
from nodes.checking.statements import unchecked_statement
from nodes.checking.subject import (
    DOSE,
    counted_statements,
    on_subject,
    on_unasked_mishap,
    only_another_subject,
)
from nodes.fields.codes import failed_check_text
from nodes.state import Statement
from tests.fakes import FakeCritic, by_words

TYPE_2 = "how is type 2 diabetes treated"


def page(text: str, key: str, title: str) -> Passage:
    return Passage(f"{key}#0", key, 0, len(text), text, title=title)


ONE = page("Insulin is injected every day.", "one", "How is type 1 diabetes treated?")
BOTH = page(
    "Type 1 diabetes is treated with insulin. Type 2 is often treated with tablets.",
    "both",
    "Diabetes",
)


def judged(asked: str, *said: Statement, passages: list[Passage]) -> list[Statement]:
    critic = FakeCritic(by_words(("", "", 1.0, 0.0)))
    return judge(said, passages, critic, 0.5, questions={0: asked})


def texts(item: Statement) -> list[str]:
    return [failed_check_text(failed) for failed in item["failed"]]


def test_quotations_on_another_kind_are_turned_down_and_say_why() -> None:
    said = [
        unchecked_statement("Type 1 diabetes is treated with insulin.", ["both#0"]),
        unchecked_statement("Type 2 is often treated with tablets.", ["both#0"]),
        unchecked_statement("Insulin is injected every day.", ["one#0"]),
    ]
    first, second, third = judged(TYPE_2, *said, passages=[BOTH, ONE])
    assert (first["verdict"], texts(first)) == ("unsupported", ["kind: Type 1"])
    assert (second["verdict"], texts(second)) == ("supported", [])
    assert (third["citations"], texts(third)) == ([], ["kind: type 1"])
    assert {item["verdict"] for item in judged("", *said, passages=[BOTH, ONE])} == {"supported"}


def test_the_same_words_in_a_passage_on_the_kind_are_cited_from_there() -> None:
    passage = page(ONE.text, "two", "How is type 2 diabetes treated?")
    for text in (ONE.text, "Insulin is given every day."):  # a quotation, and the critic's verdict
        [statement] = judged(TYPE_2, unchecked_statement(text, ["one#0"]), passages=[ONE, passage])
        assert (statement["verdict"], statement["citations"]) == ("supported", ["two#0"])


def test_a_dose_of_one_medicine_is_none_of_a_product_that_contains_more() -> None:
    dosed = page("Adults take at most 4 g of paracetamol a day.", "p", "Paracetamol")
    other = page("Paracetamol can harm the liver.", "p", "Paracetamol")
    named = page("Take 1 g of paracetamol with 50 mg of diphenhydramine.", "p", "Paracetamol")
    for asked, source, failed in (
        ("how many tylenol pm can i take", dosed, ["medicine: paracetamol"]),
        ("how many tylenol pm can i take", other, []),
        ("how many tylenol pm can i take", named, []),
        ("how many tylenol can i take", dosed, []),
        ("can i take tylenol 3 times a day", dosed, []),
        ("how many tylenol 3 can i take", dosed, ["medicine: paracetamol"]),
    ):
        [statement] = judged(asked, unchecked_statement(source.text, ["p#0"]), passages=[source])
        assert texts(statement) == failed, (asked, source.text)


def test_a_maximum_dose_answers_only_questions_on_an_amount_for_that_person() -> None:
    text = "At most 1,200 mg of ibuprofen can be taken in 24 hours."
    adults, childs = (
        replace(page(text, "p", heading), focus="Ibuprofen", metadata={"aliases": ["nurofen"]})
        for heading in (
            "How much ibuprofen can an adult take at once and in a day (maximum dose)?",
            "How much ibuprofen can I give my child (maximum dose)?",
        )
    )
    for asked, found in (
        ("how many nurofen can I take at once", "adult"),
        ("can i take 3 ibuprofens", "adult"),
        ("is my dose of ibuprofen too high", "adult"),
        ("how much ibuprofen can a 70 year old take", "adult"),
        ("max ibuprofen for a 7 year old", "child"),
        ("how much ibuprofen can a baby have", "child"),
        ("im 29 weeks pregnant, how much ibuprofen a day is ok", ""),
        ("ckd stage 4, how many 200 mg ibuprofen can i take", ""),
        ("who should not take ibuprofen", ""),
        ("how long does ibuprofen take to work", ""),
        ("how long does 400 mg of ibuprofen last", ""),
        ("how much water should I drink a day", ""),
        ("he is on eliquis and took two ibuprofen, is that bad", ""),
        ("how many beers can I drink with 400 mg of ibuprofen", ""),
        ("how many hours does ibuprofen last", ""),
        ("how many nurofen plus can i take", ""),
        ("I swallowed 20 ibuprofen tablets", ""),
        ("how much nurofen can I give my dog", ""),
        ("can cats have ibuprofen, maximum amount", ""),
        ("my toddler swallowed a lot of ibuprofen tablets", ""),
    ):
        for source, who in ((adults, "adult"), (childs, "child")):
            [statement] = judged(asked, unchecked_statement(text, ["p#0"]), passages=[source])
            assert (statement["verdict"] == "supported") == (who == found), (asked, who)


def test_a_page_on_another_medicine_supports_no_answer() -> None:
    passage = page("Too much of it can damage the liver for good.", "p", "Acetaminophen")
    both = page("Acetaminophen can be taken with diphenhydramine.", "p", "Acetaminophen")
    for asked, source, failed in (
        ("what happens after too much diphenhydramine", passage, ["medicine: paracetamol"]),
        ("what happens after too much tylenol", passage, []),
        ("what happens after too much", passage, []),
        ("can i take diphenhydramine with other things", both, []),
        ("does Lovenox damage the liver", passage, ["medicine: paracetamol"]),
    ):
        [item] = judged(asked, unchecked_statement(source.text, ["p#0"]), passages=[source])
        assert texts(item) == failed, asked


def test_a_page_on_the_opposite_result_of_a_test_supports_no_answer() -> None:
    high = page("Hereditary iron overload is one cause.", "p", "Why is my ferritin high?")
    for asked, failed in (
        ("my ferritin is 8, what causes it", ["opposite result: high ferritin"]),
        ("my ferritin is 900, what causes it", []),
        ("what causes it", []),
    ):
        [item] = judged(asked, unchecked_statement(high.text, ["p#0"]), passages=[high])
        assert texts(item) == failed, asked


def test_a_page_on_a_medicine_of_the_same_family_supports_what_it_says_of_the_family() -> None:
    texts_of_page = (
        "Cough is a side effect of lisinopril and other ACE inhibitors.",
        "Lisinopril can also cause dizziness.",
    )
    source = page(" ".join(texts_of_page), "p", "Does lisinopril cause a cough?")
    passage = replace(source, text=texts_of_page[1], title="Lisinopril or another ACE inhibitor")
    drunk = page("Alcohol can add to the dizziness of lisinopril.", "p", "Lisinopril")
    for asked, failed in (
        ("can ramipril make me cough", [[], ["medicine: lisinopril"]]),
        ("can losartan make me cough", [["medicine: lisinopril"]] * 2),
        ("can lisinopril make me cough", [[], []]),
    ):
        said = [unchecked_statement(text, ["p#0"]) for text in texts_of_page]
        assert list(map(texts, judged(asked, *said, passages=[source]))) == failed, asked
    # Alcohol is in the table of families too, but is not the family of the medicine.
    [item] = judged(
        "wine with ramipril, ok?", unchecked_statement(drunk.text, ["p#0"]), passages=[drunk]
    )
    assert texts(item) == ["medicine: lisinopril"]
    [item] = judged(
        "can ramipril make me dizzy", unchecked_statement(passage.text, ["p#0"]), passages=[passage]
    )
    assert texts(item) == ["medicine: lisinopril"]


def test_without_a_critic_an_unchecked_statement_is_turned_down_too() -> None:
    statement = on_subject(unchecked_statement(ONE.text, ["one#0"]), TYPE_2, [ONE])
    assert (statement["verdict"], statement["citations"]) == ("unsupported", [])


def test_a_further_search_cannot_confirm_what_is_on_another_kind() -> None:
    other = on_subject(unchecked_statement(ONE.text, ["one#0"]), TYPE_2, [ONE])
    unsupported: Statement = {
        **unchecked_statement("Gout hurts.", []),
        "failed": [{"code": "number", "found": "5 mg"}],
    }
    assert only_another_subject(other["failed"])
    assert counted_statements([other, unsupported]) == [unsupported]


MISSED = page("Skip the dose.", "m", "What should I do if I missed a dose of lithium?")


@pytest.mark.parametrize(
    ("question", "failed"),
    [
        ("lithium and diarrhea for three days, my hands shake, keep taking it?", [DOSE]),
        ("forgot my lithium last night, take it now?", []),
    ],
)
def test_a_page_on_missed_doses_is_only_for_a_question_on_one(
    question: str, failed: list[str]
) -> None:
    assert [item["code"] for item in on_unasked_mishap(question, MISSED)] == failed
    assert not on_unasked_mishap(question, replace(MISSED, title="How does lithium work?"))
