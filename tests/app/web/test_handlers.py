"""What the page does when somebody acts, without a browser."""

from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from starlette.authentication import BaseUser, UnauthenticatedUser
from starlette.requests import Request

from app import trace
from app.web.handlers import LAST, Handlers
from app.web.page import build
from app.web.running import Run, run
from memory.opening import open_memories
from memory.record import Memory
from memory.store import Memories
from tests.app.web.pages import in_a_loop, one, read

QUESTION = "I have asthma, what are its symptoms?"


class Known(BaseUser):
    """Somebody whom the server has authenticated."""

    def __init__(self, identity: str) -> None:
        self._identity = identity

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def is_authenticated(self) -> bool:
        return True


def asking(user: BaseUser | None = None) -> gr.Request:
    scope: dict[str, Any] = {"type": "http", "headers": []}
    return gr.Request(request=Request(scope if user is None else {**scope, "user": user}))


def doing(act: str, memory: str = "", text: str = "") -> gr.EventData:
    return gr.EventData(None, {"act": act, "id": memory, "text": text})


@pytest.fixture
def home(tmp_path: Path, starter_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for shared in ("models", "index"):
        (tmp_path / shared).symlink_to(starter_home / shared)
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    return tmp_path


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
    assert all("value" not in told for told in PAGE.arrive(asking()))


def test_only_where_names_are_typed_is_there_a_field_for_one() -> None:
    def fields(page: Handlers) -> list[tuple[Any, Any]]:
        parts = list(in_a_loop(lambda: build(page)).blocks.values())
        return [
            (own.value, own.visible)
            for label in ("Your name", "Remember what I ask")
            for own in parts
            if getattr(own, "label", None) == label
        ]

    assert fields(Handlers({"user": "eve", "remember": True})) == [("eve", True), (True, True)]
    assert fields(STRANGERS) == [("", False), (False, False)]


def test_a_question_is_followed_until_its_checked_answer(home: Path) -> None:
    *before, (shown, made) = PAGE.ask(QUESTION, None, None, False, asking())
    assert "Reading the question" in before[0][0]
    assert any("nothing has checked this" in told for told, _ in before)
    assert all(run is None for _, run in before)
    assert "nothing has checked this" not in shown
    assert one(read(shown), ".statement[aria-expanded=true]").get_text()
    assert made is not None
    assert made["answer"]["outcome"] == "answered"
    assert [step["node"] for step in made["steps"]][-1] == "remember"


def test_options_are_one_a_line(home: Path) -> None:
    asked = "Do antibiotics cure a cold?"
    *_, (shown, _) = PAGE.ask(asked, "yes\n\n no \n", None, False, asking())
    assert one(read(shown), ".options .chosen").get_text(" ", strip=True) == (
        "✓ no Best supported by the sources"
    )


@pytest.mark.parametrize("consent", [True, False])
def test_only_with_a_name_and_consent_is_something_kept(home: Path, consent: bool) -> None:
    list(PAGE.ask(QUESTION, None, "ann", consent, asking()))
    list(PAGE.ask(QUESTION, None, " ", True, asking()))
    list(STRANGERS.ask(QUESTION, None, "ann", True, asking()))
    assert bool(open_memories().all("ann")) == consent


def test_what_went_wrong_is_said_where_the_answer_would_be(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    *_, (shown, made) = PAGE.ask(" ", None, None, False, asking())
    assert "there is no question" in one(read(shown), "[role=alert]").get_text()
    assert made is None
    nowhere = Handlers({"index": str(home / "none")})
    assert "index" in one(read(nowhere.compare("asthma")), "[role=alert]").get_text()
    assert "write one" in one(read(PAGE.compare(None)), "[role=alert]").get_text()


def test_an_error_that_is_none_of_ours_goes_to_the_log_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("app.web.handlers.compare", fail)
    shown = PAGE.compare("asthma")
    assert "secret" not in shown
    assert "The log of the server says why" in shown
    assert "secret" in caplog.text


def last() -> Run:
    *_, end = run({"question": "crushing chest pain"}, {})
    assert end.run is not None
    return end.run


def test_the_run_just_made_and_recorded_ones_are_there_to_see(home: Path) -> None:
    own = last()
    name = trace.record("What is gout?", {}, own["steps"])
    choices = PAGE.runs(own, asking())["choices"]
    assert [value for _, value in choices] == [LAST, name]
    assert "crushing chest pain" in PAGE.trace(LAST, own, asking())
    assert "What is gout?" in PAGE.trace(name, None, asking())
    assert "Ask a question first" in PAGE.trace(None, None, asking())
    assert "Ask a question first" in PAGE.trace(LAST, None, asking())


@pytest.mark.parametrize(("page", "who"), [(STRANGERS, None), (PAGE, Known("ann"))])
def test_nobody_sees_recorded_runs_that_may_be_anothers(
    home: Path, page: Handlers, who: BaseUser | None
) -> None:
    name = trace.record("What is gout?", {}, last()["steps"])
    assert page.runs(None, asking(who))["choices"] == []
    assert "Ask a question first" in page.trace(name, None, asking(who))
    outside = home / "outside.jsonl"
    outside.write_text("{}\n")
    assert "Ask a question first" in PAGE.trace(str(outside), None, asking())


def test_memories_are_shown_to_their_owner_alone(memories: Memories) -> None:
    assert "I have gout." in PAGE.memories("ann", None, asking())
    shown = PAGE.memories("bob", None, asking(Known("ann")))
    assert "I have gout." in shown
    assert "I am Bob." not in shown
    assert "Sign in first" in STRANGERS.memories("ann", None, asking())
    assert "Write your name" in PAGE.memories("", None, asking())


def test_memories_are_rated_edited_and_deleted(memories: Memories) -> None:
    def act(*told: str) -> str:
        return PAGE.act("ann", None, asking(), doing(*told))

    assert "rated right" in act("right", "a" * 32)
    assert "rated wrong" in act("wrong", "a" * 32)
    assert "I had gout." in act("edit", "a" * 32, "I had gout.")
    assert "Nothing is remembered" in act("delete", "a" * 32)
    assert [own.text for own in memories.all("bob")] == ["I am Bob."]


@pytest.mark.parametrize("act", ["right", "wrong", "edit", "delete"])
def test_nobody_acts_on_anothers_memory(memories: Memories, act: str) -> None:
    shown = PAGE.act("bob", None, asking(Known("ann")), doing(act, "b" * 32, "x"))
    assert "has no memory" in shown
    shown = STRANGERS.act("bob", None, asking(), doing(act, "b" * 32, "x"))
    assert "say who you are" in shown
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
