import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda

from anamnesis.errors import ModelError, SettingError
from anamnesis.models import provided
from anamnesis.models.chat import ask, count_tokens, load_chat, prompt_tokens, window_tokens
from anamnesis.models.local_chat import until, without_system

# langchain-huggingface looks whether its model is one of langchain-community's.
pytestmark = pytest.mark.filterwarnings(
    "ignore:`langchain-community` is being sunset:DeprecationWarning"
)

TEMPLATE = (
    "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    + TEMPLATE
)


@pytest.fixture
def tiny_gpt(tmp_path: Path, tiny_tokenizer: Callable[..., int]) -> Callable[..., Path]:
    def make(name: str = "gpt", template: str | None = TEMPLATE) -> Path:
        import torch
        from transformers import GPT2Config, GPT2LMHeadModel

        folder = tmp_path / name
        size = tiny_tokenizer(folder, 128, template)
        torch.manual_seed(0)
        config = GPT2Config(
            vocab_size=size, n_embd=16, n_layer=1, n_head=2, n_positions=128,
            bos_token_id=2, eos_token_id=3, pad_token_id=0,
        )  # fmt: skip
        GPT2LMHeadModel(config).save_pretrained(folder)
        return folder

    return make


def test_a_local_model_answers_within_its_bound(tiny_gpt: Callable[..., Path]) -> None:
    chat = load_chat(str(tiny_gpt()), temperature=0, max_tokens=7)
    messages = [SystemMessage("patients"), HumanMessage("what is asthma?")]
    answer = chat.invoke(messages)
    assert isinstance(answer, AIMessage)
    assert answer.content
    assert "asthma?" not in answer.content  # the prompt is not repeated
    assert count_tokens(chat, str(answer.content)) <= 7
    assert answer.usage_metadata
    assert answer.usage_metadata["input_tokens"] > count_tokens(chat, "patients what is asthma?")
    assert 0 < answer.usage_metadata["output_tokens"] <= 7
    assert chat.invoke(messages).content == answer.content
    assert [part.content for part in chat.stream(messages) if part.content] == [answer.content]


def test_awaiting_gives_the_same_answer(tiny_gpt: Callable[..., Path]) -> None:
    chat = load_chat(str(tiny_gpt()), temperature=0, max_tokens=4)
    assert asyncio.run(chat.ainvoke("asthma")).content == chat.invoke("asthma").content


def test_a_seed_repeats_itself_and_leaves_others_alone(tiny_gpt: Callable[..., Path]) -> None:
    import torch

    folder = str(tiny_gpt())
    seeded = load_chat(folder, temperature=2.0, max_tokens=8, seed=7)
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    first = seeded.invoke("asthma").content
    assert torch.rand(1) == expected
    assert seeded.invoke("asthma").content == first
    free = load_chat(folder, temperature=2.0, max_tokens=8)
    assert len({str(free.invoke("asthma").content) for _ in range(4)}) > 1


def test_weights_are_loaded_once_for_all_settings(tiny_gpt: Callable[..., Path]) -> None:
    folder = str(tiny_gpt())
    one: Any = load_chat(folder, temperature=0.1)
    other: Any = load_chat(folder, temperature=0.9)
    assert one is not other
    assert one.llm.pipeline is other.llm.pipeline
    assert load_chat(folder, temperature=0.1) is one


@pytest.mark.parametrize("template", [None, NO_SYSTEM])
def test_base_models_and_templates_without_a_system_role_work(
    tiny_gpt: Callable[..., Path], template: str | None
) -> None:
    chat: Any = load_chat(str(tiny_gpt(template=template)), temperature=0, max_tokens=3)
    messages = [SystemMessage("Be brief."), HumanMessage("asthma")]
    prompt = chat._to_chat_prompt(messages)
    assert prompt.index("Be brief.") < prompt.index("asthma")
    assert chat.invoke(messages).content


def test_a_prompt_beyond_the_window_is_refused(tiny_gpt: Callable[..., Path]) -> None:
    chat = load_chat(str(tiny_gpt()), max_tokens=500)
    with pytest.raises(ModelError, match=r"has \d+ tokens, the window .* 128; lower"):
        chat.invoke("fever " * 200)
    assert chat.invoke("fever " * 100).content is not None  # the answer's bound gives way


