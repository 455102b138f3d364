"""Everyday names in a question and the terms of an index."""

from pathlib import Path

import pytest

from anamnesis.corpus.record import Record
from retrievers.aliases import rename, with_aliases
from retrievers.build import build
from retrievers.index import Index
from retrievers.terms import everyday_names
from tests.fakes import HashEmbedder


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder: Path = tmp_path_factory.mktemp("everyday")
    records = [
        Record("heartburn", "Heartburn", "An antacid eases heartburn. Antacids act at once."),
        Record("rehydration", "Rehydration", "Give Dioralyte. Dioralyte is mixed with water."),
        Record("drink", "Dioralyte", "Dioralyte can be made at home."),
        Record("salts", "Salts", "An oral rehydration solution is one of them."),
        Record("clot", "Clots", "Enoxaparin prevents clots.", focus="Enoxaparin",
               metadata={"aliases": ["Inhixa"]}),
        Record("lomotil", "Lomotil", "It slows the gut."),
    ]  # fmt: skip
    build(records, folder, HashEmbedder(), "small")
    return Index.open(folder, HashEmbedder())


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("can I chew Tums at night", "can I chew antacids at night"),
        ("pepto bismol and Gelusil", "pepto bismol and antacid"),  # no page on bismuth
        ("how to mix Dioralyte", "how to mix Dioralyte"),  # the documents use this name
        ("my Inhixa injection", "my Enoxaparin injection"),  # listed by a record
        ("an antacid at night", "an antacid at night"),
    ],
)
def test_names_are_replaced_by_the_terms_of_the_documents(
    index: Index, question: str, query: str
) -> None:
    assert rename(question, with_aliases(question, index))[0] == query


def test_a_name_is_a_passage_with_the_term_as_its_focus(index: Index) -> None:
    [found] = everyday_names("is Gelusil safe", index)
    assert (found.focus, found.aliases, found.title) == ("antacid", ("Gelusil",), "")
    assert found.metadata["category"] == "medicine"


def test_a_question_without_such_names_has_none(index: Index) -> None:
    assert everyday_names("", index) == everyday_names("does it hurt?!", index) == []
