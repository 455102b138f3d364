"""Servers that fail, and replies that are none: each is named, and none is taken for a result."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anamnesis import ModelError, SettingError
from anamnesis.models import calling
from anamnesis.models import remote_client as client
from anamnesis.models.critic import load_critic
from anamnesis.models.embedding import load_embedder
from anamnesis.models.reference import parse, remote_chat_of
from anamnesis.models.reranker import load_reranker
from tests.model_servers import Reply, scripted

Replying = Callable[[Any], Reply | None]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting between tries, and a short patience."""
    monkeypatch.setattr(calling, "_wait", lambda _: 0.0)
    monkeypatch.setenv("ANAMNESIS_LIMIT_MODEL_READ_TIMEOUT", "0.3")
    monkeypatch.setenv("ANAMNESIS_LIMIT_MODEL_TIMEOUT", "5")


def unit_vectors(body: Any) -> Reply:
    return 200, [[float(len(text)), 1.0, 0.0] for text in body["inputs"]]


def openai(body: Any) -> Reply:
    rows = [{"index": n, "embedding": [float(len(t)), 1.0]} for n, t in enumerate(body["input"])]
    return 200, {"data": rows[::-1]}  # in any order


def test_vectors_come_by_their_place_and_have_length_one() -> None:
    with scripted(v1__embeddings=openai) as server:
        found = load_embedder(f"{server.address}/v1?api=openai&model=m&batch=3")
        vectors = found.embed_documents(["a", "bb", "ccc", "dddd"])
    wanted = np.array([[1, 1], [2, 1], [3, 1], [4, 1]], np.float32)
    assert np.allclose(vectors, wanted / np.linalg.norm(wanted, axis=1, keepdims=True))
    sent = [body for path, body, _ in server.asked if path == "/v1/embeddings"]
    # A sample text goes along with each request: see below.
    assert [len(body["input"]) for body in sent[-2:]] == [3, 3]
    assert {body["model"] for body in sent} == {"m"}


@pytest.mark.parametrize(("option", "window"), [("", 256), ("&window=512", 512)])
def test_a_server_that_does_not_say_its_window_is_taken_to_read_256_tokens(
    option: str, window: int
) -> None:
    with scripted(v1__embeddings=openai) as server:
        assert load_embedder(f"{server.address}/v1?api=openai{option}").window == window


def test_the_tokens_of_what_is_put_in_front_of_a_text_are_not_left_for_the_text() -> None:
    options = "window=100&document_prefix=title:%20&query_prefix=What%20is%20asked:%20"
    with scripted(v1__embeddings=openai) as server:
        found = load_embedder(f"{server.address}/v1?api=openai&{options}")
        sizes = found.count_tokens(["title: ", "What is asked: "])
    assert (found.window, found.query_window) == (100 - sizes[0], 100 - sizes[1])
    assert 0 < sizes[0] < sizes[1]


def test_the_request_to_cohere_says_what_is_a_question() -> None:
    def embed(body: Any) -> Reply:
        return 200, {"embeddings": {"float": [[1.0, 0.0] for _ in body["texts"]]}}

    with scripted(v2__embed=embed) as server:
        found = load_embedder(f"{server.address}?api=cohere&query_prefix=q:%20")
        found.embed_queries(["what?"])
        found.embed_documents(["that"])
    asked, body = (body for _, body, _ in server.asked[-2:])
    assert (asked["input_type"], asked["texts"][0]) == ("search_query", "q: what?")
    assert (body["input_type"], body["texts"][0]) == ("search_document", "that")


def test_another_model_has_another_fingerprint_and_the_same_one_the_same() -> None:
    def other(body: Any) -> Reply:
        return 200, [[1.0, float(len(text) % 7), 5.0] for text in body["inputs"]]

    def prints(reply: Replying) -> str:
        with scripted(embed=reply) as server:
            return load_embedder(f"{server.address}?api=tei").fingerprint

    assert prints(unit_vectors) == prints(unit_vectors)
    assert prints(unit_vectors) != prints(other)


