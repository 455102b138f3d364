"""What is kept is found again, merged, rated, edited and deleted."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from anamnesis import SettingError
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from tests.anamnesis.memory.conftest import Make
from tests.fakes import HashEmbedder

ANY_ID = "0" * 32


def texts(found: list[Memory]) -> list[str]:
    return [memory.text for memory in found]


def test_the_nearest_of_each_kind_come_back_best_first(kept: Memories, make: Make) -> None:
    kept.add("ann", [make("gout of the toe"), make("gout of the big toe"), make("measles rash")])
    kept.add("ann", [make("toe", kind="exchange")])
    found = kept.nearest("ann", "gout toe", ["question"], n=2)
    assert [one.memory.text for one in found] == ["gout of the toe", "gout of the big toe"]
    vectors = HashEmbedder().embed_queries(["gout toe", "gout of the toe"])
    assert found[0].cosine == pytest.approx(float(vectors[0] @ vectors[1]), abs=1e-5)
    assert {one.memory.kind for one in kept.nearest("ann", "toe")} == {"question", "exchange"}


def test_the_twenty_nearest_of_each_kind_are_found(kept: Memories, make: Make) -> None:
    notes = [
        make(f"gout word{n}", kind=kind) for kind in ("question", "response") for n in range(25)
    ]
    kept.add("ann", [make("gout"), *notes])
    found = kept.nearest("ann", "gout")
    kinds = [one.memory.kind for one in found]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"question": 20, "response": 20}
    assert found[kinds.index("question")].memory.text == "gout"


def test_the_search_is_as_exact_as_comparing_with_all(kept: Memories, make: Make) -> None:
    words = [f"word{n}" for n in range(60)]
    many = [make(f"{words[n % 60]} {words[n * 7 % 60]} {n}") for n in range(300)]
    kept.add("ann", many)
    vectors = HashEmbedder().embed_queries([memory.text for memory in many])
    for asked in ("word3 word21", "word59", "299"):
        cosines = vectors @ HashEmbedder().embed_queries([asked])[0]
        best = sorted(cosines, reverse=True)[:20]
        found = [one.cosine for one in kept.nearest("ann", asked)]
        assert found == pytest.approx(best, abs=1e-5)


def test_memories_outlive_the_one_who_kept_them(kept: Memories, folder: Path, make: Make) -> None:
    [memory] = kept.add("ann", [make("AF means atrial fibrillation", recalls=2)])
    again = Memories(folder, HashEmbedder())
    assert again.get("ann", memory.id) == memory
    assert again.nearest("ann", "AF")[0].memory == memory


def test_memories_of_another_embedder_are_embedded_anew(
    kept: Memories, folder: Path, make: Make
) -> None:
    class Other(HashEmbedder):
        dimensions = 32

    kept.add("ann", [make("gout")])
    assert Memories(folder, Other("other")).nearest("ann", "gout")[0].cosine > 0.99
    assert kept.nearest("ann", "gout")[0].cosine > 0.99


def test_what_says_the_same_is_kept_once_and_made_fresh(kept: Memories, make: Make) -> None:
    old, new = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
    [first] = kept.add("ann", [make("Is allergic to nuts.", created=old, recalls=3)])
    [merged] = kept.add("ann", [make("is allergic to nuts", created=new)])
    assert (merged.id, merged.created, merged.recalls) == (first.id, new, 3)
    kept.add(
        "ann", [make("Is not allergic to nuts."), make("Is allergic to nuts.", kind="residual")]
    )
    twice = [make("Takes 5 mg."), make("takes 5 mg")]
    assert len(kept.add("ann", twice)) == 1
    assert len(kept.all("ann")) == 4
    assert len(kept.nearest("ann", "allergic nuts")) == 4


def test_nothing_is_there_and_nothing_is_made_before_the_first_memory(
    kept: Memories, folder: Path
) -> None:
    assert kept.all("ann") == kept.nearest("ann", "gout") == kept.audit("ann") == []
    kept.count_recalls("ann", [ANY_ID])
    assert kept.add("ann", []) == []
    assert not folder.exists()
    assert kept.delete("ann") == 0


def test_what_was_contradicted_is_kept_out_of_play(kept: Memories, make: Make) -> None:
    old, new = kept.add("ann", [make("gout of the toe"), make("no gout")])
    [bobs] = kept.add("bob", [make("gout", "bob")])
    assert kept.supersede("ann", old.id, new.id).superseded_by == new.id
    assert [one.memory for one in kept.nearest("ann", "gout of the toe")] == [new]
    assert {memory.id for memory in kept.all("ann")} == {old.id, new.id}
    for wrong in ((old.id, ANY_ID), (ANY_ID, old.id), (bobs.id, new.id), (new.id, bobs.id)):
        with pytest.raises(SettingError, match="has no memory"):
            kept.supersede("ann", *wrong)
    with pytest.raises(SettingError, match="itself"):
        kept.supersede("ann", new.id, new.id)


def test_an_experts_note_takes_a_users_memory_out_of_play_until_the_expert_changes_it(
    kept: Memories, make: Make
) -> None:
    [memory] = kept.add("ann", [make("Asthma is contagious.")])
    text, lungs = "Asthma is not contagious.", {"department": "lungs"}
    [note] = kept.add("eve", [make(text, "eve", scope="expert", audience=lungs)])
    with pytest.raises(SettingError, match="has no memory"):
        kept.supersede("ann", memory.id, note.id)
    with pytest.raises(SettingError, match="has no memory"):
        kept.supersede("ann", note.id, memory.id, lungs)
    assert {memory.id for memory in kept.active("ann", lungs)} == {memory.id, note.id}
    assert kept.supersede("ann", memory.id, note.id, lungs).superseded_by == note.id
    assert [memory.id for memory in kept.active("ann", lungs)] == [note.id]
    kept.edit("eve", note.id, "Asthma is treated by the lung department.")
    assert kept.get("ann", memory.id).superseded_by is None


def test_recalls_are_counted_when_said(kept: Memories, make: Make) -> None:
    one, other = kept.add("ann", [make("gout"), make("rash")])
    kept.nearest("ann", "gout")
    kept.count_recalls("ann", [one.id, one.id])
    assert kept.get("ann", one.id).recalls == 1
    assert kept.get("ann", other.id).recalls == 0


def test_ratings_move_trust_until_the_memory_is_dropped(kept: Memories, make: Make) -> None:
    [memory] = kept.add("ann", [make("gout")])
    assert kept.rate("ann", memory.id, correct=True).rating == "good"
    ratings = 0
    while kept.all("ann"):
        rated = kept.rate("ann", memory.id, correct=False)
        ratings += 1
    assert not rated.retained
    assert ratings > 3
    assert [line["what"] for line in kept.audit("ann")][-2:] == ["rate", "delete"]


def test_an_edit_is_found_by_its_new_words(kept: Memories, make: Make) -> None:
    one, _ = kept.add("ann", [make("gout"), make("measles")])
    assert kept.edit("ann", one.id, "rash").text == "rash"
    assert kept.nearest("ann", "rash")[0].memory.id == one.id
    assert kept.nearest("ann", "rash")[0].cosine > 0.99
    with pytest.raises(SettingError, match="has the same content"):
        kept.edit("ann", one.id, "Measles.")
    with pytest.raises(SettingError, match="blank"):
        kept.edit("ann", one.id, " ")
    assert kept.get("ann", one.id).text == "rash"


def test_nothing_is_deleted_if_one_is_not_there(kept: Memories, make: Make) -> None:
    [memory] = kept.add("ann", [make("gout")])
    with pytest.raises(SettingError, match=ANY_ID):
        kept.delete("ann", [memory.id, ANY_ID])
    assert kept.all("ann") == [memory]


def test_the_audit_log_has_who_and_what_but_no_content(
    kept: Memories, folder: Path, make: Make
) -> None:
    [memory] = kept.add("ann", [make("secretword")])
    kept.rate("ann", memory.id, correct=True)
    kept.delete("ann")
    lines = kept.audit("ann")
    assert [line["what"] for line in lines] == ["remember", "rate", "delete"]
    assert {(line["who"], line["memory"]) for line in lines} == {("ann", memory.id)}
    assert "secretword" not in str(lines)
    base = sqlite3.connect(folder / "memories.sqlite")
    for change in ("delete from audit", "update audit set who = 'bob'"):
        with pytest.raises(sqlite3.Error, match="only added to"):
            base.execute(change)
    base.close()


@pytest.mark.parametrize(
    "server", ["nonsense", "ftp://host:1", "http://", "http://h:x", "http://h/p"]
)
def test_an_address_that_is_none_is_refused(folder: Path, server: str) -> None:
    with pytest.raises(SettingError, match="address"):
        Memories(folder, HashEmbedder(), server)


def test_vectors_are_float32_in_and_out(kept: Memories, make: Make) -> None:
    kept.add("ann", [make("gout")])
    assert np.isclose(kept.nearest("ann", "gout")[0].cosine, 1.0, atol=1e-5)


def test_words_count_as_much_as_is_asked(kept: Memories, make: Make) -> None:
    _, gout = kept.add("ann", [make("rash rash"), make("gout in the left foot and the hand")])
    [first, *_] = kept.nearest("ann", "gout", lexical_weight=0.5)
    assert first.memory == gout
    assert first.closeness == pytest.approx((first.cosine + first.words) / 2)
    assert all(one.words == 0 for one in kept.nearest("ann", "gout"))
    # Another user's memories have no say in how rare a word is.
    kept.add("bob", [make(f"gout {n}", "bob") for n in range(9)])
    assert kept.nearest("ann", "gout", lexical_weight=0.5)[0].words == first.words


def test_what_is_said_again_comes_back_into_play(kept: Memories, make: Make) -> None:
    old, new = kept.add("ann", [make("has gout"), make("has no gout")])
    kept.supersede("ann", old.id, new.id)
    [again] = kept.add("ann", [make("Has gout.")])
    assert (again.id, again.superseded_by) == (old.id, None)
    assert len(kept.nearest("ann", "gout")) == 2


def test_one_that_is_called_right_takes_the_place_of_what_contradicts_it(
    kept: Memories, make: Make
) -> None:
    old, new = kept.add("ann", [make("has gout"), make("has no gout")])
    kept.supersede("ann", old.id, new.id)
    assert kept.rate("ann", old.id, correct=False).superseded_by == new.id
    assert kept.rate("ann", old.id, correct=True).superseded_by is None
    assert kept.get("ann", new.id).superseded_by == old.id
    assert [one.memory.id for one in kept.nearest("ann", "gout")] == [old.id]
    # Where the one that contradicted it is gone, there is none to change places with.
    kept.delete("ann", [old.id])
    assert kept.rate("ann", new.id, correct=True).superseded_by is None


def test_what_was_counted_of_the_old_words_is_not_of_the_new_ones(
    kept: Memories, make: Make
) -> None:
    [old, dose] = kept.add("ann", [make("I have asthma"), make("I take 50 mg", recalls=3)])
    kept.rate("ann", dose.id, correct=False)
    kept.supersede("ann", old.id, dose.id)
    edited = kept.edit("ann", dose.id, "I like tea")
    assert edited == dose.changed(text="I like tea", recalls=0)
    assert (edited.rating, edited.incorrect, edited.trust) == ("unrated", 0, 0.25)
    assert kept.get("ann", old.id).superseded_by is None


def test_what_is_edited_comes_back_into_play(kept: Memories, make: Make) -> None:
    old, new = kept.add("ann", [make("has gout"), make("has no gout")])
    kept.supersede("ann", old.id, new.id)
    assert kept.edit("ann", old.id, "had gout").superseded_by is None


def test_pruning_deletes_the_owners_private_memories_and_says_so(
    kept: Memories, make: Make
) -> None:
    old = datetime(2020, 1, 1, tzinfo=UTC)
    expert = make("gout protocol", scope="expert", created=old)
    kept.add("ann", [make("gout", created=old), make("rash"), make("cough"), expert])
    kept.add("bob", [make("gout", "bob", created=old)])
    assert kept.prune("ann") == []
    assert texts(kept.prune("ann", days=365)) == ["gout"]
    assert len(kept.prune("ann", limit=1)) == 1
    left = kept.all("ann")
    assert len(left) == 2
    assert expert in left
    assert [line["what"] for line in kept.audit("ann")][-2:] == ["prune", "prune"]
    assert len(kept.all("bob")) == 1
    assert len(kept.nearest("ann", "gout")) == 2
    with pytest.raises(SettingError, match="limit"):
        kept.prune("ann", limit=0)
