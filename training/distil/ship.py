"""Calibrates and publishes: ``python -m training.distil.ship --data FOLDER --results FOLDER``.

The small reader and the small critic of ``training.distil.run learn``.
"""

import argparse
import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

from anamnesis.models.folders import SHIPPED
from anamnesis.models.own_weights import WORD_EMBEDDINGS, blocks, read_words
from training import finish, read
from training.distil import weights
from training.distil.weights import bert_names, load
from training.examples import check
from training.ship_reader import reader_of


def with_transformers_names(state: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """A small model's weights under the names of transformers, with a prefix for the encoder."""
    names = bert_names(weights.blocks(state))
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


def ship_reader(data: Path, state: dict[str, Tensor], out: Path) -> None:
    """Publish the reader."""
    model = reader_of(out, with_transformers_names(state, "encoder"))
    read.finish(model.eval(), AutoTokenizer.from_pretrained(str(out)), data, out)


def ship_critic(data: Path, state: dict[str, Tensor], out: Path) -> None:
    """Publish the cross-encoder."""
    weights = with_transformers_names(
        {name: item for name, item in state.items() if "sentence" not in name}, "bert"
    )
    for part in ("weight", "bias"):
        weights[f"classifier.{part}"] = weights.pop(f"outputs.{part}")
    weights[f"bert.{WORD_EMBEDDINGS}"] = torch.from_numpy(read_words())
    number = blocks(name.removeprefix("bert.") for name in weights)
    config = AutoConfig.from_pretrained(str(out), num_hidden_layers=number)
    auto: Any = AutoModelForSequenceClassification
    model = auto.from_config(config, dtype=torch.float32)
    model.load_state_dict(weights)
    with TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(str(out)).save_pretrained(folder)
        finish.finish(Path(folder), data, out)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m training.distil.ship", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--results", type=Path, required=True, help="folder of the small models")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder of the published files")
    parser.add_argument("--only", choices=("reader", "critic"), help="one of the two")
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    check(chosen.data)
    torch.manual_seed(7)
    for name, publish in (("reader", ship_reader), ("critic", ship_critic)):
        if chosen.only in (None, name):
            publish(chosen.data, load(chosen.results / f"{name}.safetensors"), chosen.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
