"""Options as callers give them."""

import pytest

from anamnesis.errors import SettingError
from nodes.fields.options import is_yes_no, read_options


def test_a_list_gets_letters_and_a_mapping_keeps_its_keys() -> None:
    assert read_options(["aspirin ", "  iron\nsalts"]) == {"A": "aspirin", "B": "iron salts"}
    assert read_options({"x": "aspirin", "y": "iron"}) == {"x": "aspirin", "y": "iron"}
    assert list(read_options([f"drug {n}" for n in range(26)]))[-1] == "Z"


def test_a_list_of_yes_no_and_maybe_keeps_these_as_keys() -> None:
    assert read_options(["Yes", "no"]) == {"yes": "Yes", "no": "no"}
    assert read_options(("yes", "no", "maybe")) == {
        "yes": "yes",
        "no": "no",
        "maybe": "maybe",
    }
    assert read_options(["yes", "no", "unknown"]) == {"A": "yes", "B": "no", "C": "unknown"}


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (None, "NoneType"),
        ("aspirin", "str"),
        (7, "int"),
        ([], "0 options"),
        (["aspirin"], "1 options"),
        ({"A": "aspirin"}, "1 options"),
        ([f"drug {n}" for n in range(27)], "27 options"),
        ({str(n): f"drug {n}" for n in range(27)}, "27 options"),
        (["aspirin", " "], "empty text"),
        ({"": "aspirin", "B": "iron"}, "empty key"),
        (["aspirin", "Aspirin "], "two options have the text"),
        (["yes", "Yes"], "two options have the key"),
        ({"a": "aspirin", "A": "iron"}, "two options have the key"),
        (["aspirin", 5], "int"),
        ({1: "aspirin", 2: "iron"}, "int"),
        ({"yes": True, "no": False}, "bool"),
    ],
)
def test_what_is_no_set_of_options_is_refused(given_: object, expected: str) -> None:
    with pytest.raises(SettingError, match=expected):
        read_options(given_)


@pytest.mark.parametrize(
    ("texts", "yes_no"),
    [
        (["yes", "no"], True),
        (["No.", "Yes.", "Maybe."], True),
        (["yes", "maybe"], False),
        (["yes", "no", "unknown"], False),
        (["yes", "aspirin"], False),
    ],
)
def test_options_are_yes_no_by_their_texts(texts: list[str], yes_no: bool) -> None:
    assert is_yes_no(dict(zip("ABC", texts, strict=False))) is yes_no
