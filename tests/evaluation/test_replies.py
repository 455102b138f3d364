"""Replies of chat models that are kept for the next run."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.globals import get_llm_cache
from langchain_core.messages import AIMessage, HumanMessage

from anamnesis.errors import ModelError, SettingError
from anamnesis.models import chat as chats
from anamnesis.models.chat import ask, load_chat
from anamnesis.models.once import LoadedObjects
from evaluation.replies import replies_kept
from evaluation.results import Journal
from tests.fakes import ScriptedChat, in_turn


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> list[ScriptedChat]:
    """The chat models that are loaded, each with two replies of its own."""
    made: list[ScriptedChat] = []

    def load(*_: Any) -> ScriptedChat:
        name = f"model {len(made)}"
        replies = [
            AIMessage(f"{name}, reply {n}", response_metadata={"finish_reason": "stop"})
            for n in range(2)
        ]
        made.append(ScriptedChat(in_turn(*replies)))
        return made[-1]

    monkeypatch.setattr(chats, "_local", load)
    monkeypatch.setattr(chats, "_loaded", LoadedObjects())
    return made


def reply(question: str, reference: str = "hf:one", **settings: Any) -> AIMessage:
    found: Any = ask(load_chat(reference, **settings), [HumanMessage(question)], reference)
    assert isinstance(found, AIMessage)
    return found


def test_the_next_run_does_not_ask_again(
    models: list[ScriptedChat], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "new" / "replies"
    with replies_kept(file):
        first = reply("What is gout?")
    monkeypatch.setattr(chats, "_loaded", LoadedObjects())  # another process
    with replies_kept(file):
        again = reply("What is gout?")
        assert (again.content, again.response_metadata) == (first.content, first.response_metadata)
        assert models[1].asked == []
        assert reply("What is scurvy?").content == "model 1, reply 0"
    assert get_llm_cache() is None
    assert reply("What is gout?").content == "model 1, reply 1"  # outside of it nothing is kept


def test_other_models_and_settings_have_replies_of_their_own(
    models: list[ScriptedChat], tmp_path: Path
) -> None:
    with replies_kept(tmp_path / "replies"):
        ways: list[dict[str, Any]] = [
            {}, {"reference": "hf:two"}, {"temperature": 0.9}, {"max_tokens": 5}, {"seed": 1},
        ]  # fmt: skip
        replies = [reply("What is gout?", **way).content for way in ways]
    assert replies == [f"model {n}, reply 0" for n in range(5)]


def test_what_fails_is_not_kept(models: list[ScriptedChat], tmp_path: Path) -> None:
    with replies_kept(tmp_path / "replies"):
        for question in ("1", "2"):
            reply(question)
        with pytest.raises(ModelError):  # it has no reply left
            reply("3")
    with replies_kept(tmp_path / "replies"):
        assert reply("2").content == "model 0, reply 1"
        with pytest.raises(ModelError):
            reply("3")


def test_the_rows_of_a_result_are_no_replies(tmp_path: Path) -> None:
    Journal(tmp_path / "own.json.rows", "a configuration").close()
    with (
        pytest.raises(SettingError, match="another configuration"),
        replies_kept(tmp_path / "own.json.rows"),
    ):
        pass
    with pytest.raises(SettingError, match="cannot be written"), replies_kept(tmp_path):
        pass
    assert get_llm_cache() is None