def test_a_server_of_less_precision_has_the_same_fingerprint() -> None:
    rows = np.random.default_rng(3).normal(size=(2, 50, 384))

    def prints(noise: float) -> str:
        def vectors(body: Any) -> Reply:
            number = len(body["inputs"])
            return 200, (rows[0] + noise * rows[1])[:number].tolist()

        with scripted(embed=vectors) as server:
            return load_embedder(f"{server.address}?api=tei").fingerprint

    assert prints(0.0) == prints(1e-3) != prints(1.0)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (lambda _: (500, {"error": "SECRET"}), "answered with status 500"),
        (lambda _: (401, {"error": "SECRET"}), "refused the key"),
        (lambda _: (413, {}), "smaller batch"),
        (lambda _: (308, {}), "sends on to another address"),
        (lambda _: (429, {}), "is busy"),
        (lambda _: (200, b"SECRET no json"), "something other than JSON"),
        (lambda _: (200, b"cut SECRET"), "did not answer"),
        (lambda _: None, "did not answer"),
        (lambda _: (200, []), "0 vectors for 8 texts"),
        (lambda _: (200, {"data": "SECRET"}), "no vectors"),
        (lambda body: (200, [["SECRET"] for _ in body["inputs"]]), "no vectors"),
        (lambda body: (200, [[float("nan")] for _ in body["inputs"]]), "no vectors"),
        (lambda body: (200, [[1.0] * (n + 1) for n, _ in enumerate(body["inputs"])]), "no vectors"),
    ],
)
def test_what_is_no_reply_is_an_error_that_names_the_server(reply: Replying, expected: str) -> None:
    with scripted(embed=reply) as server, pytest.raises(ModelError) as found:
        load_embedder(f"{server.address}?api=tei")
    assert expected in str(found.value)
    assert server.address in str(found.value)
    assert "SECRET" not in str(found.value)


def test_what_passes_by_itself_is_tried_again_and_a_dead_server_is_left_alone() -> None:
    bad = 2

    def embed(body: Any) -> Reply:
        nonlocal bad
        bad -= 1
        return (503, {}) if bad >= 0 else unit_vectors(body)

    with scripted(embed=embed) as server:
        found = load_embedder(f"{server.address}?api=tei")
        assert found.dimensions == 3
    with pytest.raises(ModelError):
        found.embed_queries(["a"])
    for _ in range(3):
        with pytest.raises(ModelError):
            found.embed_queries(["a"])
    with pytest.raises(ModelError, match="is not called for"):
        found.embed_queries(["a"])


@pytest.mark.parametrize(
    "reply",
    [
        [],
        [{"index": 0}],
        [{"index": 0, "score": 1.5}],
        [{"index": 0, "score": "high"}],
        [{"index": 3, "score": 0.5}],
        {"score": 0.5},
    ],
)
def test_scores_that_are_none_are_an_error(reply: Any) -> None:
    with scripted(rerank=lambda _: (200, reply)) as server, pytest.raises(ModelError):
        load_reranker(f"{server.address}?api=tei")


def test_the_score_of_another_server_is_the_relevance_and_our_reader_reads() -> None:
    def rerank(body: Any) -> Reply:
        rows = [
            {"index": n, "relevance_score": 0.9 if "colchicine" in text else 0.2}
            for n, text in enumerate(body["documents"])
        ]
        return 200, {"results": rows[::-1]}

    passages = [("Gout", "Gout is treated with colchicine. It is a kind of arthritis."), ("", "A")]
    with scripted(v2__rerank=rerank) as server:
        found = load_reranker(f"{server.address}?api=cohere&model=r")
        one, other = found.read("how is gout treated", passages)
    assert (one.relevance, other.relevance) == (0.9, 0.2)
    assert [span[:2] for span in one.sentences] == [(0, 32), (33, 59)]
    assert one.sentences[0][2] > one.sentences[1][2]


