"""Tiny random models, saved as real ones are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from anamnesis.models import cpu

EIGHT_BIT = pytest.mark.skipif(
    cpu.overflows(cpu.features()), reason="this processor's 8-bit arithmetic overflows"
)
"""Tests that ask for 8-bit integers."""


WORDS = (
    "what is the a of asthma fever cough aspirin ibuprofen causes treats symptoms treatment "
    "blood pressure high low diabetes kidney pain in and not are for to patients doctor heart"
).split()


def save_tokenizer(
    folder: Path, window: int = 48, chat_template: str | None = None, bos: str | None = None
) -> int:
    """A WordPiece tokenizer over a few words and all letters; returns the number of tokens."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)] + list("0123456789.,:;?!-()'")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = list(dict.fromkeys([*special, *WORDS, *letters, *(f"##{x}" for x in letters)]))
    raw = Tokenizer(
        models.WordPiece({token: i for i, token in enumerate(vocabulary)}, unk_token="[UNK]")
    )
    raw.normalizer = normalizers.BertNormalizer(lowercase=True)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        eos_token="[SEP]",
        bos_token=bos,
        model_max_length=window,
    )
    tokenizer.chat_template = chat_template
    tokenizer.save_pretrained(folder)
    return len(vocabulary)


def save_bert(
    folder: Path,
    labels: Mapping[int, str] | None = None,
    seed: int = 0,
    window: int = 48,
    **settings: Any,
) -> Path:
    """A random BERT encoder, or a classifier if labels are given; the folder comes back."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel

    size = save_tokenizer(folder, window)
    if labels is not None:
        settings |= {"id2label": labels, "label2id": {v: k for k, v in labels.items()}}
    config = BertConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=window,
        initializer_range=0.5,
        **settings,
    )
    torch.manual_seed(seed)
    kind = BertModel if labels is None else BertForSequenceClassification
    kind(config).save_pretrained(folder)
    return folder


def save_words(folder: Path, words: Any) -> str:
    """A model folder with word embeddings (tokens, hidden) alone; its reference comes back."""
    from safetensors.torch import save_file

    folder.mkdir()
    save_file({"embeddings.word_embeddings.weight": words}, folder / "model.safetensors")
    (folder / "config.json").write_text("{}", encoding="utf-8")
    return str(folder)


def save_llama(folder: Path, seed: int = 0, layers: int = 3, size: int = 32) -> Path:
    """A random causal language model; the folder comes back."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    words = save_tokenizer(folder, 512, bos="[CLS]")
    config = LlamaConfig(
        vocab_size=words,
        hidden_size=size,
        intermediate_size=2 * size,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.3,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
    )
    torch.manual_seed(seed)
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def save_provence(folder: Path, seed: int = 0, window: int = 48, **settings: Any) -> Path:
    """A random model in the layout of naver/provence-reranker-debertav3-v1, made smaller."""
    import json

    import torch
    from safetensors.torch import save_file
    from transformers import DebertaV2Config, DebertaV2Model

    size = save_tokenizer(folder, window)
    given = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "max_position_embeddings": window,
        "max_relative_positions": -1,
        "norm_rel_ebd": "layer_norm",
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "pooler_hidden_size": 32,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
        "position_buckets": 16,
        "relative_attention": True,
        "share_att_key": True,
        "type_vocab_size": 0,
        "vocab_size": size,
        "initializer_range": 0.3,
    }
    torch.manual_seed(seed)
    encoder = DebertaV2Model(DebertaV2Config(**given))
    weights = {f"deberta.{name}": tensor for name, tensor in encoder.state_dict().items()}
    for name, rows in (("pooler.dense", 32), ("classifier", 1), ("token_classifier", 2)):
        weights[f"{name}.weight"] = torch.randn(rows, 32) / 3
        weights[f"{name}.bias"] = torch.randn(rows) / 3
    save_file(weights, folder / "model.safetensors")
    named = {
        "architectures": ["Provence"],
        "auto_map": {
            "AutoConfig": "modeling_provence.ProvenceConfig",
            "AutoModel": "modeling_provence.Provence",
        },
        "id2label": {"0": "LABEL_0"},
        "label2id": {"LABEL_0": 0},
        "model_type": "Provence",
        "torch_dtype": "float32",
    }
    text = json.dumps({**given, **named, **settings})
    (folder / "config.json").write_text(text, encoding="utf-8")
    return folder
