"""Which names of a question are read as something else, and which stay as they are."""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.medicines import maxima, other_products
from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.corpus.starter import read_starter
from anamnesis.corpus.triplets import Fact, record
from retrievers.aliases import rename, with_aliases
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder


def listing(focus: str, *aliases: str) -> Passage:
    text = f"A text on {focus}."
    return Passage(
        f"{focus}#0", focus, 0, len(text), text, title=f"About {focus}", source="Test",
        focus=focus, metadata={"aliases": list(aliases)},
    )  # fmt: skip


IBUPROFEN = listing("Ibuprofen", "Nurofen", "Advil")
PARACETAMOL = listing("Paracetamol", "Acetaminophen", "Tylenol", "Panadol")
ACETAMINOPHEN = listing("Acetaminophen", "Paracetamol", "Tylenol", "Panadol")
HEART = listing("Myocardial infarction", "heart attack", "MI")
LEUKEMIA = listing("Acute lymphoblastic leukemia", "ALL", "AIDS-like")
ONE = [IBUPROFEN]


@pytest.mark.parametrize(
    ("question", "passages", "query"),
    [
        ("can I take Nurofen with wine", ONE, "can I take Ibuprofen with wine"),
        ("NUROFEN?", ONE, "Ibuprofen?"),
        ("nurofen's risks, and advil's", ONE, "Ibuprofen's risks, and Ibuprofen's"),
        ("two nurofens", ONE, "two Ibuprofen"),
        ("what after a heart attack?", [HEART], "what after a Myocardial infarction?"),
        ("what is tylenol for", [PARACETAMOL], "what is Paracetamol for"),
        # Two records of one thing name each other; the first found counts.
        ("panadol dose", [ACETAMINOPHEN, PARACETAMOL], "Acetaminophen dose"),
        ("panadol dose", [PARACETAMOL, ACETAMINOPHEN], "Paracetamol dose"),
        ("nurofen or panadol", [IBUPROFEN, PARACETAMOL], "Ibuprofen or Paracetamol"),
        ("Is ALL curable?", [LEUKEMIA], "Is Acute lymphoblastic leukemia curable?"),
    ],
)
def test_an_alias_is_read_as_the_records_own_name(
    question: str, passages: list[Passage], query: str
) -> None:
    assert rename(question, passages)[0] == query


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("can I take Nurofen with wine", []),
        ("can I take Nurofenol with wine", ONE),
        ("what is ibuprofen", ONE),
        # One name of two things.
        ("is Advil safe", [IBUPROFEN, listing("Sleeping tablets", "Advil")]),
        # A name that is the focus of another record.
        ("is advil safe", [IBUPROFEN, listing("Advil")]),
        # Products that contain something else, or something more.
        ("max dose of Tylenol PM", [PARACETAMOL]),
        ("sudafed-pe dose", [listing("Pseudoephedrine", "Sudafed")]),
        ("nurofen plus with wine", ONE),
        # Initials are words unless they are written as such.
        ("will all of this heal?", [LEUKEMIA]),
        ("WILL ALL OF THIS HEAL?", [LEUKEMIA]),
        ("Has mi been seen?", [HEART]),
        # A name of nothing but function words.
        ("what is it", [listing("Influenza", "it", "what")]),
    ],
)
def test_other_names_stay(question: str, passages: list[Passage]) -> None:
    assert rename(question, passages) == (question, [])


def test_a_question_with_both_names_keeps_its_words_and_the_name_is_explained() -> None:
    question = "is Tylenol the same as paracetamol?"
    query, found = rename(question, [ACETAMINOPHEN, PARACETAMOL])
    assert query == question
    assert [(renamed["written"], renamed["searched"]) for renamed in found] == [
        ("Tylenol", "Paracetamol")
    ]


def test_what_was_read_names_the_record_once() -> None:
    _, found = rename("nurofen, Nurofen or advil", ONE)
    assert found == [
        {
            "written": name,
            "searched": "Ibuprofen",
            "title": "About Ibuprofen",
            "source": "Test",
            "category": "",
        }
        for name in ("nurofen", "advil")
    ]


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=4), st.text(max_size=12))
def test_any_text_can_be_read(question: str, aliases: list[str], focus: str) -> None:
    query, found = rename(question, [listing(focus, *aliases)])
    for renamed in found:
        assert renamed["written"] in question
        assert renamed["searched"] == focus
    if not found:
        assert query == question


