"""Calibrates and publishes: ``python -m training.distil.ship --data FOLDER --results FOLDER``.

The small reader and the small critic of ``training.distil.run learn``. The reader's weights are
averaged with those that it started from: the near misses that it had learned before are kept, and
nearly all that the teachers add.
"""

import argparse
import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor
from transformers import AutoTokenizer

from anamnesis.models.folders import OWN
from training import finish, read
from training.distil.weights import MINILM, bert_names, load
from training.examples import check
from training.ship_reader import load_shipped
from training.storing import load_classifier

SHARE = 0.8
"""That of the new reader in the average."""


def named(state: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """A small model's weights under the names of transformers, with a prefix for the encoder."""
    names = bert_names(MINILM.blocks)
    found = {}
    for name, value in state.items():
        network, _, rest = name.partition(".")
        if network == "network":
            found[f"{prefix}.{names[rest]}"] = value
        elif network == "pooler":
            found[f"{prefix}.pooler.dense.{rest}"] = value
        else:
            found[name] = value
    return found


def ship_reader(data: Path, results: Path, out: Path) -> None:
    """Publish the reader."""
    model, tokenizer = load_shipped(out)
    earlier = model.state_dict()
    for name, value in named(load(results / "reader.safetensors"), "encoder").items():
        earlier[name].lerp_(value.to(earlier[name].dtype), SHARE)
    model.load_state_dict(earlier)
    read.finish(model.eval(), tokenizer, data, out)


def ship_critic(data: Path, results: Path, out: Path) -> None:
    """Publish the cross-encoder."""
    model: Any = load_classifier(out)
    state = named(load(results / "critic.safetensors"), "bert")
    for part in ("weight", "bias"):
        state[f"classifier.{part}"] = state.pop(f"outputs.{part}")
    missing = model.load_state_dict(state, strict=False).missing_keys
    assert missing == ["bert.embeddings.word_embeddings.weight"], missing
    with TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(str(out)).save_pretrained(folder)
        finish.finish(Path(folder), data, out)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m training.distil.ship", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--results", type=Path, required=True, help="folder of the small models")
    parser.add_argument("--out", type=Path, default=OWN, help="folder of the published files")
    parser.add_argument("--only", choices=("reader", "critic"), help="one of the two")
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    check(chosen.data)
    torch.manual_seed(7)
    if chosen.only != "critic":
        ship_reader(chosen.data, chosen.results, chosen.out)
    if chosen.only != "reader":
        ship_critic(chosen.data, chosen.results, chosen.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
