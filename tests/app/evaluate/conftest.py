"""Stand-ins in place of models, as several protocols need them."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel

from anamnesis.language.text import sentences, tokenize
from anamnesis.models.reading import URGENCY_KINDS, Reading, Triage
from tests.fakes import FakeCritic, ScriptedReader, shared_words


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chat model that always says the same."""
    said = FakeListChatModel(responses=["Answer: A\nInsulin lowers blood sugar [1]."])
    monkeypatch.setattr("anamnesis.models.chat.load_chat", lambda *_, **__: said)


def words_shared(question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
    """A passage, and a sentence, answers if it has the question's last word."""
    word = tokenize(question)[-1]
    found = []
    for heading, text in passages:
        words = tuple(
            (start, end, 0.95 if word in tokenize(text[start:end]) else 0.05)
            for start, end in sentences(text)
        )
        within = word in tokenize(f"{heading} {text}")
        found.append(Reading(0.95 if within else 0.05, words, {}))
    return found


def triage_of(name: str) -> Any:
    def triage(message: str) -> Triage:
        levels = {text: float(text in message) for text in ("emergency", "urgent", "routine")}
        return Triage(levels, {**dict.fromkeys(URGENCY_KINDS, 0.0), "medical": 1.0})

    return triage if name == "own" else None


@pytest.fixture
def stand_ins(cheap: None, at_starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader, a critic and a triage that go by words."""
    monkeypatch.setattr(
        "nodes.parts.load_reranker", lambda *_: ScriptedReader(words_shared, "words")
    )
    monkeypatch.setattr("nodes.parts.load_critic", lambda *_: FakeCritic(shared_words, "words"))
    monkeypatch.setattr(
        "app.evaluate.reading.load_reranker", lambda *_: ScriptedReader(words_shared, "words")
    )
    monkeypatch.setattr("app.evaluate.reading.load_triage", triage_of)


def written(file: Path, *rows: Any) -> str:
    text = "".join(json.dumps(record) + "\n" for record in rows)
    file.write_bytes(
        gzip.compress(text.encode(), mtime=0) if file.suffix == ".gz" else text.encode()
    )
    return str(file)
