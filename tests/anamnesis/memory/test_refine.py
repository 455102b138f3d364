"""What a chat model finds in a user's words, and what is left of what it invents."""

from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from anamnesis.memory.content import Said
from anamnesis.memory.extract import ExtractedMemory
from anamnesis.memory.refine import ground, refine
from prompts import load
from tests.fakes import Reply, ToolChat


def notes(*replies: Any) -> ToolChat:
    """A chat model that replies with a list of notes for each kind, or what else is given for it.

    The kinds are asked for at the same time, so the prompt says which one it is.
    """
    prompts = [load(f"memory_{kind}") for kind in ("question", "residual", "response")]

    def rule(messages: list[BaseMessage]) -> Reply:
        reply: Reply = replies[prompts.index(messages[0].text)]
        return {"memories": reply} if isinstance(reply, list) else reply

    return ToolChat(rule)


@pytest.mark.parametrize(
    ("note", "said", "clause"),
    [
        ("The user's blood group is O negative.", "My blood group is O negative, is that rare?",
         "My blood group is O negative"),
        ("The user is not allergic to nuts.", "I am not allergic to nuts.",
         "I am not allergic to nuts"),
        # The model drops the 'not': the user's own words are kept.
        ("The user is allergic to nuts.", "I am not allergic to nuts.",
         "I am not allergic to nuts"),
        ("The user has asthma.", "My mother has asthma.", "My mother has asthma"),
        ("The user has asthma.", "Does asthma run in families?", None),
        ("The user has asthma.", "If I have asthma, what helps?", None),
        ("The user takes 50 mg of atenolol.", "I take 5 mg of atenolol.", None),
        ("The user has gout and asthma.", "I have gout.", None),
        ("The user has asthma.", "He said that I have asthma.", None),
        ("The user prefers it.", "I have gout.", None),
        ("", "I have gout.", None),
    ],
)  # fmt: skip
def test_a_note_points_to_what_the_user_plainly_said(
    note: str, said: str, clause: str | None
) -> None:
    assert ground(note, said) == clause


def test_clauses_are_quoted_once_under_the_first_kind_that_has_them() -> None:
    chat = notes(
        ["The user's blood group is O negative.", "The user is rich."],
        ["User: blood group O negative", "The user wants tables."],
        ["The user liked the table in the answer."],
    )
    said = "My blood group is O negative. I liked the table in your answer."
    blood, table = "My blood group is O negative", "I liked the table in your answer"
    assert refine(chat, said, "What is anaemia?", "Too little iron.") == [
        ExtractedMemory("question", Said(words=blood), blood),
        ExtractedMemory("response", Said(words=table), table),
    ]
    assert len({call.messages[0].text for call in chat.seen}) == 3
    for user in chat.asked:
        assert "Assistant: Too little iron." in user
        assert user.endswith(f"User, last words: {said}")


def test_what_the_assistant_said_is_no_memory() -> None:
    chat = notes(*[["Anaemia is too little iron."]] * 3)
    assert refine(chat, "I see.", "What is anaemia?", "Anaemia is too little iron.") == []


@pytest.mark.parametrize("broken", [RuntimeError("gone"), "no JSON at all", '{"memories": 3}'])
def test_a_kind_that_fails_costs_only_itself(broken: Any) -> None:
    chat = notes(["The user has gout."], broken, [])
    [note] = refine(chat, "I have gout.")
    assert note == ExtractedMemory("question", Said(words="I have gout"), "I have gout")
    assert note.text == "The user said: “I have gout”"
