import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import only_names
from nodes.checking.judge import judge
from nodes.writing.draft import statement
from tests.fakes import FakeCritic

TEXT = "Signs of gout include fever, weight loss and pain. Gout hurts."
OWN = Passage("g#0", "g", 0, len(TEXT), TEXT)


SURE = FakeCritic(lambda *_: 0.99)
"""Finds everything supported by the whole passage."""


@pytest.mark.parametrize(
    "text",
    [
        "Fever, weight loss, and pain",
        "Coughing, wheezing, mood changes.",
        "Sudden numbness of the face; trouble walking",
        "Short-acting bronchodilators, inhaled corticosteroids",
        "Chronic kidney failure.",
        ",;,",
    ],
)
def test_names_are_known(text: str) -> None:
    assert only_names(text)


@pytest.mark.parametrize(
    "text",
    [
        "Gout causes fever.",
        "Gout strikes the big toe.",
        "Statins lower cholesterol.",
        "Signs of gout are: fever",
        "Attacks usually begin at night.",
        "It hurts. Fever follows.",
        "They're painful.",
        "Doctors diagnose gout based on medical and family histories, and tests.",
    ],
)
def test_what_has_a_verb_is_more_than_names(text: str) -> None:
    assert not only_names(text)


def verdicts(*texts: str) -> list[str]:
    said = [statement(text, []) for text in texts]
    return [own["verdict"] for own in judge(said, [OWN], SURE, 0.7)]


def test_names_alone_are_not_supported_however_sure_the_critic() -> None:
    assert verdicts("Fever, weight loss, pain") == ["unsupported"]
    assert verdicts("Signs of gout are fever and pain.") == ["supported"]


def test_names_may_follow_what_announces_them() -> None:
    assert verdicts("Gout has several signs.", "Fever, weight loss, pain") == ["supported"] * 2


@given(st.text(max_size=40))
def test_every_text_is_names_or_not(text: str) -> None:
    assert only_names(text) in (True, False)
