"""The APIs of a model server: their forms, and what is refused in them."""

import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest

from app.serving.models import Names, Served
from app.serving.requests import BODY, ITEMS
from tests.app.serving.conftest import message_of
from tests.model_servers import serving
from tests.tiny_models import save_bert

GOUT = "Gout is treated with colchicine. It is a kind of arthritis."
LONG = "gout " * 600


@pytest.fixture(scope="module")
def prompted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose embedder reads 48 tokens, with one of them in front of a document and three in
    front of a question."""
    folder = save_bert(tmp_path_factory.mktemp("prompted"))
    prompts = {"prompts": {"query": "what is the ", "document": "the "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts), "utf-8")
    served = Served(Names(str(folder), None, None))
    with serving(served) as found:
        yield found
    served.close()


RANK: dict[str, Any] = {"query": "What treats gout?", "documents": ["Asthma.", GOUT]}


@pytest.mark.parametrize(
    ("path", "body", "option", "status"),
    [
        ("/v1/embeddings", {"input": "a"}, {"dimensions": 10}, 400),
        ("/embed", {"inputs": "a"}, {"dimensions": 10}, 422),
        ("/embed", {"inputs": "a"}, {"normalize": False}, 422),
        ("/embed", {"inputs": "a"}, {"prompt_name": "query"}, 422),
        ("/embed", {"inputs": "a"}, {"truncation_direction": "left"}, 422),
        ("/v2/embed", {"texts": ["a"]}, {"embedding_types": ["int8"]}, 400),
        ("/v2/embed", {"texts": ["a"]}, {"embedding_types": ["float", "ubinary"]}, 400),
        ("/v2/embed", {"texts": ["a"]}, {"output_dimension": 256}, 400),
        ("/v2/embed", {"texts": ["a"]}, {"truncate": "START"}, 400),
        ("/v2/embed", {"texts": ["a"]}, {"input_type": "image"}, 400),
        ("/rerank", {"query": "a", "texts": ["a"]}, {"raw_scores": True}, 422),
        ("/v2/rerank", RANK, {"max_tokens_per_doc": 10}, 400),
        ("/predict", {"inputs": [["a", "b"]]}, {"raw_scores": True}, 422),
        ("/predict", {"inputs": [["a", "b"]]}, {"truncation_direction": "left"}, 422),
    ],
)
def test_an_option_that_is_not_done_is_refused_and_named(
    address: str, path: str, body: Any, option: dict[str, Any], status: int
) -> None:
    reply = httpx.post(address + path, json={**body, **option}, timeout=30)
    assert reply.status_code == status, reply.text
    message = message_of(path, reply.json())
    assert f"cannot do {next(iter(option))}" in message
    assert "leave it out" in message


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/embeddings", {"input": "a", "dimensions": 384}),
        ("/embed", {"inputs": "a", "normalize": True, "truncation_direction": "Right"}),
        ("/v2/embed", {"texts": ["a"], "embedding_types": ["float"], "output_dimension": None}),
        ("/rerank", {"query": "a", "texts": ["a"], "raw_scores": False, "truncate": False}),
        ("/predict", {"inputs": [["a", "b"]], "raw_scores": False}),
        ("/v2/rerank", {**RANK, "top_n": 0, "max_tokens_per_doc": None}),
    ],
)
def test_the_same_option_at_what_is_done_is_taken(address: str, path: str, body: Any) -> None:
    assert httpx.post(address + path, json=body, timeout=30).status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/embed", {"inputs": ["a", LONG], "truncate": False}, 413),
        ("/embed", {"inputs": ["a"], "truncate": False}, 200),
        ("/embed", {"inputs": ["a", LONG]}, 200),
        ("/v2/embed", {"texts": [LONG], "truncate": "NONE"}, 413),
        ("/v2/embed", {"texts": [LONG]}, 200),
    ],
)
def test_a_text_is_cut_only_if_the_request_allows_it(
    address: str, path: str, body: Any, status: int
) -> None:
    reply = httpx.post(address + path, json=body, timeout=30)
    assert reply.status_code == status
    assert status == 200 or " tokens and the embedder reads 256" in message_of(path, reply.json())


@pytest.mark.parametrize(
    ("path", "body", "tokens"),
    [
        ("/embed", {"truncate": False}, 45),
        ("/embed", {"truncate": False, "query": True}, 43),
        ("/v2/embed", {"truncate": "NONE", "input_type": "search_document"}, 45),
        ("/v2/embed", {"truncate": "NONE", "input_type": "search_query"}, 43),
    ],
)
def test_what_the_model_puts_in_front_of_a_text_counts(
    prompted: str, path: str, body: Any, tokens: int
) -> None:
    name = "texts" if path == "/v2/embed" else "inputs"
    for number, status in ((tokens, 200), (tokens + 1, 413)):
        asked = {**body, name: ["fever " * number]}
        reply = httpx.post(prompted + path, json=asked, timeout=30)
        assert reply.status_code == status, reply.text


def test_a_single_pair_has_its_labels_alone_and_a_list_of_one_has_a_list(address: str) -> None:
    pair = [GOUT, "Gout is treated with colchicine."]
    alone, listed = (
        httpx.post(f"{address}/predict", json={"inputs": argument}, timeout=30).json()
        for argument in (pair, [pair])
    )
    assert alone[0]["label"] == "entailment"
    assert listed == [alone]


@pytest.mark.parametrize("path", ["/rerank", "/v1/rerank", "/v2/rerank"])
def test_documents_are_ranked_in_the_form_of_cohere(address: str, path: str) -> None:
    def ranked(**more: Any) -> Any:
        return httpx.post(address + path, json={**RANK, **more}, timeout=30).json()["results"]

    assert [item["index"] for item in ranked()] == [1, 0]
    assert [item["index"] for item in ranked(top_n=1)] == [1]
    assert ranked(documents=[{"text": "Asthma."}, {"text": GOUT}]) == ranked()
    assert ranked(return_documents=True)[0]["document"] == {"text": GOUT}
    assert "document" not in ranked()[0]


def test_the_texts_are_returned_and_bytes_are_given_on_request(address: str) -> None:
    body = {"query": "What treats gout?", "texts": ["Asthma.", GOUT], "return_text": True}
    reply = httpx.post(f"{address}/rerank", json=body, timeout=30).json()
    assert [item["text"] for item in reply] == [GOUT, "Asthma."]
    asked = {"texts": [GOUT], "embedding_types": ["float", "base64"]}
    found = httpx.post(f"{address}/v2/embed", json=asked, timeout=30).json()["embeddings"]
    vector = np.frombuffer(b64decode(found["base64"][0]), "<f4")
    assert np.allclose(vector, found["float"][0], atol=1e-6)


def test_openai_clients_get_base64_and_an_error_on_token_numbers(
    address: str,
) -> None:
    def embedded(**body: Any) -> Any:
        return httpx.post(f"{address}/v1/embeddings", json=body, timeout=30).json()

    [plain], [encoded] = (
        embedded(input=[GOUT], encoding_format=form)["data"] for form in ("float", "base64")
    )
    vector = np.frombuffer(b64decode(encoded["embedding"]), "<f4")
    assert np.allclose(vector, plain["embedding"], atol=1e-6)
    refused = embedded(input=GOUT, encoding_format="hex")["error"]["message"]
    assert 'send "float" or send "base64"' in refused
    for numbers in ([1, 2], [[1, 2], [3]]):
        said = embedded(input=numbers)["error"]["message"]
        assert "OpenAIEmbeddings(check_embedding_ctx_length=False)" in said


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/embed", {"inputs": "a"}, 200),
        ("/embed", {"inputs": []}, 422),
        ("/embed", {"inputs": [1]}, 422),
        ("/embed", {"inputs": ["a"] * (ITEMS + 1)}, 422),
        ("/embed", ["a"], 422),
        ("/embed", {"inputs": ["a" * BODY]}, 413),
        ("/v1/embeddings", {"input": ["a"]}, 200),
        ("/v2/embed", {"texts": ["a"], "input_type": "search_query"}, 200),
        ("/rerank", {"query": "a", "texts": ["a", "b"]}, 200),
        ("/rerank", {"query": 1, "texts": ["a"]}, 422),
        ("/v2/rerank", {"query": "a", "documents": ["a", "b"], "top_n": 1}, 200),
        ("/predict", {"inputs": ["a", "b"]}, 200),
        ("/predict", {"inputs": [["a", "b"]]}, 200),
        ("/predict", {"inputs": [["a"]]}, 422),
        ("/predict", {"inputs": "a"}, 422),
        ("/v1/embeddings", {"input": 1}, 400),
        ("/v2/embed", {"texts": [1]}, 400),
        ("/v2/rerank", {"query": "a", "documents": ["a"], "top_n": -1}, 400),
        ("/v2/rerank", {"query": "a", "documents": [{"title": "a"}]}, 400),
        ("/read", {"question": "a", "passages": []}, 200),
        ("/read", {"question": "a", "passages": [["", "\ud800"]]}, 200),
    ],
)
def test_a_request_is_answered_or_refused_by_name(
    address: str, path: str, body: Any, status: int
) -> None:
    reply = httpx.post(address + path, content=json.dumps(body), timeout=30)
    assert reply.status_code == status, reply.text
    if status != 200:
        assert message_of(path, reply.json())


def test_no_json_is_refused(address: str) -> None:
    for sent in (b"", b"{", b"[" * 100_000):
        assert httpx.post(f"{address}/embed", content=sent).status_code == 422
