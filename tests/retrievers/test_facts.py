"""Facts in the index: kept apart, found by two steps and by names."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.record import Record
from anamnesis.corpus.triplets import Fact, record
from anamnesis.errors import SettingError
from retrievers.build import remove
from retrievers.dense import write_dense
from retrievers.facts import FactIndex, FactQuery, FactSearch, refine
from retrievers.index import Index
from retrievers.manifest import read_manifest
from retrievers.names import write_names
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import Put, records

Opened = Callable[[], Index]

TRIPLETS = [
    ("Ibuprofen", "may_treat", "Pyrexia"),
    ("Penicillin", "may_treat", "Tularaemia"),
    ("Malaria", "may_cause", "Pyrexia"),
    ("Asthma", "may_contraindicate", "Propranolol"),
    ("Pregnancy", "may_contraindicate", "Ibuprofen"),
    ("Warfarin", "interacts_with", "Ibuprofen"),
]
ALIASES = {"pyrexia": ["fever"], "asthma": ["wheezy bronchitis"]}


def facts(triplets: list[tuple[str, str, str]] = TRIPLETS) -> list[Record]:
    return [record(Fact(*triplet, ("kb",)), ALIASES) for triplet in triplets]


def texts(index: Index, query: str, *options: str, **more: object) -> list[str]:
    hits = search(index, query, ("facts",), options=options, **more)  # type: ignore[arg-type]
    return [passage.text for passage in index.passages([hit["id"] for hit in hits])]


def test_facts_are_last_whatever_their_name_and_stay_when_others_come(
    put: Put, opened: Opened, folder: Path
) -> None:
    put(facts(), "a base")
    put(records(5), "z passages")
    put(records(5), "z passages")
    manifest = read_manifest(folder)
    assert {name: collection.facts for name, collection in manifest.collections.items()} == {
        "a base": True, "z passages": False,
    }  # fmt: skip
    assert manifest.facts == 6
    assert texts(opened(), "Which drug treats tularemia?")[0] == "Penicillin may treat Tularaemia."
    assert search(opened(), "How is gout 1 treated?")[0]["id"] == "r1#0"


def test_facts_can_be_taken_out_again(put: Put, opened: Opened, folder: Path) -> None:
    put(records(3), "one")
    put(facts(), "base")
    remove(folder, "base")
    assert opened().fact_index is None
    assert search(opened(), "gout drug1", ("facts",)) == []
    put(facts(), "base")
    remove(folder, "one")
    assert texts(opened(), "What interacts with warfarin?")[0].startswith("Warfarin interacts")
    assert [hit["ranks"] for hit in search(opened(), "warfarin")] == []


def test_an_index_without_facts_has_an_empty_list_of_them(put: Put, opened: Opened) -> None:
    put(records(5))
    query = "How is gout 1 treated?"
    with_facts = search(opened(), query, ("sparse", "dense", "facts"))
    assert with_facts == search(opened(), query, ("sparse", "dense"))


@pytest.mark.parametrize("how", get_args(FactSearch))
def test_without_options_an_alias_finds_what_the_stored_name_says(
    put: Put, opened: Opened, how: FactSearch
) -> None:
    put(facts())
    found = texts(opened(), "fever", facts_k=2, fact_search=how)
    assert set(found) == {"Ibuprofen may treat Pyrexia.", "Malaria may cause Pyrexia."}


def test_the_fact_that_names_both_comes_first(put: Put, opened: Opened) -> None:
    put(facts())
    found = texts(opened(), "May someone with wheezy bronchitis take propranolol?")
    assert found[0] == "Propranolol may be contraindicated in Asthma."


def test_with_options_a_fact_of_an_option_and_the_question_comes_first(
    put: Put, opened: Opened
) -> None:
    put(facts())
    question = "Which of these may lower a fever?"
    found = texts(opened(), question, "Penicillin", "Ibuprofen", "Warfarin", facts_k=4)
    assert found[0] == "Ibuprofen may treat Pyrexia."
    assert "Malaria may cause Pyrexia." not in found  # it names the fever, but no option


def test_the_first_step_takes_what_is_near_an_option(put: Put, opened: Opened) -> None:
    put(facts())
    [first, *_] = texts(opened(), "?", "Penicillin Tularaemia", fact_search="broad", facts_k=1)
    assert first == "Penicillin may treat Tularaemia."


def embed(texts: object) -> np.ndarray:
    """Option n lies on axis n; the question on the last."""
    return np.eye(4, dtype=np.float32)[[3, 0, 1]]


def test_the_second_step_orders_what_the_first_one_found(tmp_path: Path) -> None:
    # Facts 0 and 1 are near option A, 2 and 3 near B, 4 near the question alone.
    vectors = np.array(
        [[0.9, 0, 0, 0.1], [0.8, 0, 0, 0.4], [0, 0.7, 0, 0.3], [0, 0.1, 0, 0.9], [0, 0, 0, 1]],
        np.float32,
    )
    np.save(tmp_path / "vectors.npy", vectors)
    write_names([((), ())] * 5, tmp_path)
    index = FactIndex(tmp_path, 0)
    broad = index.search(FactQuery("question", ["a", "b"], "broad", 2), 3, embed)
    assert [candidate.row for candidate in broad] == [0, 1, 2]
    refined = index.search(FactQuery("question", ["a", "b"], "refined", 2), 2, embed)
    assert [candidate.row for candidate in refined] == [3, 1]
    assert [candidate.score for candidate in refined] == pytest.approx([0.9, 0.4])


def test_the_first_step_finds_what_all_products_find(tmp_path: Path) -> None:
    noise = np.random.default_rng(0)
    vectors = noise.standard_normal((700, 8), np.float32)
    queries = noise.standard_normal((3, 8), np.float32)
    write_dense([vectors], 700, 8, tmp_path, 700)
    write_names([], tmp_path)
    found = FactIndex(tmp_path, 0).search(
        FactQuery("?", ["a", "b"], "broad"), 20, lambda _: queries
    )
    best = (vectors @ queries[1:].T).max(axis=1)
    order = np.argsort(-best)[:20]
    assert [scored.row for scored in found] == order.tolist()
    np.testing.assert_allclose([scored.score for scored in found], best[order], rtol=1e-5)


def test_facts_are_found_in_addition_to_the_passages(put: Put, opened: Opened) -> None:
    put(records(12), "one")
    put(facts(), "base")
    hits = search(opened(), "gout drug1 fever", ("sparse", "dense", "facts"), k=3, facts_k=2)
    assert sum("facts" in hit["ranks"] for hit in hits) == 2
    assert sum("facts" not in hit["ranks"] for hit in hits) == 3
    assert [hit["score"] for hit in hits] == sorted((h["score"] for h in hits), reverse=True)


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5])
def test_a_number_of_facts_that_is_none_is_an_error(
    put: Put, opened: Opened, wrong: object
) -> None:
    put(facts())
    with pytest.raises(SettingError, match="facts_k must be a whole number of at least 1"):
        search(opened(), "fever", ("facts",), facts_k=wrong)  # type: ignore[arg-type]


def test_a_blank_question_finds_no_fact(put: Put, opened: Opened) -> None:
    put(facts())
    assert search(opened(), "  ", ("facts",)) == []


def test_a_damaged_list_of_names_is_reported(put: Put, opened: Opened, folder: Path) -> None:
    put(facts(), embedder=HashEmbedder())
    [file] = folder.rglob("name_places.npy")
    file.write_bytes(b"")
    with pytest.raises(RuntimeError, match="is damaged"):
        opened()


def test_refine_fuses_scores_and_names() -> None:
    rows = np.array([3, 5, 8, 9])
    scores = np.array([0.9, 0.2, 0.5, 0.1])
    # By score: 0 2 1 3. One name or more: 2 1 3. Two: 3.
    # 0: 1/61; 1: 1/62 + 1/63; 2: 1/61 + 1/62; 3: 1/61 + 1/63 + 1/64.
    assert refine(rows, scores, {9: 2, 8: 1, 5: 1}, 4) == [3, 2, 1, 0]
    # Without names all around, 8 and 5 are behind by score: 1/61 + 1/64 for 9.
    assert refine(rows, scores, {9: 1}, 4) == [3, 0, 2, 1]
    assert refine(rows, scores, {}, 3) == [0, 2, 1]


@given(
    st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=20),
    st.sets(st.integers(0, 19)),
    st.integers(1, 25),
)
def test_refine_gives_each_place_once(scores: list[float], named: set[int], k: int) -> None:
    rows = np.arange(len(scores))
    found = refine(rows, np.array(scores), dict.fromkeys(named, 1), k)
    assert len(found) == len(set(found)) == min(k, len(scores))
    if not named & set(rows.tolist()):
        assert [scores[place] for place in found] == sorted(scores, reverse=True)[:k]
