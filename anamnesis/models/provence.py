"""A published reader that ranks and prunes in one pass: Provence (Chirkova et al., ICLR 2025).

`naver/provence-reranker-debertav3-v1` and models of the same architecture: a DeBERTa-v2 encoder
with two linear layers. One reads the first token and ranks; the other reads every token and says
whether it is kept. The code that is published with the weights is not run; only `config.json`,
`tokenizer.json` and `model.safetensors` are read, with the names below.
"""

import string
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from anamnesis.errors import ModelError
from anamnesis.language.text import sentences, well_formed
from anamnesis.models.caching_reader import CachingReader
from anamnesis.models.classifier import Scores
from anamnesis.models.folders import folder_of
from anamnesis.models.labels import sigmoid
from anamnesis.models.onnx_runtime import load_tokenizer
from anamnesis.models.packing import both_ends, means, packed
from anamnesis.models.reading import Reading
from anamnesis.models.recipe import read_json
from anamnesis.models.reference import FILE_SCHEMES, Reference

ARCHITECTURES = frozenset({"Provence", "DebertaV2ForCompressionAndRanking"})
"""The names of the architecture in `config.json`: as published, and as the authors' training code
saves them."""
WEIGHTS = "model.safetensors"
ENCODER = "deberta."
"""The prefix of the names of the encoder's weights."""
HEADS = ("pooler.dense", "classifier", "token_classifier")
"""The linear layers on the encoder: the first two read the first token, the last one every token.
"""
_RANKING = 0
"""The number of the ranking output, in log-odds."""
_KEPT = 1
"""The output of a token for being kept; 0 is for being dropped."""
_QUESTION = 3 / 8
"""Maximum share of the window for the question; only beginning and end of a longer one are read."""
# Settings that say how the model was saved, not how it computes.
_NOT_OF_THE_ENCODER = frozenset(
    "_name_or_path architectures auto_map dtype model_type torch_dtype transformers_version".split()
)
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def is_provence(reference: Reference) -> bool:
    """Whether a reference names such a model. Raises ModelError as ``folder_of`` does."""
    if reference.scheme not in FILE_SCHEMES:
        return False
    config = read_json(folder_of(reference) / "config.json", {})
    return not ARCHITECTURES.isdisjoint(config.get("architectures") or ())


