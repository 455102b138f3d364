from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.errors import SettingError
from nodes.question.options import find_choice, supported_option
from training.examples import records

DRUGS = {
    "A": "aspirin",
    "B": "warfarin",
    "C": "aspirin and warfarin",
    "D": "vitamin C",
    "I": "iron",
}
POLAR = {"yes": "yes", "no": "no", "maybe": "maybe"}


@pytest.mark.parametrize(
    ("reply", "key"),
    [
        ("Answer: B", "B"),
        ("(B)", "B"),
        ("B.", "B"),
        ("B", "B"),
        ("**B) warfarin**", "B"),
        ("The answer is B", "B"),
        ("The answer is **B**.", "B"),
        ("Final answer: **B**\n\nBecause A is weaker.", "B"),
        ("Answer:\nB", "B"),
        ('{"answer_choice": "B"}', "B"),
        ("The correct option is (B) warfarin.", "B"),
        ("B. Because it thins blood.", "B"),
        ("Warfarin.", "B"),
        ("It is WARFARIN, I think.", "B"),
        ("Warfarin (B)", "B"),
        ("Aspirin and warfarin", "C"),
        ("The answer is aspirin and warfarin.", "C"),
        ("vitamin C", "D"),
        ("I", "I"),
        ("A) aspirin: weaker\nB) warfarin: stronger\nAnswer: B", "B"),
        ("<think>Answer: A</think>Answer: B", "B"),
    ],
)
def test_the_option_that_a_reply_names_is_found(reply: str, key: str) -> None:
    assert find_choice(reply, DRUGS) == key


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "A patient with gout.",
        "I think so",
        "The answer is A patient",
        "The answer is a drug",
        "C. difficile is the cause",
        "Vitamin B deficiency",
        "Answer: A and B",
        "Answer: A or B",
        "A, B",
        "A) aspirin\nB) warfarin",
        "Answer: A\nAnswer: B",
        "Warfarin (A)",
        "It is not warfarin.",
        "Warfarin is wrong.",
        "I don't think the answer is B.",
        "B) because iron is weaker",
        "I think warfarin (B) fits. (A) is older.",
        "The answer is not B",
        "The answer should be all of these, as iron is one.\nAnswer: E. All",
        "warfarins",
        "<think>The answer is B",
    ],
)
def test_none_is_found_where_none_or_several_are_named(reply: str) -> None:
    assert find_choice(reply, DRUGS) is None


@pytest.mark.parametrize(
    ("reply", "key"),
    [
        ("Yes.", "yes"),
        ("**No**, it does not help.", "no"),
        ("Maybe", "maybe"),
        ("The answer is no.", "no"),
        ("no\n\nIt does not help.", "no"),
        ("No evidence was found.", None),
        ("There is no evidence.", None),
        ("Answer: No evidence", None),
        ("Yes and no.", None),
        ("It seems to be yes here", None),
    ],
)
def test_yes_and_no_are_replies_and_no_words_of_a_sentence(reply: str, key: str | None) -> None:
    assert find_choice(reply, POLAR) == key


def test_signs_and_decimals_distinguish_options() -> None:
    assert find_choice("HER2-", {"A": "HER2+", "B": "HER2-"}) == "B"
    assert find_choice("It is 15.6 mg.", {"A": "15.6", "B": "15", "C": "6"}) == "A"
    assert find_choice("It is >5.", {"A": "<5", "B": ">5"}) == "B"


def test_a_letter_that_is_also_another_options_text_is_no_choice() -> None:
    groups = {"A": "O", "B": "A"}
    assert find_choice("Answer: A", groups) is None
    assert find_choice("Answer: O", groups) == "A"


@given(st.sampled_from(sorted(DRUGS)), st.sampled_from(["Answer: {}", "({})", "The answer is {}."]))
def test_every_key_is_read_as_it_is_marked(key: str, form: str) -> None:
    assert find_choice(form.format(key), DRUGS) == key


@given(st.text(max_size=200))
def test_any_reply_names_an_option_or_none(reply: str) -> None:
    assert find_choice(reply, DRUGS) in {None, *DRUGS}
    assert find_choice(reply, POLAR) in {None, *POLAR}


def decided(supports: dict[str, tuple[float, float]], **how: Any) -> tuple[str | None, float]:
    return supported_option(supports, 0.7, **{"yes_no": False, **how})


def test_the_one_option_that_is_entailed_best_is_chosen() -> None:
    assert decided({"A": (0.7, 0.0), "B": (0.69, 0.0)}) == ("A", 0.7)
    assert decided({"A": (0.8, 0.0), "B": (0.9, 0.0)}) == ("B", 0.9)
    assert decided({"A": (0.8, 0.0), "B": (0.84, 0.0)}) == (None, 0.84)
    assert decided({"A": (0.8, 0.0), "B": (0.8, 0.0)}) == (None, 0.8)
    assert decided({"A": (0.6, 0.0), "B": (0.1, 0.9)}) == (None, 0.6)
    assert decided({"A": (0.9, 0.0)}) == (None, 0.0)
    assert decided({}) == (None, 0.0)


