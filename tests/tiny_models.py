"""Tiny random models, saved as real ones are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

WORDS = (
    "what is the a of asthma fever cough aspirin ibuprofen causes treats symptoms treatment "
    "blood pressure high low diabetes kidney pain in and not are for to patients doctor heart"
).split()


def save_tokenizer(folder: Path, window: int = 48, chat_template: str | None = None) -> int:
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
