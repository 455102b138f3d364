"""References of critics that are chat models."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from anamnesis.errors import SettingError
from anamnesis.models import chat as chats
from anamnesis.models.chat import load_chat
from anamnesis.models.critic import Critic, Support, load_critic
from anamnesis.models.llm_critic import LLMCritic
from anamnesis.models.reference import parse, remote_chat_of
from nodes.settings.verification import VerificationSettings
from tests.anamnesis.models.test_llm_critic import SAFE, judging
from tests.fakes import ScriptedChat


def test_a_reference_names_the_chat_model(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def load(reference: str, temperature: float, max_tokens: int) -> ScriptedChat:
        asked.append((reference, temperature, max_tokens))
        return judging()

    monkeypatch.setattr(chats, "load_chat", load)
    critic: Critic = load_critic("llm:ollama:made-up?num_ctx=4096")
    assert asked == [("ollama:made-up?num_ctx=4096", 0, 1024)]
    assert critic.name == "llm:ollama:made-up"
    assert critic.method == "llm"
    assert load_critic("llm:ollama:made-up?num_ctx=4096") is critic
    assert critic.judge([SAFE], [[SAFE]])[0][0].probability == 0.9


def test_the_length_of_a_reply_is_the_critics_and_not_the_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def load(reference: str, temperature: float, max_tokens: int) -> ScriptedChat:
        asked.append((reference, max_tokens))
        return judging()

    monkeypatch.setattr(chats, "load_chat", load)
    critic = load_critic("llm:ollama:brief?num_ctx=4096&max_tokens=48")
    assert asked == [("ollama:brief?num_ctx=4096", 48)]
    assert critic.name == "llm:ollama:brief"
    # The operator permits the model, whatever the length of its replies.
    assert remote_chat_of("llm:ollama:brief?max_tokens=48") == "ollama:brief"
    assert remote_chat_of("llm:hf:a/b?max_tokens=48") is None


@pytest.mark.parametrize("length", ["0", "-1", "1.5", "many", "32769", "1000000", "", "٣"])
def test_a_length_that_is_none_is_refused_at_once(length: str) -> None:
    for wrong in (f"llm:ollama:x?max_tokens={length}", f"llm:hf:a/b?max_tokens={length}"):
        with pytest.raises(ValidationError, match="maximum tokens of a reply as a whole number"):
            VerificationSettings(critic=wrong)
        with pytest.raises(SettingError, match="from 1 to 32768, such as max_tokens=128"):
            load_critic(wrong)
    assert VerificationSettings(critic="llm:ollama:x?max_tokens=32768").critic


def test_a_folder_behind_it_has_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    named = parse("llm:./mine?device=cpu")
    assert named == parse(f"llm:{tmp_path / 'mine'}?device=cpu") == parse(str(named))


@pytest.mark.parametrize(
    "wrong", ["llm:own", "llm:similarity", "llm:llm:ollama:x", "llm:extractive"]
)
def test_what_is_no_chat_model_cannot_judge(wrong: str) -> None:
    with pytest.raises(SettingError, match="is not a chat model; name one after llm:"):
        load_critic(wrong)


@pytest.mark.parametrize("wrong", ["llm:", "llm", "llm:nothing"])
def test_a_reference_without_a_chat_model_is_refused(wrong: str) -> None:
    with pytest.raises(SettingError):
        load_critic(wrong)


def test_a_critic_is_no_generator() -> None:
    with pytest.raises(SettingError, match="not a chat model"):
        load_chat("llm:ollama:phi3")


# langchain-huggingface looks whether its model is one of langchain-community's.
@pytest.mark.filterwarnings("ignore:`langchain-community` is being sunset:DeprecationWarning")
def test_a_local_model_judges_and_never_supports_by_babble(
    tiny_tokenizer: Callable[..., int], tmp_path: Path
) -> None:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    size = tiny_tokenizer(tmp_path, 4096, "{% for m in messages %}{{ m['content'] }}{% endfor %}")
    torch.manual_seed(0)
    GPT2LMHeadModel(
        GPT2Config(vocab_size=size, n_embd=8, n_layer=1, n_head=1, n_positions=4096, eos_token_id=3)
    ).save_pretrained(tmp_path)
    chat = load_chat(str(tmp_path), temperature=0, max_tokens=4)
    [[support]] = LLMCritic(chat, str(tmp_path)).judge([SAFE], [["It is old. Aspirin is safe."]])
    assert support == Support(0.0, 0.0, 11, 27)
