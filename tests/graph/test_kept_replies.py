"""Which runs keep the replies of models, and that a deletion reaches them."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis import SettingError
from anamnesis.memory.store import Memories
from anamnesis.models.chat import _ReplyCache
from anamnesis.models.llm_critic import LLMCritic
from anamnesis.paths import default_memory
from graph import build_graph
from nodes import parts
from nodes.state import Answer
from prompts import load
from retrievers.index import Index
from tests.fakes import HashEmbedder, ScriptedChat
from tests.graph.conftest import ASK, CHECKED, GOOD, Always, ScriptedCritic

# What is recalled would stand in the second prompt, and not in the first.
ANN = CHECKED.changed(
    {"user": "ann", "memory.consent": True, "memory.recall": False, "generator.structured": False}
)


def model() -> ScriptedChat:
    """Writes one statement, and supports it; its replies can be kept, as those of a reference."""
    critic = load("critic").partition("\n")[0]
    return ScriptedChat(
        lambda messages: "entailment 95" if critic in messages[0].text else f"{GOOD} [1]"
    )


class Kept:
    """A graph whose models are one that counts its calls."""

    def __init__(self, index: Index) -> None:
        self.chat = model()
        self.chat.cache = _ReplyCache("model", "model", here=False)
        self.memories = Memories(default_memory(), HashEmbedder())
        self.at, self.happens = "", lambda: None
        self.graph: Any = build_graph(
            index=index,
            chat=self.chat,
            critic=LLMCritic(self.chat, "model"),
            reranker=Always(),
            memories=self.memories,
            observe=lambda node, *_: self.happens() if node == self.at else None,
        )

    def ask(self, context: Any = ANN) -> tuple[Answer, int]:
        """The answer, and how many calls it took."""
        before = len(self.chat.seen)
        answer = self.graph.invoke(ASK, context=context)["answer"]
        assert answer["outcome"] == "answered"
        return answer, len(self.chat.seen) - before


@pytest.fixture
def kept(small_index: Index, no_home: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    monkeypatch.setenv("ANAMNESIS_REPLY_CACHE_DAYS", "7")
    return Kept(small_index)


def holding(folder: Path, word: bytes = b"Wheezing is caused") -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if word in path.read_bytes()]


def test_what_was_asked_once_is_not_asked_again(kept: Kept) -> None:
    first, calls = kept.ask()
    assert calls == first["usage"]["total"]["calls"] == 4  # a draft, three passages
    again, more = kept.ask()
    assert more == 0
    assert again["statements"] == first["statements"]
    usage = again["usage"]["total"]
    assert (usage["calls"], usage["cached"], usage["prompt_tokens"]) == (4, 4, 0)


@pytest.mark.parametrize("without", [{"user": None}, {"memory.consent": False}])
def test_without_a_user_who_consents_nothing_is_kept(
    kept: Kept, no_home: Path, without: dict[str, Any]
) -> None:
    other = ANN.changed(without)
    assert [kept.ask(other)[1], kept.ask(other)[1]] == [4, 4]
    assert holding(no_home) == []


def test_no_user_is_given_what_was_kept_of_another(kept: Kept) -> None:
    kept.ask()
    assert kept.ask(ANN.changed({"user": "bob"}))[1] == 4


def test_without_the_operators_word_nothing_is_kept(
    kept: Kept, no_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANAMNESIS_REPLY_CACHE_DAYS")
    assert [kept.ask()[1], kept.ask()[1]] == [4, 4]
    for wrong in ("0", "yes", "-1", "99999", "١"):
        monkeypatch.setenv("ANAMNESIS_REPLY_CACHE_DAYS", wrong)
        with pytest.raises(SettingError, match=r"ANAMNESIS_REPLY_CACHE_DAYS is .*a number of days"):
            kept.ask()


def test_a_deletion_reaches_the_replies_and_a_run_that_is_under_way(
    kept: Kept, no_home: Path
) -> None:
    kept.ask()
    assert holding(no_home)
    kept.memories.delete("ann")
    assert holding(no_home) == []
    kept.at, kept.happens = "rerank", lambda: kept.memories.delete("ann") and None
    kept.ask()
    assert holding(no_home) == []
    kept.at = ""
    assert kept.ask()[1] == 4


def test_judgements_of_an_entailment_model_are_kept_as_well(
    small_index: Index, no_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    critic = ScriptedCritic({GOOD: 0.9})
    monkeypatch.setenv("ANAMNESIS_REPLY_CACHE_DAYS", "7")
    monkeypatch.setattr(parts, "load_critic", lambda _: critic)
    graph = build_graph(
        index=small_index,
        chat=model(),
        reranker=Always(),
        memories=Memories(default_memory(), HashEmbedder()),
    )
    first, again = (graph.invoke(ASK, context=ANN)["answer"] for _ in range(2))
    asked = list(critic.asked)
    assert len(set(asked)) == len(asked)
    assert {said for said, _ in asked} == {GOOD}
    assert again["statements"] == first["statements"]
    graph.invoke(ASK, context=ANN.changed({"memory.consent": False}))
    assert critic.asked == asked * 2
