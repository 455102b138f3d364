"""Lists of words are data: code has none of eight words or more, but for a stated reason."""

from pathlib import Path

import pytest

from anamnesis.language.lexicon import any_of, classes, forms, listed
from tests.test_house import FLOORS, ROOT
from tests.word_lists import in_code

READING = [name for name in FLOORS if name not in ("app", "graph", "prompts")]
"""The packages that read English; the others have names of commands, steps and columns."""
REASONS: dict[str, tuple[str, ...]] = {
    "phrases, each with what may stand before and after it": (
        "anamnesis/corpus/doses.py:_OFTEN",
        "anamnesis/memory/extract.py:_SATISFIED",
        "anamnesis/memory/reading.py:_LISTS",
        "nodes/choosing/filling.py:CHOICE",
        "nodes/question/offers.py:_DECLINES",
        "nodes/question/offers.py:_NO",
        "nodes/question/offers.py:_TELL",
        "nodes/question/urgency.py:_MINE",
        "nodes/question/urgency.py:_RED_FLAG",
        "nodes/question/urgency.py:_SELF_HARM",
    ),
    "words with their values": (
        "anamnesis/corpus/doses.py:_WORDS",
        "anamnesis/language/quantities.py:_SHARES",
        "anamnesis/language/quantities.py:_UNITS",
        "evaluation/planted.py:_UNITS",
    ),
    "endings of one spelling rule": (
        "retrievers/spelling.py:_BRITISH",
        "retrievers/spelling.py:_CONTRACTED",
    ),
    "stems of other languages, in patterns with the letters that these have": (
        "nodes/evidence/orders.py:_OTHER_LANGUAGES",
    ),
    "names in a file format or in a model's configuration": (
        "anamnesis/corpus/loading.py:FORMATS",
        "anamnesis/corpus/markup.py:_BLOCK",
        "anamnesis/corpus/markup.py:_LEFT_OUT_START",
        "anamnesis/models/labels.py:_ENTAILMENT",
        "anamnesis/models/labels.py:_NEUTRAL",
        "anamnesis/models/scrub.py:_NAMED",
        "nodes/evidence/orders.py:_MARKERS",
    ),
    "names of fields, tables, kinds and methods": (
        "evaluation/planted.py:_KINDS",
        "nodes/cost/calls.py:fresh",
        "nodes/screen.py:update",
        "nodes/writing/answer.py:answer",
        "nodes/writing/notes.py:texts",
        "retrievers/corpus.py:METHODS",
        "retrievers/milvus_draft.py:_FIELDS",
        "retrievers/postgres_tables.py:TABLES",
    ),
    "sentences for the reader": (
        "anamnesis/models/structured.py:BROKE_OFF",
        "nodes/checking/checks.py:CHECKS",
        "nodes/writing/extract.py:_STRONGER",
    ),
}
"""What the long lists in code are instead, and where they stand."""


def test_long_lists_of_words_are_data() -> None:
    excepted = {place for places in REASONS.values() for place in places}
    assert {word_list.place for word_list in in_code(ROOT, READING)} == excepted


@pytest.mark.parametrize(
    "written",
    [
        'VERBS = frozenset("walk run sit stand lie jump climb swim".split())',
        'P = re.compile(r"\\b(?:walk|run|sit|stand|lies?|jump|climb\\w*|swim)\\b")',
        'def f(word):\n    return word in {"walk", "run", "sit", "lie", "go", "do", "be", "it"}',
        "P = rf\"{any_of('be')}|(?:walk|run|sit|stand|lie|jump|climb|swim)\"",
        'PAST = {"walk": "walked", "run": "ran", "sit": "sat", "see": "saw", "lie": "lay", '
        '"go": "went", "do": "did", "be": "was"}',
    ],
)
def test_a_long_list_in_code_is_found(tmp_path: Path, written: str) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "own.py").write_text(f"import re\n\n{written}\n", "utf-8")
    assert in_code(tmp_path)


def test_every_file_of_the_lexicon_names_its_source() -> None:
    files = sorted((ROOT / "anamnesis" / "language" / "lexicon").glob("*.tsv"))
    assert files
    for file in files:
        head, *rows = file.read_text("utf-8").splitlines()
        assert head.startswith("# "), file
        assert "Source: " in head, file
        assert all(row.count("\t") == 1 for row in rows), file
        assert rows[0][0] != "\t", file


def test_no_two_classes_have_the_same_name() -> None:
    files = (ROOT / "anamnesis" / "language" / "lexicon").glob("*.tsv")
    rows = [row for file in files for row in file.read_text("utf-8").splitlines()[1:]]
    names = [row.split("\t")[0] for row in rows if row[0] != "\t"]
    assert sorted(names) == sorted(classes())


def test_the_signs_in_the_words_of_a_class() -> None:
    assert "no longer" in listed("against")
    assert "no[ ]longer" in any_of("against").split("|")
    assert r"avoid\w{0,}" in any_of("against").split("|")
    assert r"avoid\w{0,5}" in any_of("limiting").split("|")
    assert forms("past")["go"] == "went"
    assert forms("being")["hypertensive"] == "high blood pressure"
