"""What the page does when somebody acts, without a browser."""

from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from starlette.authentication import BaseUser, UnauthenticatedUser
from starlette.requests import Request

from app import trace
from app.web.handlers import Handlers
from app.web.page import build
from app.web.running import Conversation
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
    *before, (shown, talk, field, _) = PAGE.ask(QUESTION, None, None, False, None, asking())
    assert "Reading the question" in before[0][0]
    assert any("nothing has checked this" in told for told, *_ in before)
    # The question may be mended until it is answered.
    assert all("value" not in told[2] for told in before)
    assert field["value"] == ""
    assert "nothing has checked this" not in shown
    assert one(read(shown), ".statement[aria-expanded=true]").get_text()
    [made] = talk.runs
    assert made["answer"]["outcome"] == "answered"
    assert [step["node"] for step in made["steps"]][-1] == "remember"


def after(*questions: str, name: str = "", page: Handlers = PAGE) -> tuple[str, Conversation]:
    """What is shown after a conversation, and the conversation."""
    shown, talk = "", None
    for question in questions:
        *_, (shown, talk, *_) = page.ask(question, None, name, False, talk, asking())
    assert talk is not None
    return shown, talk


def test_a_follow_up_is_asked_in_the_same_conversation(home: Path) -> None:
    shown, talk = after("What are the symptoms of asthma?", "How is it treated?")
    page = read(shown)
    assert [run["answer"]["query"] for run in talk.runs][1] == "How is Asthma treated?"
    assert one(page, ".understood").get_text() == "Understood as: How is Asthma treated?"
    turn = one(page, ".earlier .turn")
    assert one(turn, "summary").get_text() == "What are the symptoms of asthma?"
    assert page.select(".answer")[0].select_one("h2").get_text() == "How is it treated?"  # type: ignore[union-attr]
    names = [own["id"] for own in page.select("[id]")]
    assert len(names) == len(set(names)) > 1


def test_a_question_that_fails_ends_no_conversation(home: Path) -> None:
    shown, talk = after("What are the symptoms of asthma?", " ", "How is it treated?")
    assert [run["answer"]["query"] for run in talk.runs][1] == "How is Asthma treated?"
    assert "there is no question" not in shown


def test_another_name_begins_another_conversation(home: Path) -> None:
    _, talk = after("What are the symptoms of asthma?", name="ann")
    *_, (shown, other, *_) = PAGE.ask("How is it treated?", None, "bob", False, talk, asking())
    assert other is not talk
    assert other.runs[0]["answer"]["query"] == "How is it treated?"
    assert "symptoms" not in shown
    assert PAGE.runs("bob", talk, asking())["choices"] == []
    assert "Ask a question first" in PAGE.trace(
        "What are the symptoms of asthma? – question 1 of this conversation", "bob", talk, asking()
    )


def test_a_new_conversation_leaves_nothing_of_the_last_one() -> None:
    shown, talk, *fields, button = PAGE.anew()
    assert (shown, talk) == ("", None)
    assert [field["value"] for field in fields] == ["", ""]
    assert not button["visible"]


def test_options_are_one_a_line(home: Path) -> None:
    asked = "Do antibiotics cure a cold?"
    *_, (shown, *_) = PAGE.ask(asked, "yes\n\n no \n", None, False, None, asking())
    assert one(read(shown), ".options .chosen").get_text(" ", strip=True) == "✓ no confirmed"


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


EMERGENCY = "crushing chest pain"
TURN = f"{EMERGENCY} – question 1 of this conversation"


def keep(user: str | None, question: str, steps: list[trace.Step]) -> str:
    """Record a run as the server does; what the list of runs says of it comes back."""
    run = trace.record(question, {}, steps)
    folder = trace.folder(user)
    folder.mkdir(parents=True, exist_ok=True)
    (trace.folder() / f"{run}.jsonl").rename(folder / f"{run}.jsonl")
    return f"{question} – {run}"


def test_the_runs_just_made_and_recorded_ones_are_there_to_see(home: Path) -> None:
    _, talk = after(EMERGENCY)
    name = keep(None, "What is gout?", talk.runs[0]["steps"])
    assert PAGE.runs("", talk, asking())["choices"] == [TURN, name]
    assert EMERGENCY in PAGE.trace(TURN, "", talk, asking())
    assert "What is gout?" in PAGE.trace(name, "", None, asking())
    assert "Ask a question first" in PAGE.trace(None, "", None, asking())
    assert "Ask a question first" in PAGE.trace(TURN, "", None, asking())


def test_a_user_sees_their_own_recorded_runs_and_nobody_elses(home: Path) -> None:
    _, talk = after(EMERGENCY)
    steps = talk.runs[0]["steps"]
    names = {user: keep(user, f"Has {user} gout?", steps) for user in (None, "ann", "bob")}
    known = asking(Known("ann"))
    for page in (PAGE, STRANGERS):
        assert page.runs("bob", None, known)["choices"] == [names["ann"]]
        assert "Has ann gout?" in page.trace(names["ann"], "bob", None, known)
        for other in (None, "bob"):
            assert "Ask a question first" in page.trace(names[other], "bob", None, known)
    # Who types a name has this machine to themselves.
    assert PAGE.runs("bob", None, asking())["choices"] == [names["bob"], names[None]]
    assert STRANGERS.runs("bob", None, asking())["choices"] == []
    assert "Ask a question first" in STRANGERS.trace(names[None], "bob", None, asking())


def test_only_what_is_in_the_list_can_be_opened(home: Path) -> None:
    outside = home / "outside.jsonl"
    outside.write_text("{}\n")
    for told in (str(outside), "../outside", outside.stem):
        assert "Ask a question first" in PAGE.trace(told, "", None, asking())


def test_a_run_of_the_page_is_recorded_for_its_user_where_that_is_set(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(EMERGENCY, name="ann")
    assert not trace.folder().exists()
    monkeypatch.setenv("ANAMNESIS_TRACES", "1")
    after(EMERGENCY, name="ann")
    assert trace.runs(trace.folder()) == []
    [told] = PAGE.runs("ann", None, asking())["choices"]
    assert EMERGENCY in PAGE.trace(told, "ann", None, asking())
    assert PAGE.runs("bob", None, asking())["choices"] == []
    PAGE.act("ann", None, asking(), doing("delete-all"))
    assert PAGE.runs("ann", None, asking())["choices"] == []


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