def test_the_weights_lie_on_the_device_of_the_reference(
    tiny_gpt: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    folder = tiny_gpt()
    chat: Any = load_chat(f"{folder}?device=cpu", temperature=0, max_tokens=2)
    assert chat.llm.pipeline.device.type == "cpu"
    asked = []

    def pipeline(task: str, device: str, **given: Any) -> Any:
        asked.append(device)
        raise KeyboardInterrupt  # far enough: there may be no such device here

    monkeypatch.setattr("transformers.pipeline", pipeline)
    for available in (False, True):
        monkeypatch.setattr(torch.cuda, "is_available", lambda is_available=available: is_available)
        with pytest.raises(KeyboardInterrupt):
            load_chat(f"{folder}?device=auto")
    with pytest.raises(KeyboardInterrupt):
        load_chat(f"{folder}?device=cuda")
    assert asked == ["cpu", "cuda", "cuda"]


def test_a_device_that_is_not_there_or_unknown_is_refused(
    tiny_gpt: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    folder = tiny_gpt()
    with pytest.raises(ModelError, match="finds no CUDA device; write device=cpu, or install"):
        load_chat(f"{folder}?device=cuda")
    with pytest.raises(SettingError, match="device='tpu' is unknown; known are auto, cpu, cuda"):
        load_chat(f"{folder}?device=tpu")
    with pytest.raises(SettingError, match="unknown option 'devise'; known: revision, dtype, dev"):
        load_chat(f"{folder}?devise=cpu")


def test_what_is_no_language_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "nothing"}')
    with pytest.raises(ModelError, match="cannot be loaded as a causal language model"):
        load_chat(str(tmp_path))
    with pytest.raises(SettingError, match="dtype='int3' is unknown"):
        load_chat(f"{tmp_path}?dtype=int3")
    with pytest.raises(SettingError, match="not a chat model"):
        load_chat("extractive")


def test_a_missing_package_is_named() -> None:
    with pytest.raises(ModelError, match="run: pip install langchain-perplexity"):
        load_chat("perplexity:sonar")


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stands for the package langchain-xai; remembers what the class was made with."""
    made: dict[str, Any] = {}

    def class_(**settings: Any) -> FakeListChatModel:
        if settings.get("model") == "broken":
            raise ValueError("\nXAI_API_KEY is not set\nmore lines")
        made.update(settings)
        return FakeListChatModel(responses=["yes"])

    module = ModuleType("langchain_xai")
    module.ChatXAI = class_  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "langchain_xai", module)
    monkeypatch.setattr(provided, "find_spec", lambda name: name == "langchain_xai" or None)
    return made


def test_a_provider_gets_the_settings(provider: dict[str, Any]) -> None:
    chat = load_chat("xai:grok?base_url=http://localhost:8000/v1&timeout=5", 0.2, 77, seed=3)
    assert chat.invoke("well?").content == "yes"
    assert provider == {
        "model": "grok",
        "base_url": "http://localhost:8000/v1",
        "api_key": "none",
        "timeout": 5,
        "temperature": 0.2,
        "max_tokens": 77,
        "seed": 3,
    }


def test_a_provider_that_cannot_be_set_up_says_why(provider: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=r"ValueError: XAI_API_KEY is not set\); see the docum"):
        load_chat("xai:broken")


def test_a_key_in_a_reference_is_refused_and_not_repeated(provider: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="api_key does not belong") as caught:
        load_chat("xai:grok?api_key=very-secret")
    assert "very-secret" not in str(caught.value)


def test_without_a_tokenizer_the_count_is_an_estimate_on_the_high_side() -> None:
    chat = FakeListChatModel(responses=["yes"])
    assert count_tokens(chat, "") == 0
    english = "High blood pressure usually has no symptoms, so have it measured every year."
    assert 14 <= count_tokens(chat, english) <= 28
    assert count_tokens(chat, "哮喘") == 2


def test_a_window_is_the_models_own_or_a_small_one(tiny_gpt: Callable[..., Path]) -> None:
    assert window_tokens(load_chat(str(tiny_gpt()))) == 128
    assert window_tokens(FakeListChatModel(responses=["yes"])) == 2048
    chat = FakeListChatModel(responses=["yes"], profile={"max_input_tokens": 9000})
    assert window_tokens(chat) == 9000


def test_a_model_that_fails_is_named_with_its_error() -> None:
    def fails(_: object) -> str:
        raise ConnectionError("refused")

    with pytest.raises(ModelError, match=r"'ollama:x' did not answer \(ConnectionError\)"):
        ask(RunnableLambda(fails), [HumanMessage("well?")], "ollama:x")

    def answering(_: object) -> str:
        raise ModelError("the prompt is too long")

    with pytest.raises(ModelError, match=r"^the prompt is too long$"):
        ask(RunnableLambda(answering), [HumanMessage("well?")], "ollama:x")


def test_what_the_system_says_moves_to_the_first_question() -> None:
    messages = [SystemMessage("A."), AIMessage("hello"), HumanMessage("B."), HumanMessage("C.")]
    moved = without_system(messages)
    assert [message.content for message in moved] == ["hello", "A.\n\nB.", "C."]


def test_the_text_ends_before_the_first_stop() -> None:
    assert until("one two three", ["three", "two", ""]) == "one "
    assert until("one", ["two"]) == "one"


def test_the_prompt_of_a_local_model_is_counted_with_its_template(
    tiny_gpt: Callable[..., Path],
) -> None:
    chat: Any = load_chat(str(tiny_gpt()), temperature=0, max_tokens=3)
    reply = chat.invoke([SystemMessage("patients"), HumanMessage("what is asthma?")])
    sent = reply.usage_metadata["input_tokens"]
    assert prompt_tokens(chat, "patients", "what is asthma?") == sent
    assert sent > count_tokens(chat, "patients") + count_tokens(chat, "what is asthma?")