def test_the_exception_is_contradicted_or_the_only_one_not_supported() -> None:
    def exception(supports: dict[str, tuple[float, float]]) -> tuple[str | None, float]:
        return decided(supports, negated=True)

    assert exception({"A": (0.9, 0.0), "B": (0.1, 0.8), "C": (0.1, 0.1)}) == ("B", 0.8)
    assert exception({"A": (0.9, 0.0), "B": (0.1, 0.1), "C": (0.8, 0.1)}) == ("B", 0.8)
    assert exception({"A": (0.1, 0.9), "B": (0.1, 0.8), "C": (0.9, 0.1)}) == (None, 0.0)
    assert exception({"A": (0.9, 0.0), "B": (0.8, 0.0), "C": (0.8, 0.1)}) == (None, 0.0)
    assert exception({"A": (0.9, 0.0), "B": (0.1, 0.0), "C": (0.1, 0.1)}) == (None, 0.0)
    # Supported and contradicted at once: the exception cannot be determined.
    assert exception({"A": (0.9, 0.8), "B": (0.9, 0.0), "C": (0.9, 0.1)}) == (None, 0.0)


def test_yes_or_no_is_decided_and_maybe_only_where_the_sources_disagree() -> None:
    def yes_no(entailed: float, denied: float) -> tuple[str | None, float]:
        return decided({"yes": (entailed, denied)}, yes_no=True)

    assert yes_no(0.7, 0.1) == ("yes", 0.7)
    assert yes_no(0.1, 0.7) == ("no", 0.7)
    assert yes_no(0.9, 0.75) == ("maybe", 0.75)
    assert yes_no(0.8, 0.8) == ("maybe", 0.8)
    assert yes_no(0.8, 0.78) == ("maybe", 0.78)
    assert yes_no(0.8, 0.5) == (None, 0.8)
    assert yes_no(0.5, 0.8) == (None, 0.8)
    assert yes_no(0.8, 0.49) == ("yes", 0.8)
    assert yes_no(0.5, 0.5) == (None, 0.5)
    assert supported_option({"yes": (0.3, 0.2)}, 0.0, True) == ("yes", 0.3)
    assert supported_option({"yes": (0.2, 0.3)}, 0.0, True) == ("no", 0.3)
    assert yes_no(0.0, 0.0) == (None, 0.0)


def test_a_yes_no_question_without_the_entry_yes_is_refused() -> None:
    with pytest.raises(SettingError, match="'yes'"):
        supported_option({"no": (0.9, 0.0)}, 0.5, True)


PROBABILITY = st.floats(0, 1)


@given(
    st.dictionaries(st.sampled_from("ABCDE"), st.tuples(PROBABILITY, PROBABILITY)),
    st.floats(0, 1), st.booleans(),
)  # fmt: skip
def test_exactly_one_option_or_none_is_decided_for(
    supports: dict[str, tuple[float, float]], threshold: float, negated: bool
) -> None:
    key, probability = supported_option(supports, threshold, False, negated)
    assert key is None or key in supports
    assert 0 <= probability <= 1
    if key is None:
        return
    assert probability >= threshold
    entailed, denied = supports[key]
    others = [yes for text, (yes, _) in supports.items() if text != key]
    if not negated:
        assert probability == entailed
        assert all(other < threshold or entailed - other > 0.05 for other in others)
    else:
        assert denied >= threshold or (
            entailed < threshold and all(other >= threshold for other in others)
        )


@given(PROBABILITY, PROBABILITY, PROBABILITY)
def test_a_yes_no_answer_has_its_evidence(yes: float, no: float, threshold: float) -> None:
    key, probability = supported_option({"yes": (yes, no)}, threshold, True)
    assert key in {"yes", "no", "maybe", None}
    if key == "yes":
        assert probability == yes > no
    if key == "no":
        assert probability == no > yes
    if key == "maybe":
        assert min(yes, no) >= threshold
    assert key is None or probability >= threshold


def test_the_choices_of_recorded_replies_are_read_and_none_is_taken_for_another(
    shared_data: Path,
) -> None:
    """Replies of two chat models; ``parsed_choice`` was published with them.

    In the two halves of all 14,284, .990 and .980 are read alike and none as another option. Most
    of the others name no option, or two.
    """
    questions = {(row["dataset"], row["id"]): row for row in records(shared_data, "mirage")}
    replies = [
        row
        for number, row in enumerate(records(shared_data, "mirage_llm_answers"))
        if number % 14 == 0 and row["parsed_choice"]
    ]
    assert len(replies) > 900
    options = [questions[row["dataset"], row["id"]]["options"] for row in replies]
    read = [
        find_choice(row["response"], choices_of_row)
        for row, choices_of_row in zip(replies, options, strict=True)
    ]
    named = [(text, row["parsed_choice"]) for text, row in zip(read, replies, strict=True) if text]
    assert [text for text, _ in named] == [published for _, published in named]
    assert len(named) > 0.97 * len(replies)
