"""How the model in a folder turns a text into a vector, read from the folder's own settings."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, cast

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.folders import adapter_of, file_digest, folder_of, gguf_of
from anamnesis.models.own_weights import WORDS, needs_words, words_file
from anamnesis.models.reference import Reference

Pooling = Literal["mean", "cls", "own"]
# Settings that only describe how the file was saved.
_NOT_OF_THE_MODEL = ("_name_or_path", "transformers_version")
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings that, with weights and tokenizer, determine a vector.

    ``pooling`` is ``own`` if the model's modules do something other than a mean or the first token;
    only sentence-transformers can run these.
    """

    transformer: Path  # the folder with config.json, weights and tokenizer
    config: Mapping[str, Any]
    pooling: Pooling
    normalize: bool
    window: int  # tokens, special tokens included
    dimensions: int
    lower_case: bool
    query_prefix: str
    document_prefix: str

    def fingerprint(self) -> str:
        """SHA-256 over weights, tokenizer and settings, in hex. Raises ModelError if there are no
        weights.

        It does not depend on the path of the folder.
        """
        settings = {
            "files": files_digests(self.transformer),
            "config": {k: v for k, v in self.config.items() if k not in _NOT_OF_THE_MODEL},
            "pooling": self.pooling,
            "similarity": "cosine" if self.normalize else "inner product",
            "window": self.window,
            "lower_case": self.lower_case,
            "prefixes": [self.query_prefix, self.document_prefix],
        }
        return sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()


def files_digests(folder: Path) -> dict[str, str]:
    """SHA-256 in hex of each file of weights and tokenizer, and of a package that completes them.

    Raises ModelError if there are no weights, or if that package is missing.
    """
    files = sorted({file for pattern in _WEIGHTS for file in folder.glob(pattern)})
    if not files:
        raise ModelError(
            f"folder {folder} has no weights (*.safetensors or pytorch_model.bin); "
            "copy the model again"
        )
    files += [
        file
        for name in ("tokenizer.json", "vocab.txt", "sentencepiece.bpe.model")
        if (file := folder / name).is_file()
    ]
    digests = {file.name: file_digest(file) for file in files}
    if needs_words(folder):
        digests[WORDS] = file_digest(words_file())
    return digests


def weights_of(reference: Reference) -> dict[str, str]:
    """SHA-256 in hex of each file that a model's outputs depend on, by its name.

    Raises ModelError if there are none, or if pinned weights differ.
    """
    packed, adapter = gguf_of(reference), adapter_of(reference)
    found = {} if packed else files_digests(folder_of(reference))
    return found | {file.name: file_digest(file) for file in (packed, adapter) if file}


def read_recipe(folder: Path, pooling: str | None = None, normalize: bool | None = None) -> Recipe:
    """Read the recipe of a model folder; the settings in the reference override it.

    Without ``modules.json`` the pooling is the mean, as in sentence-transformers. Raises ModelError
    if a settings file is missing or unreadable, SettingError for an unknown pooling.
    """
    if pooling not in (None, "mean", "cls", "own"):
        raise SettingError(f"pooling={pooling!r} is unknown; known are cls, mean, own")
    modules = read_json(folder / "modules.json", []) or []
    by_kind = {str(m.get("type", "")).rsplit(".", 1)[-1]: m.get("path", "") for m in modules}
    transformer = folder / by_kind.get("Transformer", "")
    config: Any = read_json(transformer / "config.json", None)
    if not isinstance(config, dict):
        raise ModelError(f"{transformer / 'config.json'} is missing; copy the model again")
    sentence = read_json(transformer / "sentence_bert_config.json", {})
    extra = read_json(folder / "config_sentence_transformers.json", {})
    pooling_name = _own_pooling(folder, by_kind) if modules else "mean"
    chosen = cast(Pooling, pooling_name if pooling in (None, "own") else pooling)
    if normalize is None:
        # Without a module list nothing defines how vectors are compared; cosine is the usual way.
        normalize = "Normalize" in by_kind or extra.get("similarity_fn_name", "cosine") == "cosine"
    prompts = extra.get("prompts") or {}
    default = prompts.get(extra.get("default_prompt_name"), "")
    return Recipe(
        transformer=transformer,
        config=config,
        pooling=chosen,
        normalize=normalize,
        window=_window(transformer, config, sentence),
        dimensions=int(config.get("hidden_size") or 0),
        lower_case=bool(sentence.get("do_lower_case", False)),
        query_prefix=prompts.get("query", default),
        document_prefix=prompts.get("document", prompts.get("passage", default)),
    )


def _own_pooling(folder: Path, by_kind: Mapping[str, str]) -> Pooling:
    if set(by_kind) - {"Transformer", "Pooling", "Normalize"} or "Pooling" not in by_kind:
        return "own"
    settings = read_json(folder / by_kind["Pooling"] / "config.json", {})
    if not settings.get("include_prompt", True):
        return "own"
    mode = settings.get("pooling_mode")
    if mode is None:
        names = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
        active = [key for key, on in settings.items() if key.startswith("pooling_mode_") and on]
        mode = names.get(active[0], "own") if len(active) == 1 else "own"
    return mode if mode in ("mean", "cls") else "own"


def _window(transformer: Path, config: Mapping[str, Any], sentence: Mapping[str, Any]) -> int:
    tokenizer = read_json(transformer / "tokenizer_config.json", {})
    limits: list[Any] = [
        sentence.get("max_seq_length"),
        tokenizer.get("model_max_length"),  # a huge number if none was set
        config.get("max_position_embeddings"),
    ]
    known = [int(limit) for limit in limits if limit is not None]
    return min(known, default=512)


def read_json(file: Path, default: Any) -> Any:
    """The content of a settings file, or the default if it is missing. Raises ModelError."""
    if not file.is_file():
        return default
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} cannot be read ({error}); copy the model again") from error