@pytest.mark.parametrize(
    "reply",
    [
        [],
        [[]],
        [[{"label": "entailment"}]],
        [[{"label": "entailment", "score": 7}]],
        {"label": "entailment", "score": 1},
    ],
)
def test_labels_that_are_none_are_an_error(reply: Any) -> None:
    with (
        scripted(predict=lambda _: (200, reply)) as server,
        pytest.raises((ModelError, SettingError)),
    ):
        load_critic(f"{server.address}?api=tei")


def test_a_critic_judges_by_the_labels_of_a_server() -> None:
    def predict(body: Any) -> Reply:
        def row(premise: str, claim: str) -> list[dict[str, Any]]:
            sure = 0.9 if claim in premise else 0.05
            rest = {"neutral": 1 - sure, "contradiction": 0.0}
            scores = {"ENTAILMENT": sure, **rest}
            return [{"label": name, "score": score} for name, score in scores.items()]

        return 200, [row(*pair) for pair in body["inputs"]]

    with scripted(predict=predict) as server:
        critic = load_critic(f"{server.address}?api=tei&window=128")
        assert server.asked[-1][1]["truncate"] is False  # nothing of a passage is cut off there
        [[yes], [no]] = critic.judge(
            ["Gout hurts.", "Gout is mild."], [["Gout hurts. It is a kind of arthritis."]] * 2
        )
    assert yes.probability == pytest.approx(0.9, abs=1e-6)
    assert no.probability == pytest.approx(0.05, abs=1e-6)


def test_the_key_goes_to_its_address_and_stands_in_no_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted(embed=unit_vectors) as server, scripted(embed=unit_vectors) as other:
        monkeypatch.setenv("ANAMNESIS_KEY_WARD", f"{server.address} THE-KEY")
        found = load_embedder(f"{server.address}?api=tei")
        load_embedder(f"{other.address}?api=tei")
    assert {key for _, _, key in server.asked} == {"Bearer THE-KEY"}
    assert {key for _, _, key in other.asked} == {None}
    assert "THE-KEY" not in found.reference


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("http://host", "add the server's dialect"),
        ("http://host?api=soap", "add the server's dialect"),
        ("http://host?api=tei&batch=0", "batch='0' must be a whole number"),
        ("http://host?api=tei&window=many", "window='many' must be a whole number"),
        ("http://host?api=tei&size=3", "unknown option 'size'"),
        ("http://host:port?api=tei", "is not an address"),
        ("http://?api=tei", "is not an address"),
        ("http://host|own", "name it alone"),
    ],
)
def test_a_reference_out_of_form_is_refused(reference: str, expected: str) -> None:
    with pytest.raises(SettingError) as found:
        load_embedder(reference)
    assert expected in str(found.value)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(SettingError) as found:
        parse("http://me:SECRET@host?api=tei")
    assert "SECRET" not in str(found.value)
    with pytest.raises(SettingError) as found:
        parse("http://me:SECRET@host:port?api=tei")
    assert "SECRET" not in str(found.value)


@pytest.mark.parametrize("option", ["key", "api_key", "token", "password", "Authorization"])
def test_a_key_among_the_options_is_refused_and_not_repeated(option: str) -> None:
    with pytest.raises(SettingError, match="ANAMNESIS_KEY_NAME") as found:
        parse(f"http://host?api=tei&{option}=SECRET")
    assert "SECRET" not in str(found.value)


def test_what_a_patient_writes_leaves_the_machine_by_such_a_model() -> None:
    assert remote_chat_of("http://host:80?api=tei") == "http://host:80?api=tei"
    assert remote_chat_of("similarity:http://host:80?api=tei") == "http://host:80?api=tei"
    assert remote_chat_of("similarity:./query|./document") is None


def test_one_client_asks_a_server() -> None:
    reference = parse("http://host:81?api=tei")
    assert client.client_of(reference) is client.client_of(reference)
