"""A server whose model is exchanged while a program uses it."""

from typing import Any

import numpy as np
import pytest

from anamnesis import ModelError
from anamnesis.models.embedding import load_embedder
from tests.model_servers import Reply, scripted


@pytest.mark.parametrize("options", ["", "&batch=1", "&query_prefix=q:%20"])
@pytest.mark.parametrize(
    "other",
    [[1.0, 2.0, 3.0, 4.0], [-3.0, 1.0, 0.5]],
    ids=["other dimensions", "as many dimensions"],
)
def test_a_model_that_is_exchanged_is_noticed_before_its_vectors_are_used(
    other: list[float], options: str
) -> None:
    exchanged = False

    def embed(body: Any) -> Reply:
        vectors = [[float(len(text)), 1.0, 0.0] for text in body["inputs"]]
        return 200, [other for _ in vectors] if exchanged else vectors

    with scripted(embed=embed) as server:
        found = load_embedder(f"{server.address}?api=tei{options}")
        before = found.embed_queries(["a", "bb"])
        assert np.array_equal(found.embed_queries(["a", "bb"]), before)
        exchanged = True
        for ask in (found.embed_queries, found.embed_documents):
            with pytest.raises(ModelError, match="has changed since this program") as said:
                ask(["a", "bb"])
        assert server.address in str(said.value)
        exchanged = False
        assert np.array_equal(found.embed_queries(["a", "bb"]), before)


def test_vectors_of_less_precision_are_those_of_the_same_model() -> None:
    noise = 0.0

    def embed(body: Any) -> Reply:
        rows = [np.random.default_rng(len(text)).normal(size=(2, 384)) for text in body["inputs"]]
        return 200, [(one + noise * other).tolist() for one, other in rows]

    with scripted(embed=embed) as server:
        found = load_embedder(f"{server.address}?api=tei")
        noise = 0.05
        assert found.embed_queries(["What is gout?"]).shape == (1, 384)
        noise = 1.0
        with pytest.raises(ModelError, match="has changed since this program"):
            found.embed_queries(["What is gout?"])
