"""What every step of the graph asks of chat models, as its update says it."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver

from anamnesis import ModelError, UnansweredError
from anamnesis.memory.store import Memories
from anamnesis.models.llm_critic import LLMCritic
from app.trace import runs as trace
from app.trace.diff import diff
from app.trace.diff import render as render_diff
from app.trace.rendering import render
from app.trace.spans import attributes
from graph import build_graph
from prompts import fingerprint, load
from retrievers.index import Index
from tests.fakes import FailingChat, HashEmbedder, ToolChat
from tests.graph.conftest import ASK, CHECKED, GOOD, TREATED, WRONG, Always

KINDS = ("question", "residual", "response")
KEEPS = CHECKED.changed({"user": "ann", "memory.consent": True, "loop.rewrite": "model"})
QUESTIONS = (
    "I have asthma. What is asthma?",
    "How is it treated in children?",
    "I don't have asthma. What is asthma?",
)


def replying(*drafts: str) -> ToolChat:
    """Replies by what its instructions ask for, with these drafts in turn."""
    left = iter(drafts)
    notes = [load(f"memory_{kind}").strip() for kind in KINDS]

    def rule(messages: list[BaseMessage]) -> AIMessage:
        system, last = messages[0].text.strip(), messages[-1].text
        if system == load("critic").strip():
            text = "neutral 90" if WRONG in last else "entailment 95"
        elif system == load("rewrite").strip():
            text = "asthma medicines"
        elif system.startswith(load("system").partition("\n")[0]):
            said = {"text": next(left), "citations": [1]}
            text = json.dumps({"found": True, "choice": None, "statements": [said]})
        elif system in notes:
            text = json.dumps({"memories": []})
        else:
            text = "How is asthma treated in children?"
        usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        return AIMessage(text, usage_metadata=usage)  # type: ignore[arg-type]

    return ToolChat(rule)


@pytest.fixture(scope="module")
def turns(small_index: Index, tmp_path_factory: pytest.TempPathFactory) -> list[list[trace.Step]]:
    """The steps of a question, of a follow-up that needs two rounds, and of a contradiction."""
    chat = replying(GOOD, WRONG, TREATED, GOOD)
    graph = build_graph(
        index=small_index,
        chat=chat,
        critic=LLMCritic(chat, "reader"),
        reranker=Always(),
        memories=Memories(tmp_path_factory.mktemp("memories"), HashEmbedder()),
    ).copy({"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}

    def run(question: str) -> list[trace.Step]:
        events = graph.stream({"question": question}, thread, context=KEEPS, stream_mode="debug")
        return list(trace.steps(events))  # type: ignore[arg-type]

    return [run(question) for question in QUESTIONS]


def asked(steps: list[trace.Step]) -> list[tuple[str, list[str]]]:
    return [
        (step["node"], call["files"]) for step in steps for call in step["update"].get("calls", ())
    ]


def test_every_step_that_asks_a_model_names_its_prompt(turns: list[list[trace.Step]]) -> None:
    notes = [("remember", [f"memory_{kind}.md"]) for kind in KINDS]
    answered = [("generate", ["system.md", "answer.md"]), ("verify", ["critic.md"])]
    assert asked(turns[0]) == [*answered, *notes]
    assert asked(turns[1]) == [
        ("screen", ["standalone.md"]),
        *answered,
        ("rewrite", ["rewrite.md"]),
        *answered,
        *notes,
    ]
    # In the end the critic is asked what the new memories contradict.
    assert asked(turns[2]) == [*answered, ("remember", ["critic.md"]), *notes]


def test_hash_and_tokens_are_recorded_and_no_words(turns: list[list[trace.Step]]) -> None:
    for step in turns[1]:
        for call in step["update"].get("calls", ()):
            names = [file.removesuffix(".md") for file in call["files"]]
            assert call["sha256"] == fingerprint(*names)
            assert call["prompt_tokens"] == 7 * call["calls"] > 0
            assert call["reply_tokens"] == 3 * call["calls"]
            assert not call["estimated"]
            assert call["failed"] == 0
            assert call["model"] == "ToolChat"
            assert set(call) == {
                "files", "sha256", "model", "calls", "failed", "cached", "prompt_tokens",
                "reply_tokens", "estimated", "price", "currency",
            }  # fmt: skip


def test_the_answer_reports_what_all_its_steps_asked(turns: list[list[trace.Step]]) -> None:
    for steps in turns:
        usage = steps[-1]["update"]["answer"]["usage"]
        every = [call for step in steps for call in step["update"].get("calls", ())]
        assert usage["total"]["calls"] == sum(step["calls"] for step in every) > 0
        assert usage["total"]["prompt_tokens"] == 7 * usage["total"]["calls"]
        assert usage["steps"].keys() == {step for step, _ in asked(steps)}
        assert usage["steps"]["remember"]["reply_tokens"] >= 9  # three kinds of notes
        assert usage["total"]["price"] is None
    # Two rounds of one turn.
    assert turns[1][-1]["update"]["answer"]["usage"]["steps"]["generate"]["calls"] == 2
    shown = "\n".join(render(turns[1]))
    calls = turns[1][-1]["update"]["answer"]["usage"]["total"]["calls"]
    assert f"> chat models in all: {calls} calls, {7 * calls} tokens of prompt" in shown


def test_a_step_that_asks_no_model_reports_no_call(turns: list[list[trace.Step]]) -> None:
    quiet = [step for steps in turns for step in steps if "calls" not in step["update"]]
    assert {step["node"] for step in quiet} >= {"recall", "retrieve", "rerank"}


def test_show_and_diff_list_the_calls(turns: list[list[trace.Step]]) -> None:
    shown = "\n".join(render(turns[1]))
    one = f"standalone.md {fingerprint('standalone')[:12]}, 1 call, 7 tokens of prompt and 3 of"
    assert f"> asked: {one} reply" in shown
    head = {"question": "Q", "context": {}}
    found = diff((head, turns[0]), (head, turns[1]))
    assert found["calls"]["rewrite rewrite.md"][0] is None
    assert "1 call" in found["calls"]["rewrite rewrite.md"][1]
    assert "generate system.md + answer.md" in found["calls"]
    assert any("asked in screen standalone.md: None" in line for line in render_diff(found))
    assert diff((head, turns[1]), (head, turns[1])) == {}


def test_a_span_has_names_and_counts_and_no_words(turns: list[list[trace.Step]]) -> None:
    remember = turns[2][-1]["update"]
    span_fields = attributes({"calls": remember["calls"]})
    assert span_fields["calls.files"] == [
        "critic.md", "memory_question.md", "memory_residual.md", "memory_response.md"
    ]  # fmt: skip
    assert span_fields["calls.failed"] == [0, 0, 0, 0]
    assert span_fields["calls.prompt_tokens"] == [7 * call["calls"] for call in remember["calls"]]
    assert span_fields["calls.estimated"] == [False] * 4


def test_a_failed_step_reports_the_calls_it_made(small_index: Index, tmp_path: Path) -> None:
    class Critic(LLMCritic):
        def judge(self, *asked: Any) -> Any:
            try:
                return super().judge(*asked)
            except UnansweredError as error:
                raise ModelError(f"another error than {error}") from None

    critic = Critic(FailingChat(OSError("unreachable")), "failing")
    seen: list[Any] = []
    graph = build_graph(
        index=small_index,
        chat=replying(GOOD),
        critic=critic,
        reranker=Always(),
        observe=lambda node, state, update, runtime: seen.append((node, update)),
    )
    with pytest.raises(RuntimeError, match="did not answer"):
        graph.invoke(ASK, context=CHECKED)
    node, update = seen[-1]
    assert node == "verify"
    assert "did not answer (OSError)" in update["error"]
    assert [(call["files"], call["failed"]) for call in update["calls"]] == [
        (["critic.md"], 3)
    ]  # tried again


def test_a_session_adds_up_its_turns(turns: list[list[trace.Step]]) -> None:
    answers = [steps[-1]["update"]["answer"] for steps in turns]
    used = [answer["usage"] for answer in answers]
    assert [usage["words"] for usage in used] == [len(answer["text"].split()) for answer in answers]
    assert [usage["session"]["turns"] for usage in used] == [1, 2, 3]
    for place, usage in enumerate(used):
        until = used[: place + 1]
        session = usage["session"]
        assert session["words"] == sum(each["words"] for each in until)
        for name in ("calls", "prompt_tokens", "reply_tokens"):
            assert session[name] == sum(each["total"][name] for each in until)
