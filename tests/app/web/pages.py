"""Answers to make pages of, those who ask for them, and what a page says."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar, cast

import gradio as gr
from bs4 import BeautifulSoup, Tag
from starlette.authentication import BaseUser
from starlette.requests import Request

from nodes.state import Answer, Evidence, Statement

TEXT = "Asthma narrows the airways. It causes wheezing. It is treated with inhalers."
OTHER = "Asthma never causes wheezing."


def place(document: str, text: str, part: str) -> Evidence:
    start = text.index(part)
    return {"document": document, "start": start, "end": start + len(part)}


def statement(text: str = "It causes wheezing.", **changes: Any) -> Statement:
    statement: Statement = {
        "text": text,
        "citations": ["a"],
        "probability": 0.93,
        "verdict": "supported",
        "evidence": place("a", TEXT, "It causes wheezing."),
        "failed": [],
        "failed_checks": [],
        "conflict": None,
    }
    return cast(Statement, {**statement, **changes})


def answer(**changes: Any) -> Answer:
    answer: Answer = {
        "outcome": "answered",
        "reason": "supported",
        "question": "What does asthma do?",
        "query": "What does asthma do?",
        "text": "It causes wheezing. [1]",
        "options": {},
        "choice": None,
        "verdict": None,
        "nearest": [],
        "parts": [],
        "clarify": [],
        "advice": [],
        "urgency": "routine",
        "premise": None,
        "statements": [statement()],
        "unconfirmed": [],
        "withheld": [],
        "notes": [],
        "note_codes": ["notice"] * len(changes.get("notes", [])),
        "sources": [
            {"id": "a", "title": "Asthma", "url": "https://a.test", "source": "Test", "text": TEXT},
            {"id": "b", "title": "", "url": "", "source": "", "text": OTHER},
        ],
        "memories": [],
        "rounds": 1,
        "confidence": {"support": 0.93, "relevance": 0.81},
        "generator": "extractive",
        "critic": "entailment:own",
        "timings": {"screen": 1.0, "verify": 1499.0},
    }
    return cast(Answer, {**answer, **changes})


def read(made: object) -> BeautifulSoup:
    return BeautifulSoup(str(made), "html.parser")


def one(page: BeautifulSoup | Tag, selector: str) -> Tag:
    [found] = page.select(selector)
    return found


Made = TypeVar("Made")


def in_a_loop(make: Callable[[], Made]) -> Made:
    """What is made, as in a server: Gradio opens an event loop, for good, where none runs."""

    async def run() -> Made:
        return make()

    return asyncio.run(run())


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
