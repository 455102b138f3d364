"""The lexicon, and that no list of words is written down a second time."""

from pathlib import Path

import pytest

from anamnesis.language.lexicon import any_of, classes, listed
from tests.word_lists import LEAST, duplicates, word_lists

TOPIC = "a word that names no topic, in every form; the other has the few that it takes"
VERB = "every verb of a clause; the other list has the few that make a request"
STEPS = "a value for each step of the graph"
MEASURED = "what errors are planted in: a figure of the evaluation, not to move with the product"
ALONE = "read together with its neighbours in one pattern"
EXCEPTIONS = {
    ("lexicon.tsv:preposition", "nodes/choosing/filling.py:ABOUT_WHAT"): "about, not where or when",
    ("lexicon.tsv:family", "nodes/question/urgency.py:_RED_FLAG"): ALONE,
    ("nodes/question/urgency.py:_RED_FLAG", "nodes/question/urgency.py:_RED_FLAG"): ALONE,
    ("nodes/evidence/orders.py:_PATTERNS", "nodes/evidence/orders.py:_PATTERNS"): ALONE,
    ("lexicon.tsv:medicine_ending", "evaluation/vocabulary.py:SUFFIXED"): MEASURED,
    ("anamnesis/language/quantities.py:SECONDS", "evaluation/planted.py:_UNITS"): MEASURED,
    ("anamnesis/language/quotable.py:_VERB", "evaluation/swaps.py:SINGULAR"): MEASURED,
    (
        "anamnesis/corpus/doses.py:_HARM",
        "nodes/checking/warning.py:_AGAINST",
    ): "harm of too high a dose; every wording that recommends no medicine",
    (
        "anamnesis/corpus/starter.py:_FIELDS",
        "app/server/evidence.py:_TOLD",
    ): "the fields of a record in a file; of a passage in a reply of the server",
    (
        "anamnesis/language/clauses.py:_DEGREES",
        "anamnesis/memory/reading.py:_NOW",
    ): "adverbs before a verb; those that leave a fact about the user one of the present",
    (
        "anamnesis/language/clauses.py:_DEGREES",
        "anamnesis/language/negations.py:_WEAK",
    ): "adverbs before a verb; those of them that say nothing in a comparison",
    (
        "anamnesis/language/clauses.py:_DEGREES",
        "nodes/question/premise.py:_PREDICATE",
    ): "adverbs before a verb; before an adjective",
    (
        "anamnesis/language/negations.py:_WEAK",
        "anamnesis/language/words.py:STOP_WORDS",
    ): "few of the stop words are weak: a comparison reads 'no', 'not', 'over'",
    (
        "anamnesis/language/words.py:STOP_WORDS",
        "nodes/question/standalone.py:_DECISIVE",
    ): "the stop words that a question cannot do without",
    (
        "anamnesis/language/opposites.py:_BEGINNINGS",
        "retrievers/spelling.py:_OPPOSITE",
    ): "what says the opposite; what a speller confuses",
    (
        "anamnesis/memory/reading.py:_ENDS",
        "nodes/question/urgency.py:_ABOUT",
    ): "what ends an item of a list; what begins a question about a disease",
    (
        "anamnesis/memory/clauses.py:_UNSURE",
        "nodes/question/followup.py:_EXPLETIVE",
    ): "doubt about a fact; a verb before 'that'",
    ("anamnesis/language/clauses.py:_VERBS", "nodes/question/offers.py:_TELL"): VERB,
    ("anamnesis/language/clauses.py:_VERBS", "nodes/question/standalone.py:_REQUEST"): VERB,
    ("anamnesis/language/topic.py:_ASPECTS", "nodes/question/offers.py:_DEGREE"): TOPIC,
    ("anamnesis/language/topic.py:_ASPECTS", "nodes/question/premise.py:_NOUNS"): TOPIC,
    ("anamnesis/language/topic.py:_ASPECTS", "nodes/question/premise.py:_CURES"): TOPIC,
    ("app/trace/replay.py:_BEFORE", "app/trace/runs.py:_TAKES"): STEPS,
    ("app/trace/replay.py:_BEFORE", "app/web/drawing.py:PLACES"): STEPS,
    ("app/trace/runs.py:_TAKES", "app/web/drawing.py:PLACES"): STEPS,
}
"""Lists that share most of their words, and why they are two."""


def test_no_list_of_words_is_written_twice() -> None:
    found = {(one.place, other.place) for one, other in duplicates(word_lists())}
    assert found - set(EXCEPTIONS) == set(), "take the words from lexicon.tsv, or from the other"
    assert set(EXCEPTIONS) - found == set(), "no exception any more"


@pytest.mark.parametrize(
    "written",
    [
        'MONTHS = "january february march april may june july august september".split()',
        '_AUGUST = re.compile(r"\\b(?:january|february|march|april|may|june|july|august)s?\\b")',
        'NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, '
        '"eight": 8}',
        'P = re.compile(rf"(?:{PLUS}|at|by|for|from|in|of|on|to) (?P<what>\\w+)")',
    ],
)
def test_a_second_list_is_found(tmp_path: Path, written: str) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "own.py").write_text(f"import re\n\n{written}\n", "utf-8")
    assert len(duplicates(word_lists(tmp_path))) == 1


def test_what_is_taken_from_the_lexicon_is_no_second_list(tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    written = 'MONTHS = frozenset(listed("month"))\nP = rf"(?:{any_of(\'month\')}|soon)"\n'
    (tmp_path / "nodes" / "own.py").write_text(written, "utf-8")
    assert not duplicates(word_lists(tmp_path))


def test_the_classes_are_words_in_lower_case_each_once_in_its_class() -> None:
    assert "february" in classes()["month"]
    for name, words in classes().items():
        assert words, name
        assert len(words) == len(set(words)), name
        assert all(word == word.lower() for word in words), name


def test_the_words_keep_their_order() -> None:
    assert listed("article", "be") == ("a", "an", "the", "is", "are", "was", "were")
    assert listed("be", without="was were") == ("is", "are")
    assert any_of("be", "article", without="an was") == "is|are|were|a|the"


def test_small_classes_are_not_compared() -> None:
    assert all(len(own.words) >= LEAST for own in word_lists())