class ProvenceReader(CachingReader):
    """Relevance and sentences in one pass, through torch. Safe to share between threads.

    A sentence's probability is the mean of its tokens' probabilities of being kept;
    ``Reading.polar`` is empty. Windows are read one by one, so that no result depends on other
    windows.

    Raises ModelError, which names what is missing, if the files are not those of such a model.
    """

    def __init__(self, reference: Reference) -> None:
        super().__init__()
        reference.refuse_options_beyond(("revision",))
        folder = folder_of(reference)
        for name in ("tokenizer.json", WEIGHTS):
            if not (folder / name).is_file():
                raise ModelError(
                    f"model {str(reference)!r}: {name} is missing in {folder}; copy it there"
                )
        self.name = f"cross-encoder:{reference}"
        self._tokenizer = load_tokenizer(folder, folder, None)
        ends = [self._tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]")]
        if None in ends:
            raise ModelError(f"model {str(reference)!r}: its tokenizer lacks [CLS] or [SEP]")
        self._ends = (ends[0], ends[1])
        self._load(folder, str(reference))

    def _load(self, folder: Path, reference: str) -> None:
        import torch
        from transformers import DebertaV2Config, DebertaV2Model
        from transformers.activations import ACT2FN

        self._torch: Any = torch
        given = read_json(folder / "config.json", {})
        try:
            config = DebertaV2Config(
                **{name: item for name, item in given.items() if name not in _NOT_OF_THE_ENCODER}
            )
            with torch.device("meta"):  # replaced by the weights that are read
                self._encoder: Any = DebertaV2Model(config)
            self._activation: Any = ACT2FN[config.pooler_hidden_act]
        except Exception as error:  # many kinds: unknown names, types, sizes
            raise ModelError(
                f"model {reference!r}: its config.json is not that of a DeBERTa-v2 encoder "
                f"({type(error).__name__}: {error}); copy the model again"
            ) from error
        weights = _weights(folder / WEIGHTS, reference, self._encoder.state_dict())
        inside = {
            name.removeprefix(ENCODER): item
            for name, item in weights.items()
            if name.startswith(ENCODER)
        }
        self._encoder.load_state_dict(inside, assign=True)
        self._encoder.eval()  # type: ignore[no-untyped-call]
        self._heads = {name: (weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in HEADS}
        self._window = int(config.max_position_embeddings)

    def _read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        asked = both_ends(self._tokens([as_trained(question)])[0], int(self._window * _QUESTION))
        found = []
        for heading, text in passages:
            spans = sentences(text)
            title, *sentence_tokens = self._tokens(
                [heading, *(text[start:end] for start, end in spans)]
            )
            windows = packed(asked, title, sentence_tokens, self._ends, self._window)
            scores, kept = zip(*(self._run(each.ids) for each in windows), strict=True)
            chances = means(windows, kept, len(spans))
            scored = tuple(
                (start, end, 0.0 if isnan(chance) else float(chance))
                for (start, end), chance in zip(spans, chances, strict=True)
            )
            found.append(Reading(float(sigmoid(np.array(max(scores)))), scored, {}))
        return found

    def _run(self, ids: list[int]) -> tuple[float, Scores]:
        """The log-odds that a window is relevant, and that each of its tokens is kept."""
        torch, linear = self._torch, self._torch.nn.functional.linear
        with torch.inference_mode():
            taken = torch.tensor([ids])
            places = torch.arange(len(ids))[None]
            states = self._encoder(taken, torch.ones_like(taken), position_ids=places)[0][0]
            pooled = self._activation(linear(states[0], *self._heads["pooler.dense"]))
            score = float(linear(pooled, *self._heads["classifier"])[_RANKING])
            tokens = linear(states, *self._heads["token_classifier"]).softmax(-1)
        kept: Scores = tokens[:, _KEPT].numpy()
        if not (np.isfinite(score) and np.isfinite(kept).all()):
            raise ModelError(f"model {self.name!r} gave scores that are not numbers")
        return score, kept

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text; special tokens that are spelled out in a text are left out."""
        encoded = self._tokenizer.encode_batch_fast(
            [well_formed(text) for text in texts], add_special_tokens=False
        )
        return [[token for token in item.ids if token not in self._ends] for item in encoded]


def as_trained(question: str) -> str:
    """A question in the form that such a model was trained on: lower case, no punctuation, single
    blanks.
    """
    return " ".join(question.lower().translate(_NO_PUNCTUATION).split())


def _weights(file: Path, reference: str, encoder: Mapping[str, Any]) -> dict[str, Any]:
    """The float32 weights of the linear layers and of the encoder, which has the names and shapes
    needed.

    Raises ModelError if the file is damaged, or if a weight is missing or has another shape.
    """
    from safetensors import SafetensorError, safe_open

    shapes = {f"{ENCODER}{name}": tuple(item.shape) for name, item in encoder.items()}
    heads = [f"{name}.{part}" for name in HEADS for part in ("weight", "bias")]
    try:
        with safe_open(file, "pt") as stored:
            missing = sorted({*shapes, *heads}.difference(stored.keys()))
            if missing:
                raise ModelError(
                    f"model {reference!r}: {file} lacks {len(missing)} weights, such as "
                    f"{', '.join(missing[:3])}; copy the model again"
                )
            found = {name: stored.get_tensor(name).float() for name in (*shapes, *heads)}
    except (SafetensorError, OSError) as error:
        raise ModelError(
            f"model {reference!r}: {file} is damaged ({error}); copy the model again"
        ) from error
    [hidden] = shapes[f"{ENCODER}embeddings.LayerNorm.weight"]
    for name, rows in zip(HEADS, (hidden, max(1, len(found["classifier.bias"])), 2), strict=True):
        shapes |= {f"{name}.weight": (rows, hidden), f"{name}.bias": (rows,)}
    for name, shape in shapes.items():
        if tuple(found[name].shape) != shape:
            raise ModelError(
                f"model {reference!r}: {name} in {file} has the shape {tuple(found[name].shape)} "
                f"where config.json makes it {shape}; copy the model again"
            )
    return found
