"""The limits on what is asked, in the graph itself."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from anamnesis import LimitError, SettingError
from app.cli.main import main
from graph import graph
from nodes.question.sizes import check_options, recent_messages
from nodes.routes import after_screen, chosen_edge


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"question": "(" * 4001}, "the question has 4,001 characters; at most 4,000"),
        ({"messages": [HumanMessage("a" * 4001)]}, "the question has 4,001 characters"),
        ({"question": "Why?", "options": ["a", "b" * 501]}, "an option has 501 characters"),
        ({"question": "Why?", "options": {"k" * 501: "a", "b": "c"}}, "an option has 501"),
        ({"question": "Why?", "options": [str(n) for n in range(27)]}, "has 27 options"),
    ],
)
def test_what_is_too_long_is_refused_before_anything_is_looked_at(
    asked: Any, expected: str
) -> None:
    # There is no index: nothing but the length can be what is reported.
    with pytest.raises(LimitError, match=expected):
        graph.invoke(asked)


def test_the_operator_may_allow_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_LIMIT_OPTION", "600")
    check_options(["a", "b" * 501])
    with pytest.raises(LimitError, match="has 601 characters; at most 600"):
        check_options(["a", "b" * 601])


def test_the_command_line_shows_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    for command in (["ask"], ["trace", "ask"]):
        assert main([*command, "a" * 5000]) == 2
        message = capsys.readouterr().err
        assert message == (
            "anamnesis: the question has 5,000 characters; at most 4,000 are accepted; "
            "ask in fewer words\n"
        )


def test_of_a_long_conversation_the_last_messages_are_read() -> None:
    said = [HumanMessage(str(number)) for number in range(50)] + [AIMessage("b" * 30_000)]
    read = recent_messages(said)
    assert [message.text for message in read[:-1]] == [str(number) for number in range(31, 50)]
    assert read[-1].text == "b" * 20_000
    assert isinstance(read[-1], AIMessage)


def test_a_state_without_a_route_is_reported_and_not_a_fault() -> None:
    for route in ({}, {"route": {}}, {"route": {"to": "nowhere"}}):
        for edge in (after_screen, chosen_edge):
            with pytest.raises(SettingError, match="has no route"):
                edge(route)  # type: ignore[arg-type]
