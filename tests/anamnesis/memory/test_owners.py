"""Nothing of one owner reaches another."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis import SettingError
from anamnesis.memory.record import KINDS
from anamnesis.memory.store import Memories
from tests.anamnesis.memory.conftest import Make
from tests.fakes import HashEmbedder

ANY_ID = "0" * 32
OWNERS = ["ann", "bob", "ann ", "Ann", "a.n/n", "患者"]


@pytest.mark.parametrize("owner", ["", "  ", "\udc00"])
def test_without_an_owner_there_is_no_call(kept: Memories, make: Make, owner: str) -> None:
    kept.add("ann", [make("gout")])
    for call in (
        lambda: kept.add(owner, [make("gout")]),
        lambda: kept.all(owner),
        lambda: kept.get(owner, ANY_ID),
        lambda: kept.nearest(owner, "gout"),
        lambda: kept.count_recalls(owner, [ANY_ID]),
        lambda: kept.rate(owner, ANY_ID, correct=True),
        lambda: kept.edit(owner, ANY_ID, "x"),
        lambda: kept.supersede(owner, ANY_ID, ANY_ID),
        lambda: kept.delete(owner),
        lambda: kept.audit(owner),
        lambda: kept.prune(owner),
    ):
        with pytest.raises(SettingError, match="owner"):
            call()


def test_the_owner_is_an_argument_that_nothing_stands_in_for(kept: Memories) -> None:
    with pytest.raises(TypeError):
        kept.nearest("gout")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        kept.all()  # type: ignore[call-arg]


def test_nobody_keeps_a_memory_for_another(kept: Memories, make: Make) -> None:
    with pytest.raises(SettingError, match="'bob'"):
        kept.add("ann", [make("gout", owner="bob")])


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    said=st.lists(
        st.tuples(
            st.sampled_from(OWNERS),
            st.sampled_from(KINDS),
            st.sampled_from(["gout", "gout toe", "rash", "no rash"]),
        ),
        min_size=1,
        max_size=10,
    ),
    forgets=st.sampled_from(OWNERS),
)
def test_no_user_sees_touches_or_loses_what_is_anothers(
    tmp_path_factory: pytest.TempPathFactory,
    make: Make,
    said: list[tuple[str, str, str]],
    forgets: str,
) -> None:
    kept = Memories(tmp_path_factory.mktemp("crossing") / "memory", HashEmbedder())
    for owner, kind, text in said:
        kept.add(owner, [make(f"{text} {OWNERS.index(owner)}", owner, kind=kind)])
    everything = {owner: kept.all(owner) for owner in OWNERS}
    for owner in OWNERS:
        mine = {(kind, f"{text} {OWNERS.index(who)}") for who, kind, text in said if who == owner}
        assert {(memory.kind, memory.text) for memory in everything[owner]} == mine
        found = kept.nearest(owner, "gout rash", n=100)
        assert {(one.memory.kind, one.memory.text) for one in found} == mine
        for other in OWNERS:
            if other != owner and everything[other]:
                theirs = everything[other][0]
                for call in (
                    lambda owner=owner, memory=theirs: kept.get(owner, memory.id),
                    lambda owner=owner, memory=theirs: kept.rate(owner, memory.id, correct=False),
                    lambda owner=owner, memory=theirs: kept.edit(owner, memory.id, "x"),
                    lambda owner=owner, memory=theirs: kept.delete(owner, [memory.id]),
                ):
                    with pytest.raises(SettingError, match="has no memory"):
                        call()
                kept.count_recalls(owner, [theirs.id])
    kept.delete(forgets)
    for owner in OWNERS:
        assert kept.all(owner) == ([] if owner == forgets else everything[owner])
        assert all(line["who"] == owner for line in kept.audit(owner))


def test_an_experts_memory_is_shown_to_its_audience_and_changed_by_its_owner(
    kept: Memories, make: Make
) -> None:
    [all_] = kept.add("eve", [make("gout: see the protocol", "eve", scope="expert")])
    heart = {"department": "cardiology"}
    [some] = kept.add(
        "eve", [make("gout: ask the heart team", "eve", scope="expert", audience=heart)]
    )

    def seen(**audience: str) -> set[str]:
        return {one.memory.id for one in kept.nearest("ann", "gout", audience=audience)}

    assert seen() == seen(department="surgery") == {all_.id}
    assert seen(**heart) == seen(**heart, location="2") == {all_.id, some.id}
    assert {one.memory.id for one in kept.nearest("eve", "gout")} == {all_.id, some.id}
    with pytest.raises(SettingError, match="has no memory"):
        kept.get("ann", some.id)
    assert kept.get("ann", some.id, heart) == some
    with pytest.raises(SettingError, match="has no memory"):
        kept.edit("ann", all_.id, "gout: do as you like")
    with pytest.raises(SettingError, match="has no memory"):
        kept.delete("ann", [all_.id])
    for _ in range(12):
        kept.rate("ann", all_.id, correct=False)
    assert kept.get("ann", all_.id).rating == "bad"  # others rate it, and do not take it away
    assert kept.all("ann") == []
