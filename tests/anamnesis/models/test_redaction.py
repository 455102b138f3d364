"""What identifies is hidden from a chat model, and shown again in what it replies."""

import json
import time
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from anamnesis.models.chat import ask
from anamnesis.models.identifying import identifying
from anamnesis.models.redaction import Redaction, redacting
from anamnesis.models.structured import structured
from tests.fakes import ScriptedChat, ToolChat

SAID = (
    "My name is Maria Gonzalez, born 3 May 1961, of 12 Elm Street, mail maria@example.com, phone "
    "+44 20 7946 0958. Does Parkinson's disease run in the family, asks Maria?"
)
SECRETS = ("Maria", "Gonzalez", "1961", "Elm", "example.com", "7946")


def last(messages: list[BaseMessage]) -> str:
    return messages[-1].text


def sent(chat: ScriptedChat) -> list[str]:
    return [message.text for call in chat.seen for message in call.messages]


class Said(BaseModel):
    text: str


def test_what_identifies_does_not_leave_and_stands_in_the_reply() -> None:
    chat = ScriptedChat(last)
    rules = SystemMessage("Maria is a name.")
    with redacting(True):
        assert ask(chat, [rules, HumanMessage(SAID)], "echo").text == SAID
    instructions, asked = sent(chat)
    assert instructions == rules.text
    assert not [secret for secret in SECRETS if secret in asked]
    assert "Parkinson's disease" in asked
    with redacting(False):
        ask(chat, [HumanMessage(SAID)], "echo")
    assert sent(chat)[-1] == SAID


def test_a_reply_by_a_schema_has_the_words_again() -> None:
    chat = ToolChat(lambda messages: json.dumps({"text": last(messages)}))
    with redacting(True):
        value, said, problem = structured(chat, [HumanMessage(SAID)], Said)
    assert (value, problem) == (Said(text=SAID), None)
    assert json.loads(said) == {"text": SAID}
    assert not [secret for secret in SECRETS if secret in sent(chat)[0]]


def test_calls_of_tools_have_the_words_again() -> None:
    hiding = Redaction()
    [asked] = hiding.redacted([HumanMessage("I am Maria Gonzalez.")])
    name = asked.text.split()[-1].rstrip(".")
    call: Any = {"name": "f", "args": {"who": [name]}, "id": "1", "type": "tool_call"}
    reply = hiding.restored(AIMessage("", tool_calls=[call]))
    assert reply.tool_calls[0]["args"] == {"who": ["Maria Gonzalez"]}


def test_what_one_message_reveals_is_hidden_in_all() -> None:
    said = ["Her name is Xenia Zork, MRN 00482913.", "Zork coughs; see 00482913. Zork's disease."]
    hiding = Redaction()
    first, second = hiding.redacted([HumanMessage(text) for text in said])
    # The name of a disease stays, whoever has the same.
    assert second.text.endswith("Zork's disease.")
    assert "Zork coughs" not in second.text
    assert "00482913" not in first.text + second.text
    assert [hiding.restored_text(message.text) for message in (first, second)] == said


def test_a_placeholder_that_a_text_has_of_its_own_stays_as_it_is() -> None:
    said = "PERSON_1 and PERSON_7 stand here. My name is Maria Gonzalez."
    hiding = Redaction()
    [asked] = hiding.redacted([HumanMessage(said)])
    assert "PERSON_8" in asked.text
    assert hiding.restored_text(asked.text) == said


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("my name is maria gonzalez and i have asthma", ["maria gonzalez"]),
        ("i am allergic to nuts", []),
        ("Spoke to Siobhan Kelly about her HbA1c of 52.", ["Siobhan Kelly"]),
        ("Is Takayasu arteritis treated with steroids?", []),
        ("Platelets of 0.123456789 or 150,000,000 a litre", []),
        ("The pain began on 3 May 2024, at 14:30.", []),
    ],
)
def test_what_is_hidden(text: str, found: list[str]) -> None:
    assert [words for _, _, _, words in identifying(text)] == found


PIECES = (
    *("a.", "Anna ", "1 ", "my name is ", "A", "1-", "Mr ", "born ", "NHS number ", "A'", "'s"),
    *("12 Elm ", "I am A ", "a@a.", " ", "tel 1 ", "My name is Ab. ", "PERSON_1 ", "hello, i am "),
)


@pytest.mark.parametrize("piece", PIECES)
def test_no_text_takes_longer_than_its_length(piece: str) -> None:
    def spent(length: int) -> float:
        text = (piece * length)[:length]
        times = []
        for _ in range(3):
            begun = time.thread_time()
            Redaction().redacted([HumanMessage(text)])
            times.append(time.thread_time() - begun)
        return min(times)

    spent(100)
    # Ten times the length: a hundred times as long would be the square.
    assert spent(20_000) < 40 * max(spent(2_000), 1e-3)
