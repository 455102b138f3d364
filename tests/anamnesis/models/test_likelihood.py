"""How likely a text is: hand-computed, and against the model asked directly."""

import json
from collections.abc import Callable
from math import exp, log
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel

from anamnesis.errors import SettingError
from anamnesis.models.likelihood import Likelihood

# langchain-huggingface looks whether its model is one of langchain-community's.
pytestmark = pytest.mark.filterwarnings(
    "ignore:`langchain-community` is being sunset:DeprecationWarning"
)
WINDOW = 8


@pytest.fixture
def causal(tmp_path: Path, tiny_tokenizer: Callable[..., int]) -> Callable[..., Path]:
    """Saves a causal model: random, or one to which every token is as likely as any other."""

    def make(*, even: bool = False, begins: bool = False) -> Path:
        folder = tmp_path / f"causal-{even}-{begins}"
        size = tiny_tokenizer(folder)
        if begins:
            file = folder / "tokenizer_config.json"
            settings = {**json.loads(file.read_text("utf-8")), "bos_token": "[CLS]"}
            file.write_text(json.dumps(settings))
        torch.manual_seed(0)
        config = GPT2Config(
            vocab_size=size, n_embd=16, n_layer=1, n_head=2, n_positions=WINDOW, eos_token_id=3,
            bos_token_id=2, initializer_range=0.5,
        )  # fmt: skip
        model = GPT2LMHeadModel(config)
        if even:
            for weights in model.parameters():
                torch.nn.init.zeros_(weights)
        model.save_pretrained(folder)
        return folder

    return make


def test_where_all_tokens_are_alike_perplexity_is_their_number(causal: Callable[..., Path]) -> None:
    folder = causal(even=True, begins=True)
    size = len(AutoTokenizer.from_pretrained(folder))
    nats, tokens = Likelihood(str(folder))("aspirin treats fever")
    assert tokens == 3
    assert nats == pytest.approx(3 * log(size), rel=1e-5)
    assert exp(nats / tokens) == pytest.approx(size, rel=1e-4)


def test_the_first_token_counts_only_after_one_that_begins_a_text(
    causal: Callable[..., Path],
) -> None:
    like = Likelihood(str(causal(even=True)))
    assert like("aspirin treats fever")[1] == 2
    assert like("aspirin") == like("") == (0, 0)
    assert Likelihood(str(causal(even=True, begins=True)))("") == (0, 0)


@pytest.mark.parametrize("words", [3, 8, 9, 12, 13, 30])
def test_every_token_is_weighed_once_with_at_least_half_a_window_before_it(
    causal: Callable[..., Path], words: int
) -> None:
    folder = causal()
    text = " ".join(("aspirin treats fever and pain in patients".split() * 5)[:words])
    ids = AutoTokenizer.from_pretrained(folder)(text, add_special_tokens=False)["input_ids"]
    model = AutoModelForCausalLM.from_pretrained(folder)
    total, starts = 0.0, 0
    for place in range(1, len(ids)):
        # Windows end at 8, 12, 16 … tokens, or with the text.
        ends = [end for end in [*range(WINDOW, len(ids), WINDOW // 2), len(ids)] if end > place]
        starts = max(0, ends[0] - WINDOW)
        with torch.inference_mode():
            scores = model(torch.tensor([ids[starts:place]])).logits[0, -1].log_softmax(-1)
        total -= float(scores[ids[place]])
    nats, tokens = Likelihood(str(folder))(text)
    assert (nats, tokens) == (pytest.approx(total, rel=1e-4), words - 1)


def test_a_providers_model_is_refused() -> None:
    with pytest.raises(SettingError, match="does not return the likelihood of a text"):
        Likelihood("openai:gpt-4o-mini")
