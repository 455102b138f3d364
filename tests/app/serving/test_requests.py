"""Whatever JSON a field of a request has, it is done as it says or refused by name."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.serving.batching import Batcher
from app.serving.models import Names, Served
from app.serving.routes import application
from tests.app.serving.conftest import message_of
from tests.fakes import HashEmbedder, NoReranker

TEXTS = ["gout", "asthma"]
BODIES: dict[str, dict[str, Any]] = {
    "/v1/embeddings": {"input": TEXTS},
    "/embed": {"inputs": TEXTS},
    "/v2/embed": {"texts": TEXTS},
    "/rerank": {"query": "What is gout?", "texts": TEXTS},
    "/v1/rerank": {"query": "What is gout?", "documents": TEXTS},
    "/v2/rerank": {"query": "What is gout?", "documents": TEXTS},
    "/predict": {"inputs": [["gout", "Gout hurts."]]},
    "/read": {"question": "What is gout?", "passages": [["Gout", "Gout hurts."]]},
}
Permitted = Callable[[Any], bool]


def one_of(*values: Any) -> Permitted:
    return lambda given: any(type(given) is type(item) and given == item for item in values)


def whatever(value: Any) -> bool:
    return True


def forms(value: Any) -> bool:
    return bool(value) and {*(value if isinstance(value, list) else [value])} <= {"float", "base64"}


FLAG, NOTHING, END = one_of(True, False), one_of(), one_of("right", "Right")
RANKED = {
    "query": whatever, "documents": whatever, "return_documents": FLAG,
    "top_n": lambda value: type(value) is int and value >= 0,
    "max_tokens_per_doc": NOTHING, "max_chunks_per_doc": NOTHING, "rank_fields": NOTHING,
}  # fmt: skip
PERMITTED: dict[str, dict[str, Permitted]] = {
    "/v1/embeddings": {
        "input": whatever, "encoding_format": one_of("float", "base64"), "dimensions": one_of(64),
    },
    "/embed": {
        "inputs": whatever, "normalize": one_of(True), "prompt_name": NOTHING, "query": FLAG,
        "dimensions": one_of(64), "truncate": FLAG, "truncation_direction": END,
    },
    "/v2/embed": {
        "texts": whatever, "input_type": one_of("search_query", "search_document"),
        "output_dimension": one_of(64), "truncate": one_of("END", "NONE"),
        "embedding_types": forms, "inputs": NOTHING, "images": NOTHING, "max_tokens": NOTHING,
        "truncation_direction": END,
    },
    "/rerank": {
        "query": whatever, "texts": whatever, "raw_scores": one_of(False), "return_text": FLAG,
        "truncate": FLAG,
    },
    "/v1/rerank": RANKED,
    "/v2/rerank": RANKED,
    "/predict": {
        "inputs": whatever, "truncate": FLAG, "raw_scores": one_of(False),
        "truncation_direction": END,
    },
    "/read": {"question": whatever, "passages": whatever},
}  # fmt: skip
"""The fields of each route, and what they may be in a request that is answered, if not null."""
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 70) | st.floats() | st.text(max_size=5)
    | st.sampled_from(["float", "base64", "END", "NONE", "right", "search_query", "\ud800"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["text", "a"]), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """A server whose models are those of the tests."""
    served = Served(Names(None, None, None))
    embedder = HashEmbedder()
    served.documents = served.queries = Batcher(embedder.embed_queries)
    served.readings = Batcher(
        lambda items: [
            reading for asked, pair in items for reading in NoReranker().read(asked, [pair])
        ]
    )
    served.labels = Batcher(lambda items: [{"entailment": 1.0} for _ in items])
    served.info |= {"dimensions": embedder.dimensions, "model_id": "hash"}
    with TestClient(application(served), raise_server_exceptions=False) as made:
        yield made
    served.close()


def entries(path: str, reply: Any) -> int:
    """The number of results in a reply; 0 if one of them is empty."""
    if path == "/v1/embeddings":
        found = [item["embedding"] for item in reply["data"]]
    elif path == "/v2/embed":
        forms = [*reply["embeddings"].values()]
        found = min(forms, key=len) if forms else []
    else:
        found = reply["results"] if isinstance(reply, dict) else reply
    return len(found) if all(found) else 0


@pytest.mark.parametrize("path", BODIES)
@given(st.data())
def test_a_field_is_done_as_it_says_or_refused(path: str, client: TestClient, data: Any) -> None:
    names = st.sampled_from([*PERMITTED[path]])
    changed = data.draw(st.dictionaries(names, VALUES, max_size=3))
    reply = client.post(path, content=json.dumps({**BODIES[path], **changed}))
    if reply.status_code == 200:
        assert changed.get("passages") == [] or entries(path, reply.json()) > 0
        for name, value in changed.items():
            assert value is None or PERMITTED[path][name](value), (name, value)
    else:
        assert reply.status_code == (400 if path.startswith("/v") else 422), reply.text
        assert message_of(path, reply.json())


@pytest.mark.parametrize("kinds", [[None], ["float", None], [], {}, "", 0, False])
def test_embeddings_of_no_kind_are_refused(client: TestClient, kinds: Any) -> None:
    reply = client.post("/v2/embed", json={"texts": TEXTS, "embedding_types": kinds})
    assert reply.status_code == 400
    assert "embedding_types" in message_of("/v2/embed", reply.json())


def test_half_a_character_is_returned_in_a_text(client: TestClient) -> None:
    body = {"query": "What is gout?", "texts": ["gout \ud800"], "return_text": True}
    reply = client.post("/rerank", content=json.dumps(body))
    assert reply.json()[0]["text"] == "gout \ufffd"
