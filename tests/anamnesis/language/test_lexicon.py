"""The lexicon, and that no list of words is written down a second time."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from anamnesis.language.lexicon import any_of, classes, listed
from anamnesis.language.quantities import _UNITS
from anamnesis.language.words import stem
from tests.word_list_exceptions import EXCEPTIONS
from tests.word_lists import (
    FEW,
    LEAST,
    LEAST_CONTENT,
    duplicates,
    patterns,
    plain_classes,
    vocabulary,
    word_lists,
)

CONTRACTED = [
    f"{verb}{end}"
    for verb in (*listed("be", "do", "have", "modal", without="can"), "ca", "wo")
    for end in ("n", "nt")
    if verb + end != "can"
]
UNITS = [unit for unit in _UNITS if unit not in listed("period")]
WHOLE = {name: (len({*map(stem, words)}), words) for name, words in plain_classes().items()}
CLASSES: dict[str, tuple[int, Sequence[str]]] = {
    "negations": (3, [*listed("negation"), *CONTRACTED]),
    "people": (
        3,
        listed("pregnancy", "breastfeeding", "children", "adolescents", "adults", "elderly"),
    ),
    "relatives": (3, listed("family", "near", "grandparent", "child", "children", "acquaintance")),
    "courtesy": (
        2,
        listed("agreement", "refusal", "greeting", "thanks", "emphasis", without="yes no"),
    ),
    "units": (3, UNITS),
    "periods": (3, listed("period")),
    **{f"all of {name}": (least, words) for name, (least, words) in WHOLE.items() if least >= FEW},
}
"""Words that a list must take from the one place that has them, and from how many on."""
TAKEN = {
    "negations": {
        "anamnesis/language/negations.py:_ANSWER": "answers",
    },
    "courtesy": {
        "nodes/question/offers.py:_DECLINES": "'I am okay' declines, and 'yes' does not",
    },
    "units": {
        "anamnesis/language/quantities.py:MILLIGRAMS": "the one place",
        "anamnesis/language/quantities.py:_UNITS": "the one place",
        "evaluation/planted.py:_UNITS": "what errors are planted in",
    },
    "periods": {
        "anamnesis/language/quantities.py:_SHARE": "'half an hour' is no share",
        "evaluation/planted.py:_UNITS": "what errors are planted in",
    },
    "all of period": {"evaluation/planted.py:_UNITS": "what errors are planted in"},
}
"""Places that have several words of a class, and what their list is instead."""
ONCE = {
    r"n(?:\[['’]+\]|['’])\??t\b": {"anamnesis/language/negations.py"},
    r"ye?\??a?\??rs?\??[^|]{0,20}?o(?:\(\?:)?ld|y/\??o": {
        "anamnesis/language/quantities.py",
        "nodes/checking/disagreeing.py",  # words for a child, of any age
    },
    r"\[[.;:,]+\(\)\]": {"anamnesis/language/borders.py"},
}
"""How patterns write a negated verb ("don't", "don'?t", "don['’]?t"), an age ('years? old') and the
marks that end a clause, and the only places that do."""


def test_no_list_of_words_is_written_twice() -> None:
    found = {frozenset((one.place, other.place)) for one, other in duplicates(word_lists())}
    left = {
        tuple(sorted(pair))
        for pair in found
        if not any(pair <= {*exception} for exception in EXCEPTIONS)
    }
    assert left == set(), "take the words from the lexicon, or from the other"
    for places in EXCEPTIONS:
        paired = {place for pair in found if pair <= {*places} for place in pair}
        assert set(places) == paired, "no exception any more"


def test_a_few_words_of_a_class_are_a_second_list_too() -> None:
    # One test for all classes: the pieces of hundreds cost more than what they look for.
    found = {
        name: {word_list.place for word_list in vocabulary(words, least)}
        for name, (least, words) in CLASSES.items()
    }
    assert len(found) > 200
    assert {name: places for name, places in found.items() if places} == {
        name: set(places) for name, places in TAKEN.items()
    }


@pytest.mark.parametrize("spelling", ONCE, ids=["negated verb", "age", "border"])
def test_how_these_are_written_is_defined_once(spelling: str) -> None:
    written = {place for place, text in patterns() if re.search(spelling, text)}
    assert written == ONCE[spelling]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("negations", 'P = re.compile(r"\\b(?:not|never|neither) (?:ignore|skip)\\b")'),
        ("negations", 'WORDS = "dont doesnt isnt cant big".split()'),
        ("negations", 'def f(words):\n    return {"no", "not", "neither", "t"} & set(words)'),
        ("relatives", 'P = rf"(?:lips|baby|son|daughter|{HE}) (?:is|are) blue"'),
        ("relatives", 'P = rf"(?:{CHILD}|newborn" r"|son|daughter|infant)"'),
        ("courtesy", 'P = re.compile(r"\\W*((thanks|thank you|great|i see)\\b\\W*)+")'),
        ("courtesy", 'WORDS = ("instead", "else", "okay", "thanks")'),
        ("courtesy", 'P = r"(?:(?:hi|hello|and|but|so)\\W{1,3}+)"'),
        ("units", 'P = r"\\d+ ?(?:mg|mcg|g|units?)(?: of)?"'),
        ("all of be", 'P = r"^there (?:is|are|was|were)\\b"'),
        ("all of third", 'def f(word):\n    return word in {"it", "they", "he", "she"}'),
        ("periods", 'P = r"(?! ?(?:%|(?:minutes?|hours?|days?|weeks?)\\b))"'),
    ],
)
def test_a_few_words_of_a_class_are_found(tmp_path: Path, name: str, written: str) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "own.py").write_text(f"import re\n\n{written}\n", "utf-8")
    least, words = CLASSES[name]
    assert vocabulary(words, least, tmp_path)


@pytest.mark.parametrize(
    ("spelling", "written"),
    [
        *((0, text) for text in ("don'?t|no", "(?:can’t|not)", "(can['’]?t|no)")),
        *((0, f"(isn'?t|{not_})") for not_ in ("not", "{NOT}")),
        *(
            (1, text)
            for text in (
                "(?:years?[ -]?olds?|y/?o)",
                "ye?a?rs?(?=[- ]?o(?:ld)?)|a",
                "years? old|baby",
                "\\d years? old",
            )
        ),
        (2, "[.;:,()]|\\bbut\\b"),
        (2, "x|[.;:()]"),
    ],
)
def test_a_second_spelling_is_found(tmp_path: Path, spelling: int, written: str) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "own.py").write_text(f'P = rf"{written}"\n', "utf-8")
    assert any(re.search([*ONCE][spelling], text) for _, text in patterns(tmp_path))


@pytest.mark.parametrize(
    "written",
    [
        'MONTHS = "january february march april may june july august september".split()',
        '_AUGUST = re.compile(r"\\b(?:january|february|march|april|may|june|july|august)s?\\b")',
        'NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, '
        '"eight": 8}',
        'P = re.compile(rf"(?:{PLUS}|at|by|for|from|in|of|on|to) (?P<what>\\w+)")',
        "def f(text):\n"
        '    return re.search(r"\\b(?:infants?|bab(?:y|ies)|child\\w{0,4}|kids?|newborn)", text)',
        'def f(word):\n    return word in {"pain", "cough", "fever", "rash", "lump"}',
        'UNITS = dict.fromkeys(("day", "hour", "minute", "month", "week"), 1)',
        'P = re.compile(r"\\b(?:is wrong|(?:false|incorrect|untrue|wrong) idea)")',
        'ALL = (("warfarin", "heparin", "aspirin", "codeine", "insulin"), ("one", "two"))',
    ],
)
def test_a_second_list_is_found(tmp_path: Path, written: str) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "own.py").write_text(f"import re\n\n{written}\n", "utf-8")
    assert of_nodes(tmp_path)


def of_nodes(root: Path) -> list[str]:
    """The lists in the code of a folder that share most of their words with another one."""
    places = [one.place for pair in duplicates(word_lists(root)) for one in pair]
    return [place for place in places if place.startswith("nodes/")]


def test_what_is_taken_from_the_lexicon_is_no_second_list(tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    written = 'MONTHS = frozenset(listed("month"))\nP = rf"(?:{any_of(\'month\')}|soon)"\n'
    (tmp_path / "nodes" / "own.py").write_text(written, "utf-8")
    assert not of_nodes(tmp_path)


def test_the_classes_are_words_in_lower_case_each_once_in_its_class() -> None:
    assert "february" in classes()["month"]
    for name, words in classes().items():
        assert words, name
        assert len(words) == len(set(words)), name
        written = name == "examination"  # X-ray, MRI: errors are planted in the text as it is
        assert written or all(word == word.lower() for word in words), name


def test_the_words_keep_their_order() -> None:
    assert listed("article", "be") == ("a", "an", "the", "is", "are", "was", "were")
    assert listed("be", without="was were") == ("is", "are")
    assert any_of("be", "article", without="an was") == "is|are|were|a|the"


def test_small_classes_are_not_compared() -> None:
    assert all(len(word_list.words) >= min(LEAST, LEAST_CONTENT) for word_list in word_lists())
