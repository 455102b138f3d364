"""What the critic and the checks make of statements, with a scripted critic."""

import dataclasses

import pytest

from anamnesis.corpus.passage import Passage
from anamnesis.models.cascade import Cascade
from anamnesis.models.critic import Support
from nodes.checking.judge import judge
from nodes.checking.statements import unchecked_statement
from tests.fakes import FakeCritic, by_words
from tests.graph.conftest import ScriptedCritic


def test_a_passage_of_myths_supports_nothing() -> None:
    passage = Passage("g#0", "g", 0, 0, "Gout only affects rich men.", title="Myths about gout")
    said = "Gout only affects rich men."
    [statement] = judge(
        [unchecked_statement(said, ["g#0"])], [passage], ScriptedCritic({said: 1.0}), 0.5
    )
    assert (statement["verdict"], statement["citations"]) == ("unsupported", [])


def test_a_quotation_that_refers_back_must_follow_the_one_before_directly() -> None:
    text = "Gout hurts the toe. Scurvy is a lack of vitamin C. It is caused by diet."
    passage = Passage("g#0", "g", 0, 0, text, title="Gout")

    def verdicts(*said: str) -> list[str]:
        drafted = [unchecked_statement(one, ["g#0"]) for one in said]
        return [item["verdict"] for item in judge(drafted, [passage], ScriptedCritic({}), 0.5)]

    wrong = verdicts("Gout hurts the toe.", "It is caused by diet.")
    right = verdicts("Scurvy is a lack of vitamin C.", "It is caused by diet.")
    assert wrong == ["supported", "unsupported"]
    assert right == ["supported", "supported"]


def test_a_statement_refers_to_none_for_another_question() -> None:
    text = "Scurvy is a lack of vitamin C. It is caused by diet."
    passage = Passage("g#0", "g", 0, 0, text, title="Scurvy")
    first, second = (
        unchecked_statement(one, ["g#0"])
        for one in ("Scurvy is a lack of vitamin C.", "It is caused by diet.")
    )
    drafted = [{**first, "part": 1}, {**second, "part": 2}]
    judged = judge(drafted, [passage], ScriptedCritic({}), 0.5)  # type: ignore[arg-type]
    assert [item["verdict"] for item in judged] == ["supported", "unsupported"]


ONE = Passage("a#0", "a", 0, 0, "Honey calms a cough. Children like it.", title="A", focus="Cough")
OTHER = Passage("b#0", "b", 0, 0, "Honey does not calm a cough.", title="B", focus="Cough")
SAID = "Honey calms a cough."
THRESHOLD = 0.7


def table(*rows: tuple[str, float, float]) -> FakeCritic:
    """A critic with (entailment, contradiction) by a premise that holds the given words."""
    return FakeCritic(by_words(*(("", *row) for row in rows)))


def test_sources_that_disagree_are_both_named() -> None:
    critic = table(("does not", 0.01, 0.97))
    [statement] = judge([unchecked_statement(SAID, ["a#0"])], [ONE, OTHER], critic, THRESHOLD)
    assert (statement["verdict"], statement["citations"]) == ("supported", ["a#0"])
    assert statement["conflict"] == {"document": "b#0", "start": 0, "end": len(OTHER.text)}


def test_another_number_in_the_same_sentence_is_a_conflict_for_any_critic() -> None:
    said = "People normally have 46 chromosomes."
    pages = [
        Passage(f"{at}#0", f"{at}", 0, 0, text, title="C", focus=focus)
        for at, (text, focus) in enumerate(
            [
                (said, "Chromosomes"),
                ("People normally have 138 chromosomes.", "Chromosomes"),
                ("People normally have 92 chromosomes.", ""),
            ]
        )
    ]
    [statement] = judge([unchecked_statement(said, ["0#0"])], pages, table(), THRESHOLD)
    assert statement["conflict"]
    assert statement["conflict"]["document"] == "1#0"
    [alone] = judge([unchecked_statement(said, ["0#0"])], [pages[0], pages[2]], table(), THRESHOLD)
    assert alone["conflict"] is None
    [found] = judge([unchecked_statement(said, ["0#0"])], pages[:1], table(), THRESHOLD, pages)
    assert found["conflict"] == statement["conflict"]
    [other] = judge(
        [unchecked_statement(pages[1].text, ["1#0"])], pages[:1], table(), THRESHOLD, pages
    )
    assert other["verdict"] == "unsupported"


def test_a_myth_that_was_found_is_no_source_that_disagrees() -> None:
    said = "Measles vaccine does not cause autism."
    page = Passage("a#0", "a", 0, 0, said, title="Measles", focus="Measles")
    other = Passage("b#0", "b", 0, 0, "Measles vaccine does cause autism.", title="Measles",
                    focus="Measles")  # fmt: skip
    for title, conflict in (("Measles", True), ("Myths about measles", False)):
        passages = [dataclasses.replace(other, title=title)]
        [statement] = judge(
            [unchecked_statement(said, ["a#0"])], [page], table(), THRESHOLD, passages
        )
        assert (statement["conflict"] is not None) is conflict


