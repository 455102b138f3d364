"""A long message, from the letter to the answer, with a chat model that condenses it."""

from collections.abc import Callable, Sequence
from typing import Any

from graph import Context, build_graph
from prompts import load
from retrievers.index import Index
from tests.fakes import ScriptedReader
from tests.graph.conftest import GOOD, GOUT, TREATED, Queue, ScriptedCritic

Chat = Callable[..., Queue]
CONTEXT = Context(triage={"classifier": "patterns"}, question={"summarise": True})
LETTER = (
    "Dear doctor, my mother is 71, had measles as a child and lives with us by the sea now, where "
    "she is happier than in town. Her brother has gout and her feet hurt since Easter. She has got "
    "asthma, poor thing, and we would like to know how asthma is treated. Thank you, Ann"
)
LINE = "How is asthma treated?"
DRAFT = f"{GOOD} [1]"


def asked(index: Index, chat: Queue, context: Context = CONTEXT) -> tuple[Any, list[str]]:
    """The answer, and the questions that the reader read."""
    read: list[str] = []

    def score(question: str, pages: Sequence[tuple[str, str]]) -> list[float]:
        read.append(question)
        topics = [heading.split()[-1].strip("?").lower() for heading, _ in pages]
        return [0.9 if topic in question.lower() else 0.1 for topic in topics]

    critic = ScriptedCritic({GOOD: 0.9, TREATED: 0.9, GOUT.split(". ")[0] + ".": 0.9})
    graph = build_graph(index=index, chat=chat, critic=critic, reranker=ScriptedReader(score))
    return graph.invoke({"question": LETTER}, context=context)["answer"], read


def test_the_line_is_read_and_the_model_gets_the_letter(small_index: Index, queue: Chat) -> None:
    chat = queue(LINE, DRAFT)
    answer, read = asked(small_index, chat)
    assert set(read) == {LINE}
    assert (answer["question"], answer["query"]) == (LETTER, LINE)
    assert [item["text"] for item in answer["statements"]] == [GOOD]
    assert answer["notes"][0] == f"Your message was read as: “{LINE}”"
    condense, write = chat.seen
    assert condense[0].content.startswith(load("summarise")[:40])
    assert condense[-1].content == LETTER
    assert LETTER in write[-1].content
    assert LINE in write[-1].content


def test_several_lines_are_answered_one_by_one(small_index: Index, queue: Chat) -> None:
    chat = queue(f"{LINE}\nWhat about gout?", DRAFT, "Gout is caused by uric acid crystals. [1]")
    answer, _ = asked(small_index, chat)
    assert [item["question"] for item in answer["parts"]] == [LINE, "What about gout?"]
    assert [(item["part"], *item["citations"]) for item in answer["statements"]] == [
        (1, "asthma"),
        (2, "gout"),
    ]


def test_an_invented_line_leaves_the_letter(small_index: Index, queue: Chat) -> None:
    answer, read = asked(small_index, queue("How is psoriasis treated?", DRAFT))
    assert set(read) == {LETTER}
    assert answer["query"] == LETTER
    assert "read as" not in answer["text"]


def test_a_setting_leaves_the_letter(small_index: Index, queue: Chat) -> None:
    chat = queue(DRAFT)
    answer, read = asked(small_index, chat, CONTEXT.changed({"question.summarise": False}))
    assert set(read) == {LETTER}
    assert answer["query"] == LETTER
    assert len(chat.seen) == 1


def test_a_short_message_is_not_condensed(small_index: Index, queue: Chat) -> None:
    chat = queue(DRAFT)
    graph = build_graph(index=small_index, chat=chat, critic=ScriptedCritic({GOOD: 0.9}))
    graph.invoke({"question": LINE}, context=CONTEXT)
    assert all(load("summarise")[:40] not in seen[0].content for seen in chat.seen)
