"""LangChain's ``Embeddings``: what they may return, and what is named."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from anamnesis import ModelError
from anamnesis.models.embedding import load_embedder
from anamnesis.models.langchain_embeddings import LangChainEmbedder
from tests.model_servers import Reply, scripted

ROWS = [[3.0, 4.0], [0.0, 2.0]]
UNIT = np.array([[0.6, 0.8], [0.0, 1.0]], np.float32)


class Giving(Embeddings):
    """Embeddings that return what a function makes of vectors."""

    def __init__(self, form: Callable[[Any], Any], row: Any = None) -> None:
        self.form, self.row = form, ROWS[0] if row is None else row

    def embed_documents(self, texts: list[str]) -> Any:
        return self.form(ROWS)

    def embed_query(self, text: str) -> Any:
        return self.row


def rows_of(rows: Any) -> Any:
    yield from rows


def failing(rows: Any) -> Any:
    yield rows[0]
    raise ConnectionError("sk-secret")


@pytest.mark.parametrize("form", [list, tuple, np.array, rows_of, lambda rows: map(np.array, rows)])
def test_vectors_may_come_in_any_collection(form: Callable[[Any], Any]) -> None:
    embedder = LangChainEmbedder(Giving(form))
    assert np.allclose(embedder.embed_documents(["a", "b"]), UNIT)


@pytest.mark.parametrize("row", [ROWS[0], tuple(ROWS[0]), np.array(ROWS[0])])
def test_the_vector_of_a_question_may_be_an_array(row: Any) -> None:
    assert np.allclose(LangChainEmbedder(Giving(list, row)).embed_queries(["a"]), UNIT[:1])


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (lambda _: None, "embed_documents gave NoneType; it must give a list"),
        (lambda _: 3, "embed_documents gave int; it must give a list"),
        (failing, "embed_documents of Giving failed with ConnectionError"),
        (lambda rows: rows[:1], "gave 1 vectors for 2 texts"),
        (lambda _: [None, None], "values other than numbers"),
        (lambda _: [[1.0], [2.0]], "a vector with 1 numbers, and earlier ones with 2"),
    ],
)
def test_what_gives_no_vectors_is_named(form: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message) as raised:
        LangChainEmbedder(Giving(form)).embed_documents(["a", "b"])
    assert "Giving" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_question_whose_vector_has_another_length_is_named() -> None:
    given = Giving(list)
    embedder = LangChainEmbedder(given)
    assert embedder.dimensions == 2
    given.row = [1.0, 2.0, 3.0]
    with pytest.raises(ModelError, match=r"Giving gave a vector with 3 numbers.*--rebuild"):
        embedder.embed_queries(["a"])


def test_a_provider_that_has_another_model_is_named() -> None:
    row = [1.0, 0.0]

    def vectors(body: Any) -> Reply:
        data = [
            {"object": "embedding", "index": n, "embedding": row} for n in range(len(body["input"]))
        ]
        used = {"prompt_tokens": 1, "total_tokens": 1}
        return 200, {"object": "list", "data": data, "model": "m", "usage": used}

    with scripted(v1__embeddings=vectors) as server:
        embedder = load_embedder(f"openai:m?base_url={server.address}/v1")
        assert embedder.dimensions == 2
        row.append(1.0)
        with pytest.raises(ModelError, match=r"openai:m.* gave a vector with 3 numbers"):
            embedder.embed_queries(["a"])
