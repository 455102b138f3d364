"""What the page does when somebody acts, without a browser."""

from pathlib import Path
from typing import Any

import pytest
from starlette.authentication import UnauthenticatedUser

from anamnesis.memory.opening import open_memories
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from app.web.handlers import Handlers
from app.web.page import build
from tests.app.web.pages import Known, asking, doing, in_a_loop, one, read

QUESTION = "I have asthma, what are its symptoms?"


@pytest.fixture
def memories(home: Path) -> Memories:
    kept = open_memories()
    kept.add("ann", [Memory.make(owner="ann", kind="question", text="I have gout.", id="a" * 32)])
    kept.add("bob", [Memory.make(owner="bob", kind="question", text="I am Bob.", id="b" * 32)])
    return kept


PAGE = Handlers({})
STRANGERS = Handlers({}, typed_names=False)


def test_the_authenticated_identity_wins_over_a_typed_name() -> None:
    assert PAGE.user("bob", asking(Known("ann"))) == "ann"
    assert PAGE.user(" ann ", asking()) == "ann"
    assert PAGE.user("ann", asking(UnauthenticatedUser())) == "ann"
    assert PAGE.user(" ", asking()) is None
    assert PAGE.user(None, asking()) is None
    assert STRANGERS.user("ann", asking()) is None
    assert STRANGERS.user("bob", asking(Known("ann"))) == "ann"
    assert PAGE.user("bob", asking(Known(""))) == ""


def test_who_is_authenticated_cannot_be_somebody_else_by_writing() -> None:
    name, consent = STRANGERS.arrive(asking(Known("ann")))
    assert (name["value"], name["interactive"], name["visible"]) == ("ann", False, True)
    assert consent["visible"]
    # What a visitor has typed meanwhile stays.
    assert all("value" not in field for field in PAGE.arrive(asking()))


def test_only_where_names_are_typed_is_there_a_field_for_one() -> None:
    def fields(page: Handlers) -> list[tuple[Any, Any]]:
        parts = list(in_a_loop(lambda: build(page)).blocks.values())
        return [
            (part.value, part.visible)
            for label in ("Your name", "Remember what I ask")
            for part in parts
            if getattr(part, "label", None) == label
        ]

    assert fields(Handlers({"user": "eve", "memory.consent": True})) == [
        ("eve", True),
        (True, True),
    ]
    assert fields(STRANGERS) == [("", False), (False, False)]


def test_a_question_is_followed_until_its_checked_answer(home: Path) -> None:
    *before, (shown, talk, field, _) = PAGE.ask(QUESTION, None, None, False, None, asking())
    assert "Reading the question" in before[0][0]
    assert any("Draft: not checked yet" in text for text, *_ in before)
    # The question may be mended until it is answered.
    assert all("value" not in record[2] for record in before)
    assert field["value"] == ""
    assert "nothing has checked this" not in shown
    assert one(read(shown), ".statement[aria-expanded=true]").get_text()
    [made] = talk.runs
    others = [other_passage.record_id for other_passage in made["other_passages"]]
    assert len(set(others)) == len(others) > 0
    assert not set(others) & {source["id"] for source in made["answer"]["sources"]}
    assert made["answer"]["outcome"] == "answered"
    assert [step["node"] for step in made["steps"]][-1] == "remember"


def test_options_are_one_a_line(home: Path) -> None:
    asked = "Do antibiotics cure a cold?"
    *_, (shown, *_) = PAGE.ask(asked, "yes\n\n no \n", None, False, None, asking())
    assert one(read(shown), ".options .chosen").get_text(" ", strip=True) == (
        "✓ no Best supported by the sources"
    )


@pytest.mark.parametrize("consent", [True, False])
def test_only_with_a_name_and_consent_is_something_kept(home: Path, consent: bool) -> None:
    list(PAGE.ask(QUESTION, None, "ann", consent, None, asking()))
    list(PAGE.ask(QUESTION, None, " ", True, None, asking()))
    list(STRANGERS.ask(QUESTION, None, "ann", True, None, asking()))
    assert bool(open_memories().all("ann")) == consent


def test_what_went_wrong_is_said_where_the_answer_would_be(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    *_, (shown, talk, *_) = PAGE.ask(" ", None, None, False, None, asking())
    assert "there is no question" in one(read(shown), "[role=alert]").get_text()
    assert talk.runs == []
    nowhere = Handlers({"index": str(home / "none")})
    assert "index" in one(read(nowhere.compare("asthma", asking())), "[role=alert]").get_text()
    assert "write one" in one(read(PAGE.compare(None, asking())), "[role=alert]").get_text()


def test_an_error_that_is_none_of_ours_goes_to_the_log_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("app.web.handlers.compare", fail)
    shown = PAGE.compare("asthma", asking())
    assert "secret" not in shown
    assert "The log of the server says why" in shown
    assert "secret" in caplog.text


def test_memories_are_shown_to_their_owner_alone(memories: Memories) -> None:
    assert "I have gout." in PAGE.memories("ann", None, asking())
    shown = PAGE.memories("bob", None, asking(Known("ann")))
    assert "I have gout." in shown
    assert "I am Bob." not in shown
    assert "Sign in first" in STRANGERS.memories("ann", None, asking())
    assert "Write your name" in PAGE.memories("", None, asking())


def test_memories_are_rated_edited_and_deleted(memories: Memories) -> None:
    def act(*arguments: str) -> str:
        return PAGE.act("ann", None, asking(), doing(*arguments))

    assert "rated right" in act("right", "a" * 32)
    assert "rated wrong" in act("wrong", "a" * 32)
    assert "I had gout." in act("edit", "a" * 32, "I had gout.")
    assert "Nothing is remembered" in act("delete", "a" * 32)
    assert [memory.text for memory in memories.all("bob")] == ["I am Bob."]


def test_a_profile_is_entered_on_the_page(memories: Memories) -> None:
    shown = PAGE.act("ann", None, asking(), doing("add", "new", "Allergy: penicillin"))
    assert "allergy: penicillin" in shown
    assert [memory.text for memory in memories.all("ann", "profile")] == ["allergy: penicillin"]
    wrong = PAGE.act("ann", None, asking(), doing("add", "new", "penicillin"))
    assert "field: value" in wrong
    assert memories.all("bob", "profile") == []


@pytest.mark.parametrize("act", ["right", "wrong", "edit", "delete"])
def test_nobody_acts_on_anothers_memory(memories: Memories, act: str) -> None:
    shown = PAGE.act("bob", None, asking(Known("ann")), doing(act, "b" * 32, "x"))
    assert "has no memory" in shown
    shown = STRANGERS.act("bob", None, asking(), doing(act, "b" * 32, "x"))
    assert "enter your name" in shown
    assert memories.all("bob")[0].text == "I am Bob."
    assert memories.all("bob")[0].rating == "unrated"


def test_all_of_ones_own_are_deleted_and_no_others(memories: Memories) -> None:
    assert "Nothing is remembered" in PAGE.act(
        "bob", None, asking(Known("ann")), doing("delete-all")
    )
    assert memories.all("ann") == []
    assert len(memories.all("bob")) == 1


def test_an_act_that_there_is_not_changes_nothing(memories: Memories) -> None:
    assert "no action" in PAGE.act("ann", None, asking(), doing("nonsense"))
    assert len(memories.all("ann")) == 1
