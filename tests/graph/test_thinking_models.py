"""Models that think before they answer: what they think is neither shown nor checked."""

from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage

from graph import build_graph
from nodes.writing.render import UNUSED
from retrievers.index import Index
from tests.fakes import ToolChat, in_turn
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    WRONG,
    Always,
    ScriptedCritic,
    built,
)
from tests.graph.test_any_chat_model import BY_SCHEMA, Chat, answered, texts

THOUGHTS = [
    f"<think>{WRONG} [1]</think>{GOOD} [1]",
    f"{WRONG} [1]\n</think>\n{GOOD} [1]",  # the template has opened the thought
    f"[THINK]{WRONG} [1][/THINK]{GOOD} [1]",
    [{"type": "reasoning", "reasoning": WRONG}, {"type": "text", "text": f"{GOOD} [1]"}],
    [{"type": "thinking", "thinking": WRONG}, {"type": "text", "text": f"{GOOD} [1]"}],
    AIMessage(f"{GOOD} [1]", additional_kwargs={"reasoning_content": WRONG}),
    AIMessage(
        f"<think>{WRONG} {{}}</think>",
        tool_calls=[{"name": "Written", "args": BY_SCHEMA, "id": "1"}],
    ),
    f'<think>{{"found": false}}</think>{{"found": true, "statements": [{{"text": "{GOOD}", '
    '"citations": [1]}]}',
]


@pytest.mark.parametrize("reply", THOUGHTS)
def test_thoughts_are_neither_shown_nor_checked(small_index: Index, reply: Any) -> None:
    chat = ToolChat(in_turn(reply))
    answer = answered(small_index, chat)
    assert (texts(answer), answer["unconfirmed"], len(chat.seen)) == ([GOOD], [], 1)


def test_a_thought_that_broke_off_is_no_answer(small_index: Index) -> None:
    chat = ToolChat(lambda _: f"<think>{GOOD} [1]")
    answer = answered(small_index, chat)
    assert answer["notes"][0].startswith(UNUSED)


def test_the_thoughts_of_a_query_are_not_searched_for(small_index: Index, queue: Chat) -> None:
    chat = queue(WRONG, "<think>Which words?\nThese.</think>asthma honey", GOOD)
    context = CHECKED.changed({"loop.rewrite": "model"})
    steps: Any = built(small_index, chat, {GOOD: 0.9}).stream(
        ASK, context=context, stream_mode="updates"
    )
    [queries] = [step["rewrite"]["queries"] for step in steps if "rewrite" in step]
    assert queries[-1] == "asthma honey"


def test_a_model_that_is_known_to_think_streams_no_draft(small_index: Index) -> None:
    chat = FakeListChatModel(
        responses=[f"<think>{WRONG}</think>{GOOD} [1]"], profile={"reasoning_output": True}
    )
    graph = build_graph(
        index=small_index, chat=chat, critic=ScriptedCritic({GOOD: 0.9}), reranker=Always()
    )
    context = CHECKED.changed({"generator.stream_draft": True})
    words = [words.text for words, _ in graph.stream(ASK, context=context, stream_mode="messages")]
    assert GOOD in " ".join(words)
    assert WRONG not in "".join(words)
