"""Questions that follow each other, and the runs that can be seen of them."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk

from app.cli.main import main
from app.trace import runs as trace
from app.web.handlers import Handlers
from app.web.running import Conversation
from tests.app.web.pages import Known, asking, doing, one, read
from tests.graph.conftest import WaitingChat

PAGE = Handlers({})
STRANGERS = Handlers({}, typed_names=False)


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
    assert [run["answer"]["query"] for run in talk.runs][1] == "How is asthma treated?"
    assert one(page, ".understood").get_text() == "Understood as: How is asthma treated?"
    turn = one(page, ".earlier .turn > summary")
    assert turn.get_text() == "What are the symptoms of asthma?"
    assert page.select(".answer")[0].select_one("h2").get_text() == "How is it treated?"  # type: ignore[union-attr]
    names = [element["id"] for element in page.select("[id]")]
    assert len(names) == len(set(names)) > 1


def test_a_question_that_fails_ends_no_conversation(home: Path) -> None:
    shown, talk = after("What are the symptoms of asthma?", " ", "How is it treated?")
    assert [run["answer"]["query"] for run in talk.runs][1] == "How is asthma treated?"
    assert "there is no question" not in shown


def test_a_draft_that_is_streamed_has_no_thoughts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Streams:
        """A run whose chat model thinks aloud before it answers."""

        def stream(self, *_: Any, **__: Any) -> Iterator[Any]:
            yield "custom", {"step": "generate", "round": 1}
            for piece in ("<think>Hon", "ey.</think>", "Rest ", "helps."):
                yield "messages", (AIMessageChunk(piece), {"tags": ["draft"]})

    talk = Conversation(None)
    monkeypatch.setattr(talk, "_graph", Streams())
    moments = talk.ask({"question": "What helps?"}, {})
    drafts = [next(moments).draft for _ in range(5)]
    assert drafts == [[], [], [], ["Rest "], ["Rest helps."]]


def test_statements_that_are_streamed_stay_while_the_run_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = {"type": "statement", "text": "Rest helps."}

    class Streams:
        """A run whose first statement is checked before its draft ends."""

        def stream(self, *_: Any, **__: Any) -> Iterator[Any]:
            yield "custom", {"type": "progress", "step": "generate", "round": 1}
            yield "custom", event
            yield "custom", {"type": "progress", "step": "rewrite", "round": 1}

    talk = Conversation(None)
    monkeypatch.setattr(talk, "_graph", Streams())
    moments = talk.ask({"question": "What helps?"}, {})
    assert [next(moments).checked for _ in range(3)] == [[], [event], [event]]


def test_a_checked_statement_is_on_the_page_before_the_draft_is_whole(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = Event()
    chat = WaitingChat(
        released=began,
        first="People with asthma may wheeze and cough [1]. Asthma is cured by honey [1]. And",
        last="asthma is from Mars.",
        waited=[],
    )
    monkeypatch.setattr("anamnesis.models.chat.load_chat", lambda *_, **__: chat)
    page = Handlers(
        {"generator.model": "ollama:x", "generator.stream_statements": True, "loop.max_rounds": 1}
    )
    shown, steps = "", []
    question = "What are the symptoms of asthma?"
    for shown, *_ in page.ask(question, None, "", False, None, asking()):
        if read(shown).select(".checked li"):
            steps.append(one(read(shown), ".doing").get_text())
            began.set()
    assert chat.waited == [True]
    assert steps[0] == "Drafting statements"
    # What the sources do not confirm is there folded up, with the sentence that comes nearest.
    text = one(read(shown), "details.unconfirmed:not([open])").get_text(" ")
    assert "Asthma is cured by honey." in text
    assert "Nearest in the sources" in text
    assert "Asthma is cured by honey." not in one(read(shown), ".statements").get_text()


def test_another_name_begins_another_conversation(home: Path) -> None:
    _, talk = after("What are the symptoms of asthma?", name="ann")
    *_, (shown, other, *_) = PAGE.ask("How is it treated?", None, "bob", False, talk, asking())
    assert other is not talk
    assert other.runs[0]["answer"]["query"] == "How is it treated?"
    assert not read(shown).select(".earlier")
    assert PAGE.runs("bob", talk, asking())["choices"] == []
    assert "Ask a question first" in PAGE.trace(
        "What are the symptoms of asthma? – question 1 of this conversation", "bob", talk, asking()
    )


def test_a_new_conversation_leaves_nothing_of_the_last_one() -> None:
    shown, talk, *fields, button = PAGE.anew()
    assert (shown, talk) == ("", None)
    assert [field["value"] for field in fields] == ["", ""]
    assert not button["visible"]


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
    for text in (str(outside), "../outside", outside.stem):
        assert "Ask a question first" in PAGE.trace(text, "", None, asking())


def test_a_run_of_the_page_is_recorded_for_its_user_where_that_is_set(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(EMERGENCY, name="ann")
    assert not trace.folder().exists()
    monkeypatch.setenv("ANAMNESIS_TRACES", "1")
    after(EMERGENCY, name="ann")
    assert trace.runs(trace.folder()) == []
    [choice] = PAGE.runs("ann", None, asking())["choices"]
    assert EMERGENCY in PAGE.trace(choice, "ann", None, asking())
    assert PAGE.runs("bob", None, asking())["choices"] == []
    main(["ask", EMERGENCY, "--user", "ann", "--trace"])
    assert len(PAGE.runs("ann", None, asking())["choices"]) == 2
    PAGE.act("ann", None, asking(), doing("delete-all"))
    assert PAGE.runs("ann", None, asking())["choices"] == []
