import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from anamnesis import SettingError
from memory.episodes import namespace, recall, remember


class Letters:
    """Unit vectors of letter counts: texts of the same letters are near."""

    fingerprint = "letters"

    def embed_queries(self, texts: list[str]) -> np.ndarray:
        counts = np.array(
            [[text.lower().count(chr(97 + place)) + 0.01 for place in range(26)] for text in texts],
            dtype=np.float32,
        )
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def test_the_nearest_exchanges_above_the_threshold_come_back_best_first() -> None:
    store = InMemoryStore()
    remember(store, "ann", "aaaa", "a", Letters())
    remember(store, "ann", "aabb", "ab", Letters())
    remember(store, "ann", "zzzz", "z", Letters())
    found = recall(store, "ann", "aaaa", Letters(), k=2, threshold=0.4)
    assert [memory["question"] for memory in found] == ["aaaa", "aabb"]
    assert found[0]["score"]["cosine"] > found[1]["score"]["cosine"] >= 0.4
    assert recall(store, "ann", "aaaa", Letters(), k=5, threshold=0.99)[1:] == []


def test_nothing_is_recalled_from_an_empty_store() -> None:
    assert recall(InMemoryStore(), "ann", "aaaa", Letters(), k=2, threshold=0.0) == []


def test_memories_of_another_embedder_are_passed_over() -> None:
    store = InMemoryStore()
    remember(store, "ann", "aaaa", "a", Letters())

    class Other(Letters):
        fingerprint = "other"

    assert recall(store, "ann", "aaaa", Other(), k=2, threshold=0.0) == []


@pytest.mark.parametrize("owner", ["", "  "])
def test_a_search_without_an_owner_is_an_error(owner: str) -> None:
    with pytest.raises(SettingError, match="owner"):
        recall(InMemoryStore(), owner, "a", Letters(), k=1, threshold=0.0)
    with pytest.raises(SettingError, match="owner"):
        remember(InMemoryStore(), owner, "a", "a", Letters())


@settings(max_examples=30)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=6), st.text("abc", min_size=1)), max_size=8))
def test_no_user_sees_the_memories_of_another(exchanges: list[tuple[str, str]]) -> None:
    exchanges = [(owner, text) for owner, text in exchanges if owner.strip()]
    store = InMemoryStore()
    for owner, text in exchanges:
        remember(store, owner, f"{text} {owner!r}", "answer", Letters())
    for owner in {owner for owner, _ in exchanges}:
        found = recall(store, owner, "abc", Letters(), k=100, threshold=-1.0)
        own = sorted(f"{text} {name!r}" for name, text in exchanges if name == owner)
        assert sorted(memory["question"] for memory in found) == own


@given(st.text(min_size=1), st.text(min_size=1))
def test_two_owners_never_share_a_place(one: str, other: str) -> None:
    if one.strip() and other.strip():
        assert (namespace(one) == namespace(other)) == (one == other)