@given(st.text(alphabet="abcdefgh ", max_size=40))
def test_a_question_without_an_alias_is_untouched(question: str) -> None:
    assert rename(question, [IBUPROFEN, PARACETAMOL]) == (question, [])


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder: Path = tmp_path_factory.mktemp("aliases")
    records = [
        Record(f"r{n}", "Page", f"Page {n} says that a common cold and its fever go away alone.")
        for n in range(60)
    ]
    records.append(
        Record("ibuprofen", "Ibuprofen", "It eases pain.", focus="Ibuprofen",
               metadata={"aliases": ["Nurofen"]})
    )  # fmt: skip
    records += [
        Record("hives", "Hives", "They itch.", focus="Hives",
               metadata={"aliases": ["urticaria", "nettle rash"]}),
        Record("spots", "Nettle spots", "They itch.", "What are nettle spots?"),
        Record("cold", "Cold urticaria", "It is a rash.", "What is cold urticaria?"),
    ]  # fmt: skip
    build(records, folder, HashEmbedder(), "small")
    return Index.open(folder, HashEmbedder())


def test_a_name_of_another_document_is_left_if_the_question_is_about_that(index: Index) -> None:
    for question, query in (
        ("cold urticaria?", "cold urticaria?"),
        ("urticaria?", "Hives?"),
        ("nettle rash?", "Hives?"),
    ):
        assert rename(question, with_aliases(question, index))[0] == query


@pytest.mark.parametrize(
    "question",
    [
        "Nurofen",
        "A common cold, and its fever go away alone says page 1 2 3 4 5 6 7 8 9: nurofen?",
    ],
)
def test_records_are_found_by_their_aliases_in_short_and_long_questions(
    index: Index, question: str
) -> None:
    assert [passage.record_id for passage in with_aliases(question, index)] == ["ibuprofen"]


@pytest.mark.parametrize("question", ["", "?!", "a common cold"])
def test_a_question_without_aliases_finds_none(index: Index, question: str) -> None:
    assert with_aliases(question, index) == []


def test_other_products_begin_with_a_name_of_a_medicine_and_are_no_medicine() -> None:
    starter = {name: record.focus.lower() for record in read_starter() for name in _names(record)}
    for product, substances in other_products().items():
        brand = product.split()[0]
        known = maxima().get(brand)
        assert product not in maxima()
        assert all(substances), product
        assert set(substances) != {known.medicine if known else starter[brand]}, product


def _names(record: Record) -> Iterable[str]:
    return cast("tuple[str, ...]", record.metadata.get("aliases", ()))


@pytest.fixture(scope="module")
def with_facts(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder: Path = tmp_path_factory.mktemp("facts")
    pages = [
        Record("gout", "Gout", "Gout is treated with colchicine, or prednisolone.", source="Test"),
        Record("fever", "Fever", "A fever and a heart attack are no play.", source="Test"),
    ]
    facts = [
        Fact("Colchicine", "may_treat", "Gout", ("kb",)),
        Fact("Paracetamol", "may_treat", "Pyrexia", ("kb",)),
        Fact("Aspirin", "may_treat", "Myocardial infarction", ("kb",)),
        Fact("Zorbium", "may_treat", "Lumbago", ("kb",)),
        Fact("Prednisolone", "may_treat", "Gout", ("kb",)),
    ]
    aliases = {
        "gout": ["podagra", "uric arthritis"],
        "pyrexia": ["fever"],
        "myocardial infarction": ["heart attack"],
        "lumbago": ["crick"],
        "prednisolone": ["prednisone", "deltacortril"],
    }
    build(pages, folder, HashEmbedder(), "pages")
    build([record(fact, aliases) for fact in facts], folder, HashEmbedder(), "kb")
    return Index.open(folder, HashEmbedder())


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How is podagra treated?", "How is Gout treated?"),
        ("Is it uric arthritis?", "Is it Gout?"),
        # The documents have the alias, and not the name.
        ("What helps in pyrexia?", "What helps in fever?"),
        # They have the word that was written.
        ("Is it a heart attack?", "Is it a heart attack?"),
        ("How is gout treated?", "How is gout treated?"),
        ("Does deltacortril help?", "Does Prednisolone help?"),
        # Another medicine, whatever the list says.
        ("Does prednisone help?", "Does prednisone help?"),
        # They have neither name.
        ("What is a crick?", "What is a crick?"),
    ],
)
def test_aliases_of_facts_count_where_the_documents_have_another_name(
    with_facts: Index, question: str, query: str
) -> None:
    assert rename(question, with_aliases(question, with_facts))[0] == query


def test_a_name_that_a_fact_lists_says_which_fact(with_facts: Index) -> None:
    question = "How is podagra treated?"
    [found] = rename(question, with_aliases(question, with_facts))[1]
    assert (found["written"], found["searched"], found["source"]) == ("podagra", "Gout", "kb")
    assert "Gout" in found["title"]
