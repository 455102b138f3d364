"""Verdicts from the critic's scores and the checks, without a critic."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.corpus.passage import Passage
from anamnesis.models.critic import Support
from nodes.checking.verdicts import (
    Judged,
    best_judgement,
    quotation,
    require_antecedent,
    with_verdict,
)
from nodes.state import Statement
from tests.nodes.steps import judged

TEXT = "Croup is usually caused by a virus. It is most common in children under 3 years."
CROUP = Passage("croup#0", "croup", 0, len(TEXT), TEXT, title="Croup")
OTHER_TEXT = "Bronchitis is inflammation of the large airways."
OTHER = Passage("other#0", "other", 0, len(OTHER_TEXT), OTHER_TEXT, title="Bronchitis")
PAGES = [OTHER, CROUP]


def support(entailment: float, contradiction: float = 0.0, page: Passage = CROUP) -> Support:
    return Support(entailment, contradiction, 0, len(page.text))


def said(text: str, **more: Any) -> Statement:
    return judged(text, "unchecked", citations=["other#0"], **more)


def test_a_quotation_is_supported_by_the_passage_that_has_it() -> None:
    found = quotation(said("It is most common in children under 3 years."), PAGES)
    assert found is not None
    assert (found["verdict"], found["probability"], found["citations"]) == (
        "supported", 1.0, ["croup#0"],
    )  # fmt: skip
    span = found["evidence"]
    assert span is not None
    assert TEXT[span["start"] : span["end"]] == "It is most common in children under 3 years."
    assert quotation(said("It is most common in children under 5 years."), PAGES) is None


def test_the_cited_passage_is_tried_first() -> None:
    again = Passage("again#0", "again", 0, len(TEXT), TEXT)
    found = quotation(judged(TEXT[:35], citations=["again#0"]), [CROUP, again])
    assert found is not None
    assert found["citations"] == ["again#0"]


def test_the_best_support_is_of_a_passage_that_passes_the_checks() -> None:
    claim = "A virus usually causes croup."
    found = best_judgement(claim, [support(0.2, page=OTHER), support(0.9)], PAGES, 0.5)
    assert (found.passage_position, found.failed, found.contradicted, found.conflict) == (
        1,
        [],
        0.0,
        None,
    )
    claim = "It is most common under 3 years."  # the other passage says nothing of three
    found = best_judgement(claim, [support(0.99, page=OTHER), support(0.9)], PAGES, 0.5)
    assert (found.passage_position, found.failed) == (1, [])
    found = best_judgement("Croup lasts 9 days.", [support(0.1), support(0.9)], PAGES, 0.5)
    assert [item["code"] for item in found.failed] == ["number"]


@pytest.mark.parametrize(
    ("supports", "contradicted", "conflict"),
    [
        ([support(0.1), support(0.2, 0.9)], 0.9, None),  # its own passage denies it
        ([support(0.0, 0.9), support(0.8)], 0.0, 0),  # another source does
        ([support(0.0, 0.9), support(0.4)], 0.9, None),  # too little supports it
        ([support(0.0, 0.7), support(0.8)], 0.0, None),  # less than what supports it
    ],
)
def test_a_contradiction_counts_if_it_is_surer_than_the_support(
    supports: list[Support], contradicted: float, conflict: int | None
) -> None:
    found = best_judgement("A virus usually causes croup.", supports, PAGES, 0.5)
    assert found.contradicted == contradicted
    assert (found.conflict and found.conflict[0]) == conflict


def of(probability: float, contradicted: float = 0.0, **more: Any) -> Judged:
    return Judged(1, support(probability), **{
        "failed": [], "contradicted": contradicted, "conflict": None, **more,
    })  # fmt: skip


NUMBER = {"code": "number", "found": "9"}


@pytest.mark.parametrize(
    ("parts", "verdict", "probability"),
    [
        ([], "unsupported", 0.0),
        ([of(0.5)], "supported", 0.5),
        ([of(0.4999)], "unsupported", 0.4999),
        ([of(0.9), of(0.3)], "unsupported", 0.3),  # as sure as the least sure sentence
        ([of(0.9, failed=[NUMBER])], "unsupported", 0.9),
        ([of(0.2, 0.5)], "contradicted", 0.2),
        ([of(0.2, 0.49)], "unsupported", 0.2),
    ],
)
def test_the_verdict_is_of_all_sentences_of_a_statement(
    parts: list[Judged], verdict: str, probability: float
) -> None:
    found = with_verdict(said("A virus causes croup."), parts, PAGES, 0.5)
    assert (found["verdict"], found["probability"]) == (verdict, probability)
    supported = verdict == "supported"
    assert found["citations"] == (["croup#0"] if supported else [])
    assert (found["evidence"] is not None) is supported


@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=4))
def test_only_what_is_supported_cites_and_its_probability_reaches_the_threshold(
    chances: list[tuple[float, float]],
) -> None:
    found = with_verdict(said("Croup."), [of(*pair) for pair in chances], PAGES, 0.5)
    assert bool(found["citations"]) == (found["verdict"] == "supported")
    if found["verdict"] == "supported":
        assert min(chance for chance, _ in chances) >= 0.5


def test_a_conflict_is_cited_by_its_own_span() -> None:
    part = of(0.9, conflict=(0, support(0.0, 0.95, OTHER)))
    found = with_verdict(said("A virus causes croup."), [part], PAGES, 0.5)
    assert found["conflict"] == {"document": "other#0", "start": 0, "end": len(OTHER_TEXT)}


FIRST = judged("Croup is caused by a virus.", citations=["croup#0"],
               evidence={"document": "croup#0", "start": 0, "end": 35})  # fmt: skip
THEN = judged("It is most common in children.", citations=["croup#0"],
              evidence={"document": "croup#0", "start": 36, "end": 80})  # fmt: skip
FAR: Statement = {**THEN, "evidence": {"document": "croup#0", "start": 360, "end": 404}}


@pytest.mark.parametrize(
    ("item", "before", "quoted", "verdict"),
    [
        (THEN, FIRST, True, "supported"),
        (THEN, None, True, "unsupported"),
        (FAR, FIRST, True, "unsupported"),
        (FAR, FIRST, False, "supported"),  # a model's sentence need not follow directly
        (THEN, {**FIRST, "verdict": "unsupported"}, True, "unsupported"),
        (THEN, {**FIRST, "citations": ["other#0"]}, False, "unsupported"),
        (FIRST, None, True, "supported"),  # it refers to nothing
        ({**FIRST, "text": "Fever, pain."}, None, False, "unsupported"),
    ],
)
def test_a_sentence_that_refers_back_needs_the_one_before_it(
    item: Statement, before: Statement | None, quoted: bool, verdict: str
) -> None:
    found = require_antecedent(item, before, quoted)
    assert found["verdict"] == verdict
    if verdict == "unsupported":
        assert (found["citations"], found["failed"][-1]["code"]) == ([], "antecedent")
