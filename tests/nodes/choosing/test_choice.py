"""Which option passages bear out, with a critic that judges by a table."""

import pytest

from anamnesis.corpus.passage import Passage
from nodes.choosing.choice import choose_option, option_supports
from tests.fakes import FakeCritic, by_words

TAU = 0.7
LIST = "Antibiotics do not help against:\n- colds\n- flu\n- most sore throats"
PAGE = Passage("p#0", "p", 0, 0, f"{LIST}\n\nBacteria are killed by antibiotics.", title="P")
FEVER = Passage(
    "f#0", "f", 0, 0, "Gout brings sudden pain. It is treated with colchicine.", title="Gout"
)


def table(rows: dict[tuple[str, str], tuple[float, float]]) -> FakeCritic:
    """(entailment, contradiction) by a word of the statement and a word of the premise."""
    return FakeCritic(by_words(*((*words, *judged) for words, judged in rows.items())))


POLAR = {"yes": "yes", "no": "no", "maybe": "maybe"}


def test_a_list_is_weighed_with_its_lead_in() -> None:
    critic = table({("flu", "Antibiotics"): (0.05, 0.9)})
    draft = choose_option("Do antibiotics help against flu?", POLAR, [PAGE], critic, TAU)
    assert (draft["choice"], draft["choice_probability"]) == ("no", 0.9)
    assert [item["text"] for item in draft["statements"]] == [LIST]
    assert "- flu" not in {premise for _, premise in critic.asked}


def test_a_sentence_is_weighed_with_the_one_it_refers_to() -> None:
    critic = table({("colchicine", "Gout brings sudden pain. It is treated"): (0.9, 0.0)})
    options = {"A": "colchicine", "B": "penicillin"}
    draft = choose_option("What is gout treated with?", options, [FEVER], critic, TAU)
    assert draft["choice"] == "A"
    assert [item["text"] for item in draft["statements"]] == [FEVER.text]
    assert draft["statements"][0]["citations"] == ["f#0"]


def test_keys_of_a_yes_no_question_are_the_callers_own() -> None:
    critic = table({("flu", "Antibiotics"): (0.05, 0.9)})
    options = {"A": "Yes", "B": "No"}
    draft = choose_option("Do antibiotics help against flu?", options, [PAGE], critic, TAU)
    assert draft["choice"] == "B"


def test_sources_that_disagree_give_maybe_only_where_it_is_an_option() -> None:
    other = Passage("q#0", "q", 0, 0, "Antibiotics help against flu at once.", title="Q")
    critic = table({("flu", "at once"): (0.9, 0.0), ("flu", "do not"): (0.0, 0.9)})
    asked = "Do antibiotics help against flu?"
    draft = choose_option(asked, POLAR, [PAGE, other], critic, TAU)
    assert draft["choice"] == "maybe"
    assert {item["text"] for item in draft["statements"]} == {other.text, LIST}
    without = {"yes": "yes", "no": "no"}
    assert choose_option(asked, without, [PAGE, other], critic, TAU)["choice"] is None


def test_the_exception_is_what_is_denied_or_alone_is_not_said() -> None:
    page = Passage(
        "p#0",
        "p",
        0,
        0,
        "Gout follows beer often. Gout follows meat often. Gout is rare.",
        title="P",
    )
    options = {"A": "beer", "B": "meat", "C": "water"}
    said = {("beer", "beer"): (0.9, 0.0), ("meat", "meat"): (0.8, 0.0)}
    asked = "All of the following cause gout EXCEPT"
    draft = choose_option(asked, options, [page], table(said), TAU)
    assert draft["choice"] == "C"
    assert len(draft["statements"]) == 2


def test_the_exception_may_be_what_cannot_be_weighed() -> None:
    page = Passage("p#0", "p", 0, 0, "Gout follows beer often. Gout follows meat often.", title="P")
    said = {("beer", "beer"): (0.9, 0.0), ("meat", "meat"): (0.8, 0.0)}
    options = {"A": "beer", "B": "meat", "C": "water", "D": "None of the above"}
    asked = "All of the following cause gout EXCEPT"
    assert choose_option(asked, options, [page], table(said), TAU)["choice"] is None
    both = {"A": "beer", "B": "meat", "C": "water", "D": "Both kidneys"}
    assert choose_option(asked, both, [page], table(said), TAU)["choice"] is None


def test_a_number_that_the_quotation_lacks_bears_nothing_out() -> None:
    page = Passage("p#0", "p", 0, 0, "Adults take 5 mg of it a day.", title="Dosin")
    critic = table({("mg", "Adults"): (0.95, 0.0)})
    options = {"A": "5 mg", "B": "50 mg"}
    supports = option_supports("What dose do adults take a day?", options, [page], critic)
    assert (supports["A"].entailment, supports["B"].entailment) == (0.95, 0.0)


def test_what_is_said_of_the_options_is_not_weighed() -> None:
    options = {"A": "beer", "B": "meat", "C": "All of the above", "D": "None of these"}
    assert set(option_supports("What causes gout?", options, [FEVER], table({}))) == {"A", "B"}


@pytest.mark.parametrize(
    ("text", "weighed"),
    [
        ("All of the above", False), ("None of the above.", False), ("Both A and B", False),
        ("Both (a) and (b)", False), ("Neither A nor C", False), ("All are correct", False),
        ("Any of these", False), ("More than one of the above", False),
        ("Both kidneys", True), ("Any fever above 38 °C", True), ("All types of insulin", True),
        ("Either parent can pass it on", True), ("None, it heals by itself", True), ("Two", True),
    ],
)  # fmt: skip
def test_medical_options_that_begin_like_one_of_those_are_weighed(text: str, weighed: bool) -> None:
    options = {"A": "beer", "B": text}
    assert ("B" in option_supports("What causes gout?", options, [FEVER], table({}))) is weighed


@pytest.mark.parametrize("passages", [[], [FEVER]])
def test_nothing_decided_is_a_draft_that_names_no_option(passages: list[Passage]) -> None:
    options = {"A": "beer", "B": "meat"}
    draft = choose_option("What causes gout?", options, passages, table({}), TAU)
    assert (draft["choice"], draft["choice_probability"]) == (None, None)
    assert all(not item["citations"] for item in draft["statements"])


def test_myths_bear_nothing_out() -> None:
    myth = Passage("m#0", "m", 0, 0, "Antibiotics help against flu at once.", title="Myths on flu")
    critic = table({("flu", "at once"): (0.99, 0.0)})
    draft = choose_option("Do antibiotics help against flu?", POLAR, [myth], critic, TAU)
    assert draft["choice"] is None


@pytest.mark.parametrize(
    "aim",
    [
        "We wanted to determine whether antibiotics help against flu.",
        "It is unclear if antibiotics help against flu.",
        "We hypothesized that antibiotics help against flu.",
    ],
)
def test_the_aim_of_a_study_bears_nothing_out(aim: str) -> None:
    page = Passage("s#0", "s", 0, 0, f"{aim} We asked 20 people with flu.", title="S")
    critic = table({("flu", "help against flu"): (0.99, 0.0)})
    draft = choose_option("Do antibiotics help against flu?", POLAR, [page], critic, TAU)
    assert draft["choice"] is None