def test_a_claim_in_other_words_may_be_in_conflict_too() -> None:
    critic = table(("does not", 0.01, 0.97), ("calms", 0.9, 0.02))
    said = unchecked_statement("A cough is calmed with honey.", ["a#0"])
    [statement] = judge([said], [ONE, OTHER], critic, THRESHOLD)
    assert (statement["verdict"], statement["citations"]) == ("supported", ["a#0"])
    assert statement["conflict"]
    assert statement["conflict"]["document"] == "b#0"


def test_what_is_not_supported_and_denied_is_contradicted() -> None:
    critic = table(("does not", 0.01, 0.97), ("calms", 0.4, 0.02))
    said = unchecked_statement("A cough is calmed with honey.", ["a#0"])
    [statement] = judge([said], [ONE, OTHER], critic, THRESHOLD)
    assert (statement["verdict"], statement["citations"], statement["conflict"]) == (
        "contradicted",
        [],
        None,
    )


@pytest.mark.parametrize(("against", "verdict"), [(0.49, "unsupported"), (0.5, "contradicted")])
def test_what_is_hardly_contradicted_is_not_reported_as_denied(
    against: float, verdict: str
) -> None:
    critic = table(("does not", 0.01, against), ("calms", 0.4, 0.02))
    said = unchecked_statement("A cough is calmed with honey.", ["a#0"])
    [statement] = judge([said], [ONE, OTHER], critic, THRESHOLD)
    assert (statement["verdict"], statement["evidence"]) == (verdict, None)


def test_a_passage_that_denies_what_it_says_supports_nothing() -> None:
    critic = table(("calms", 0.8, 0.9))
    said = unchecked_statement("A cough is calmed with honey.", ["a#0"])
    [statement] = judge([said], [ONE], critic, THRESHOLD)
    assert statement["verdict"] == "contradicted"


@pytest.mark.parametrize(
    "other",
    [
        Passage("b#0", "b", 0, 0, "Honey does not calm a cough.", title="B", focus="Croup"),
        Passage("b#0", "b", 0, 0, "Bees do not like smoke.", title="B", focus="Cough"),
    ],
)
def test_what_is_about_something_else_is_no_conflict(other: Passage) -> None:
    critic = table(("not", 0.01, 0.97))
    [statement] = judge([unchecked_statement(SAID, ["a#0"])], [ONE, other], critic, THRESHOLD)
    assert (statement["verdict"], statement["conflict"]) == ("supported", None)


def test_a_doubtful_contradiction_is_no_conflict() -> None:
    other = Passage("b#0", "b", 0, 0, "A cough is hardly what honey calms.", focus="Cough")
    for against, conflict in ((0.85, False), (0.95, True)):
        critic = table(("hardly", 0.01, against))
        [statement] = judge([unchecked_statement(SAID, ["a#0"])], [ONE, other], critic, THRESHOLD)
        assert bool(statement["conflict"]) is conflict


def test_evidence_is_the_place_that_supports() -> None:
    text = "Children like honey. It is sweet. Honey calms a cough."
    passage = Passage("a#0", "a", 0, 0, text, title="A")

    exact = FakeCritic(lambda *_: Support(0.9, 0.0, 34, len(text)))
    [statement] = judge(
        [unchecked_statement("A cough is calmed by honey.", [])], [passage], exact, THRESHOLD
    )
    assert statement["evidence"] == {"document": "a#0", "start": 34, "end": len(text)}
    assert text[34:] == "Honey calms a cough."


def test_of_two_critics_the_first_alone_is_asked_for_conflicts() -> None:
    def second() -> FakeCritic:
        raise AssertionError("asked")

    other = dataclasses.replace(OTHER, text="At night honey may calm some coughs.")
    critic = Cascade(
        table(("At night", 0.5, 0.4)), second, "two", unsure_from=0.3, unsure_until=0.7
    )
    [statement] = judge([unchecked_statement(SAID, ["a#0"])], [ONE, other], critic, THRESHOLD)
    assert (statement["verdict"], statement["conflict"]) == ("supported", None)
    with pytest.raises(AssertionError, match="asked"):
        critic.judge([SAID], [[other.text]])


SIGNS = Passage("g#0", "g", 0, 62, "Signs of gout include fever, weight loss and pain. Gout hurts.")


def verdicts_of(*texts: str) -> list[str]:
    said = [unchecked_statement(text, []) for text in texts]
    return [
        statement["verdict"] for statement in judge(said, [SIGNS], FakeCritic(lambda *_: 0.99), 0.7)
    ]


def test_names_alone_are_not_supported_however_sure_the_critic() -> None:
    assert verdicts_of("Fever, weight loss, pain") == ["unsupported"]
    assert verdicts_of("Signs of gout are fever and pain.") == ["supported"]


def test_names_may_follow_what_announces_them() -> None:
    assert verdicts_of("Gout has several signs.", "Fever, weight loss, pain") == ["supported"] * 2
