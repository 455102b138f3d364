"""Embedders of LangChain's providers, named by reference."""

from typing import Any

import numpy as np
import pytest

from anamnesis import ModelError, SettingError
from anamnesis.models import calling
from anamnesis.models.embedding import load_embedder
from tests.model_servers import Reply, Scripted, scripted


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting between tries, a short patience, and a key that no other address may get."""
    monkeypatch.setattr(calling, "_wait", lambda _: 0.0)
    monkeypatch.setenv("ANAMNESIS_LIMIT_MODEL_READ_TIMEOUT", "0.3")
    monkeypatch.setenv("ANAMNESIS_LIMIT_MODEL_TIMEOUT", "5")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")


def vectors(body: Any) -> Reply:
    rows = [
        {"object": "embedding", "index": n, "embedding": [float(len(text)), 1.0]}
        for n, text in enumerate(body["input"])
    ]
    used = {"prompt_tokens": 1, "total_tokens": 1}
    return 200, {"object": "list", "data": rows, "model": body["model"], "usage": used}


def reference(server: Scripted, more: str = "") -> str:
    return f"openai:mine?base_url={server.address}/v1{more}"


def test_a_provider_embeds_texts_as_they_are_and_gets_no_key_of_others() -> None:
    with scripted(v1__embeddings=vectors) as server:
        embedder = load_embedder(reference(server, "&window=100"))
        found = embedder.embed_documents(["a", "bb"])
        assert np.allclose(embedder.embed_queries(["a"])[0], found[0])
        assert (embedder.dimensions, embedder.window) == (2, 100)
    wanted = np.array([[1, 1], [2, 1]], np.float32)
    assert np.allclose(found, wanted / np.linalg.norm(wanted, axis=1, keepdims=True))
    assert embedder.count_tokens(["Gout hurts."]) == [3]
    assert ["a", "bb"] in [body["input"] for _, body, _ in server.asked]
    assert "sk-secret" not in str(server.asked)


def test_the_fingerprint_is_the_models_wherever_it_runs() -> None:
    with scripted(v1__embeddings=vectors) as one, scripted(v1__embeddings=vectors) as other:
        found = [
            load_embedder(reference(server, more)).fingerprint
            for server in (one, other)
            for more in ("", "&window=99", "&dimensions=2")
        ]
    assert found[0] == found[1] == found[3] == found[4] != found[2]
    assert found[2] == found[5]


def test_a_call_is_repeated_and_a_failure_is_named_without_what_was_said() -> None:
    replies: list[Reply] = [(503, {"error": {"message": "sk-secret"}})]

    def once(body: Any) -> Reply:
        return replies.pop() if replies else vectors(body)

    with scripted(v1__embeddings=once) as server:
        embedder = load_embedder(reference(server))
        assert embedder.dimensions == 2
        assert len(server.asked) == 2
        replies += [(400, {"error": {"message": "sk-secret"}})]
        with pytest.raises(ModelError, match=r"openai:mine.*did not answer") as raised:
            embedder.embed_queries(["a"])
    assert "sk-secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("groq:x", SettingError, "no embedders of 'groq'; it has those of azure_ai"),
        ("openai:a|openai:b", SettingError, "name it alone"),
        ("openai:a?window=none", SettingError, "window='none' must be a whole number"),
        ("openai:a?api_key=sk-1", SettingError, "api_key does not belong in a reference"),
        ("openai:a?http_auth=me", SettingError, "http_auth does not belong in a reference"),
        ("cohere:a?base_url=http://h", SettingError, "cannot name an address"),
        ("mistralai:a", ModelError, "pip install langchain-mistralai"),
    ],
)
def test_what_cannot_be_used_says_why(
    name: str, error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name.startswith("cohere"):
        monkeypatch.setattr("anamnesis.models.provided.find_spec", lambda _: True)
    with pytest.raises(error, match=message):
        load_embedder(name)
