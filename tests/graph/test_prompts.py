"""What reaches a chat model: prompts of one's own, and as much evidence as its window takes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamnesis import SettingError
from anamnesis.corpus.record import Record
from anamnesis.models.chat import stated_window, window_tokens
from anamnesis.models.llm_critic import LLMCritic
from anamnesis.replaced_prompts import replaced_prompt
from graph import Context, build_graph
from nodes.settings.derived import evidence_passages, prompt_budget
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder, ScriptedChat
from tests.graph.conftest import ASK, CHECKED, GOOD, WRONG, Always, Queue, ScriptedCritic, built

Chat = Callable[..., Queue]
OWN = "Answer like a pirate, or say {not_found}."


def test_the_answers_prompts_can_be_replaced(
    small_index: Index, queue: Chat, tmp_path: Path
) -> None:
    file = tmp_path / "answer.md"
    file.write_text(OWN)
    context = CHECKED.changed(
        {"generator.prompts": {"system": "We are Ward 7.", "answer": str(file)}}
    )
    chat = queue(f"{GOOD} [1]")
    graph = built(small_index, chat, {GOOD: 0.9})
    steps: Any = graph.stream(ASK, context=context, stream_mode="updates")
    calls = [call for step in steps for call in (step.get("generate") or {}).get("calls", [])]
    system = chat.seen[0][0].content
    assert system == "We are Ward 7.\n\nAnswer like a pirate, or say Answer not found in context."
    plain = built(small_index, queue(f"{GOOD} [1]"), {GOOD: 0.9})
    others: Any = plain.stream(ASK, context=CHECKED, stream_mode="updates")
    [usual] = [call for step in others for call in (step.get("generate") or {}).get("calls", [])]
    # The trace shows that it was another prompt.
    assert calls[0]["files"] == usual["files"] == ["system.md", "answer.md"]
    assert calls[0]["sha256"] != usual["sha256"]
    assert replaced_prompt("answer") is None


def test_so_can_the_rewriting_and_the_critics(small_index: Index, queue: Chat) -> None:
    texts = {"rewrite": "Find words.", "critic": "One of entailment, neutral, contradiction."}
    context = CHECKED.changed({"generator.prompts": texts, "loop.rewrite": "model"})
    chat = queue(WRONG, "asthma honey", GOOD)

    # The first claim is neutral, and all others are entailed.
    judge = ScriptedChat(
        lambda asked: f"{'neutral' if WRONG in asked[-1].text else 'entailment'} 90"
    )
    graph = build_graph(
        index=small_index, chat=chat, critic=LLMCritic(judge, "judge"), reranker=Always()
    )
    graph.invoke(ASK, context=context)
    assert chat.seen[1][0].content == "Find words."
    assert {call.messages[0].text for call in judge.seen} == {texts["critic"]}


def test_a_prompt_that_cannot_be_used_ends_the_run_before_anything_is_asked(
    small_index: Index, queue: Chat
) -> None:
    chat = queue()
    graph = built(small_index, chat, {})
    context = CHECKED.changed({"generator.prompts": {"answer": "Short."}})
    with pytest.raises(SettingError, match=r"'answer' lacks \{not_found\}"):
        graph.invoke(ASK, context=context)
    assert not chat.seen


def test_it_is_recorded_as_an_error_of_the_step(small_index: Index, queue: Chat) -> None:
    seen: list[Any] = []
    graph = build_graph(
        index=small_index,
        chat=queue(),
        critic=ScriptedCritic({}),
        reranker=Always(),
        observe=lambda name, state, update, runtime: seen.append((name, update)),
    )
    context = CHECKED.changed({"generator.prompts": {"answer": "Short."}})
    with pytest.raises(SettingError):
        graph.invoke(ASK, context=context)
    [(name, update)] = seen
    assert name == "screen"
    assert update["error"].startswith("SettingError: the prompt 'answer' lacks {not_found}")


def test_where_others_ask_no_prompt_is_read_from_a_file(
    small_index: Index, queue: Chat, tmp_path: Path
) -> None:
    file = tmp_path / "system.md"
    file.write_text("We are Ward 7.")
    chat = queue(f"{GOOD} [1]")
    graph = build_graph(
        index=small_index,
        chat=chat,
        critic=ScriptedCritic({GOOD: 0.9}),
        reranker=Always(),
        policy=lambda context: context,
    )
    graph.invoke(ASK, context=CHECKED.changed({"generator.prompts": {"system": str(file)}}))
    assert chat.seen[0][0].content.startswith(str(file))


def test_no_other_prompt_has_a_name() -> None:
    with pytest.raises(ValueError, match=r"prompts\.greeting"):
        Context.model_validate({"generator.prompts": {"greeting": "Hello"}})


@pytest.mark.parametrize(
    ("window", "tokens", "passages"),
    [
        (None, 1024, 3),
        (2048, 1024, 3),
        (32_768, 2048, 3),
        (65_536, 4096, 8),
        (128_000, 8000, 8),
        (1_000_000, 8192, 8),
    ],
)
def test_a_model_with_a_window_gets_more(window: int | None, tokens: int, passages: int) -> None:
    context = Context()  # type: ignore[call-arg]
    assert prompt_budget(context, window) == tokens
    assert evidence_passages(context, window) == passages
    small = Context.model_validate({"generator.prompt_tokens": 500, "generator.passages": 2})
    assert (prompt_budget(small, window), evidence_passages(small, window)) == (500, 2)
    paper = Context.model_validate({"preset": "hybrid-memory"})
    assert (prompt_budget(paper, window), evidence_passages(paper, window)) == (1024, 5)
    other = Context.model_validate({"preset": "self-medrag", "generator.max_tokens": 500})
    assert prompt_budget(other, 2048) == 1548
    assert prompt_budget(other, 600) == 300
    assert prompt_budget(other, None) > 1_000_000


def test_the_window_is_what_the_model_states(queue: Chat) -> None:
    chat = queue()
    assert (stated_window(chat), window_tokens(chat)) == (None, 2048)
    chat.profile = {"max_input_tokens": 9000}
    assert stated_window(chat.with_retry()) == 9000

    class Ollama(Queue):
        """Reads as many tokens as it is set to, whatever the model could."""

        num_ctx: int | None = None

    several = {"max_input_tokens": 128_000}
    assert stated_window(Ollama(messages=iter([]), profile=several)) is None  # type: ignore[arg-type]
    set_to = Ollama(messages=iter([]), profile=several, num_ctx=4096)  # type: ignore[arg-type]
    assert stated_window(set_to) == 4096


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("many")
    records = [
        Record(f"r{number}", "Asthma", f"Asthma fact {number}. " + "Asthma is common. " * 40,
               "What is asthma?", "Test", "", "Asthma")
        for number in range(10)
    ]  # fmt: skip
    build(records, folder, HashEmbedder(), "many")
    return Index.open(folder, HashEmbedder())


@pytest.mark.parametrize(("profile", "most"), [(None, 3), ({"max_input_tokens": 128_000}, 8)])
def test_a_larger_window_brings_more_passages_into_the_prompt(
    many: Index, queue: Chat, profile: Any, most: int
) -> None:
    chat = queue(f"{GOOD} [1]")
    chat.profile = profile
    graph = build_graph(
        index=many, chat=chat, critic=ScriptedCritic({GOOD: 0.9}), reranker=Always()
    )
    graph.invoke(ASK, context=CHECKED)
    shown = chat.seen[0][-1].content
    assert shown.count("Asthma fact") == most
