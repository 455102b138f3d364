"""A second critic in a run: what it decides, what that costs, and what its failure does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from anamnesis import ModelError
from anamnesis.models import chat as chats
from anamnesis.models.critic import _loaded
from app.trace.rendering import render
from app.trace.runs import steps
from graph import Context, build_graph
from retrievers.index import Index
from tests.fakes import Reply, ScriptedChat
from tests.graph.conftest import ASK, GOOD, TREATED, WRONG, Always, Queue, ScriptedCritic
from tests.tiny_models import save_bert

Chat = Callable[..., Queue]
UNSURE = {GOOD: 0.97, TREATED: 0.5, WRONG: 0.05}


def settings(second: str, **more: Any) -> Context:
    settings_of_run = {
        "retrieval.min_relevance": 0.0,
        "loop.max_rounds": 1,
        "verification.second_critic": second,
    }
    return Context(**{**settings_of_run, **more})


def made(index: Index, chat: Any, **more: Any) -> Any:
    return build_graph(
        index=index, chat=chat, critic=ScriptedCritic(UNSURE), reranker=Always(), **more
    )


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Callable[[Reply], ScriptedChat]:
    """Puts a chat model that replies so in the place of every one that is loaded."""

    def put(reply: Reply) -> ScriptedChat:
        model = ScriptedChat(lambda _: reply)
        monkeypatch.setattr(chats, "load_chat", lambda *_, **__: model)
        monkeypatch.delitem(_loaded, "llm:ollama:judge", raising=False)
        return model

    return put


def run(graph: Any, context: Context) -> tuple[Any, str]:
    """The answer, and the trace as it is printed."""
    taken = list(steps(graph.stream(ASK, context=context, stream_mode="debug")))
    return taken[-1]["update"]["answer"], "\n".join(render(taken))


@pytest.mark.parametrize(
    ("reply", "shown"),
    [("entailment 95", True), ("neutral 95", False), ("contradiction 95", False)],
)
def test_what_the_first_is_unsure_of_the_second_decides(
    small_index: Index,
    queue: Chat,
    judge: Callable[[Reply], ScriptedChat],
    reply: str,
    shown: bool,
) -> None:
    model = judge(reply)
    graph = made(small_index, queue(f"{GOOD} {TREATED} {WRONG}"))
    answer, trace = run(graph, settings("llm:ollama:judge", **{"generator.passages": 1}))
    assert (TREATED in [item["text"] for item in answer["statements"]]) == shown
    assert [TREATED in asked for asked in model.asked] == [True]
    assert not any(GOOD in asked or WRONG in asked for asked in model.asked)
    by = {item["text"]: item["checked_by"] for item in answer["statements"]}
    assert by[GOOD] == "scripted"
    if shown:
        assert by[TREATED] == "llm:ollama:judge"
    assert "checked by llm:ollama:judge" in trace
    assert answer["critic"] == "scripted, where unsure llm:ollama:judge"
    # A chat model's certainty is no probability that a product could be made of.
    assert answer["confidence"]["support"] is None
    spent = answer["usage"]["steps"]["verify"]
    assert spent["calls"] == 1
    assert spent["prompt_tokens"] > 0


def test_a_second_critic_that_fails_supports_nothing(
    small_index: Index, queue: Chat, judge: Callable[[Reply], ScriptedChat]
) -> None:
    judge(RuntimeError("silent"))
    answer, trace = run(made(small_index, queue(f"{GOOD} {TREATED}")), settings("llm:ollama:judge"))
    assert [item["text"] for item in answer["statements"]] == [GOOD]
    assert answer["unconfirmed"] == [TREATED]
    assert "checked by scripted alone: llm:ollama:judge did not answer" in trace


def test_one_that_cannot_be_had_is_an_error_but_where_others_ask(
    small_index: Index, queue: Chat, tmp_path: Path
) -> None:
    context = settings(str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match="nowhere"):
        run(made(small_index, queue(f"{GOOD} {TREATED}")), context)
    served = made(small_index, queue(f"{GOOD} {TREATED}"), policy=lambda requested: requested)
    answer, trace = run(served, context)
    assert [item["text"] for item in answer["statements"]] == [GOOD]
    assert "did not answer" in trace


def test_a_fact_checker_with_two_labels_is_a_second_critic(
    small_index: Index, queue: Chat, tmp_path: Path
) -> None:
    folder = save_bert(tmp_path / "two", labels={0: "unsupported", 1: "supported"}, window=64)
    reference = f"{folder}?precision=float32"
    answer, trace = run(made(small_index, queue(f"{GOOD} {TREATED}")), settings(reference))
    assert "checked by scripted and entailment:" in trace
    judged = [*answer["statements"], *answer["withheld"]]
    assert sorted(item["text"] for item in judged) == sorted([GOOD, TREATED])
    assert answer["confidence"]["support"] is not None


def test_closeness_is_no_second_opinion() -> None:
    with pytest.raises(ValidationError, match="name an entailment model"):
        settings("similarity")
