"""A state as the step before leaves it, and the call of a step by itself."""

from collections.abc import Callable, Sequence
from typing import Any

from langgraph.runtime import Runtime

from anamnesis.errors import MemoryFolderError
from anamnesis.memory.store import Memories
from nodes.checking.statements import unchecked_statement
from nodes.choosing.choice import new_draft
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import Round, State, Statement, Update

QUESTION = "What is asthma?"


class WithoutMemories(Parts):
    """Parts whose store of memories cannot be opened."""

    def memories(self) -> Memories:
        raise MemoryFolderError("damaged")


def state_of(**changed: Any) -> State:
    """The state after ``screen``, with some fields changed."""
    fields: dict[str, Any] = {
        "messages": [], "original_question": QUESTION, "queries": [QUESTION], "keyed_options": {},
        "sub_questions": [], "condensed": False, "premise": None, "spelling": [], "aliases": [],
        "urgency": {"level": "routine", "kind": "", "crisis": False, "why": ""},
        "topic": "", "consenting_user": "", "consented_turns": 0, "hits": [], "recalled": [],
        "user_quotes": [], "notices": [], "read": [], "selected": [], "rounds": [], "timings": {},
        "draft": new_draft([], None, None),
    }  # fmt: skip
    return {**fields, **changed}  # type: ignore[typeddict-item]


def selected(record: str, relevance: float = 0.9, **more: Any) -> dict[str, Any]:
    """A passage of the small index that was found and read."""
    return {
        "id": f"{record}#0", "record_id": record, "score": 0.5, "ranks": {"sparse": 1, "dense": 1},
        "scores": {"sparse": 2.0, "dense": 0.5}, "relevance": relevance,
        "sentences": [[0, 60, relevance]], "polar": {}, **more,
    }  # fmt: skip


def drafted(*texts: str, passages: Sequence[str] = ("asthma#0",)) -> dict[str, Any]:
    """A draft whose statements cite these passages."""
    return {**new_draft([unchecked_statement(text, list(passages)) for text in texts], None, None)}


def judged(text: str, verdict: str = "supported", **more: Any) -> Statement:
    """A checked statement."""
    return {**unchecked_statement(text, ["asthma#0"]), "verdict": verdict, **more}  # type: ignore[typeddict-item]


def round_of(*statements: Statement, score: float, **more: Any) -> Round:
    """The result of a round."""
    fields: dict[str, Any] = {
        "query": QUESTION, "choice": None, "passages": ["asthma#0"],
        "statements": list(statements), "score": score, "cited": [], **more,
    }  # fmt: skip
    return fields  # type: ignore[return-value]


def run(
    step: Callable[[State, Runtime[Context], Parts], Update],
    state: State,
    parts: Parts,
    **settings: Any,
) -> Any:
    """The update that a step makes; settings by name, with '__' for the dot."""
    named = {name.replace("__", "."): value for name, value in settings.items()}
    return step(state, Runtime(context=Context.model_validate(named)), parts)
