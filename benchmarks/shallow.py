"""A second embedder for comparison: the first layers of all-MiniLM-L6-v2.

    python -m benchmarks.shallow --out DIR [--layers 3]

The folder is used like any other embedder: ``anamnesis index … --embedder DIR`` makes an index with
it, and ``anamnesis evaluate answers … --compare INDEX`` compares. It is intentionally worse: it
shows how much a figure depends on the embedder.
"""

from pathlib import Path
from typing import Any

from anamnesis.models.embedding import DEFAULT_EMBEDDER
from anamnesis.models.folders import folder_of
from anamnesis.models.reference import parse
from benchmarks.command_line import command_line


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("--out", type=Path, required=True, help="folder of the embedder")
    options.add_argument("--layers", type=int, default=3, choices=range(1, 6))
    chosen = options.parse_args()
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder_of(parse(DEFAULT_EMBEDDER))), device="cpu")
    encoder: Any = model[0].auto_model
    encoder.encoder.layer = encoder.encoder.layer[: chosen.layers]
    encoder.config.num_hidden_layers = chosen.layers
    model.save(str(chosen.out))


if __name__ == "__main__":
    main()
