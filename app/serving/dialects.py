"""What the routes answer, in the APIs of OpenAI, Text Embeddings Inference and Cohere.

An option that would change the answer, and that the models cannot do, is refused.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anamnesis.models.classifier import Pair
from anamnesis.models.encoder import Vectors
from anamnesis.models.reading import Reading
from app.serving.batching import Batcher
from app.serving.models import Served, base64_vectors, json_vectors
from app.serving.requests import (
    BadRequestError,
    Body,
    choices_in,
    count_in,
    documents_in,
    flag_in,
    is_one_pair,
    pairs_in,
    refuse_other,
    text_in,
    texts_in,
)

_FORMS: dict[str, Callable[[Vectors], list[Any]]] = {
    "float": json_vectors,
    "base64": base64_vectors,
}
_PURPOSES = ("search_document", "search_query", "classification", "clustering")


def openai_error(status: int, message: str) -> Body:
    """The body of an error of OpenAI."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def tei_error(status: int, message: str) -> Body:
    """The body of an error of Text Embeddings Inference."""
    kinds = {429: "Overloaded", 500: "Backend"}
    return {"error": message, "error_type": kinds.get(status, "Validation")}


def cohere_error(status: int, message: str) -> Body:
    """The body of an error of Cohere."""
    return {"message": message}


def openai_embeddings(served: Served, body: Body) -> Body:
    """``/v1/embeddings``"""
    form, given = body.get("encoding_format") or "float", body.get("input")
    refuse_other(body, "encoding_format", tuple(_FORMS))
    refuse_other(body, "dimensions", _dimensions(served))
    if isinstance(given, list) and any(isinstance(item, int | list) for item in given):
        raise BadRequestError(
            "input has the token numbers of another model's tokenizer, and this server takes texts "
            "only; send texts (LangChain: OpenAIEmbeddings(check_embedding_ctx_length=False))"
        )
    rows = _FORMS[form](_vectors(served.documents, texts_in(body, "input")))
    data = [{"object": "embedding", "index": n, "embedding": item} for n, item in enumerate(rows)]
    used = {"prompt_tokens": 0, "total_tokens": 0}
    return {"object": "list", "data": data, "model": served.info["model_id"], "usage": used}


def tei_embed(served: Served, body: Body) -> list[list[float]]:
    """``/embed``"""
    refuse_other(body, "normalize", (True,))
    refuse_other(body, "prompt_name")
    refuse_other(body, "dimensions", _dimensions(served))
    texts = texts_in(body, "inputs")
    queries, whole = flag_in(body, "query"), not flag_in(body, "truncate", True)
    return json_vectors(_embedded(served, body, texts, queries, whole))


def cohere_embed(served: Served, body: Body) -> Body:
    """``/v2/embed``"""
    refuse_other(body, "input_type", _PURPOSES)
    refuse_other(body, "output_dimension", _dimensions(served))
    refuse_other(body, "truncate", ("END", "NONE"))
    for name in ("inputs", "images", "max_tokens"):
        refuse_other(body, name)
    kinds = choices_in(body, "embedding_types", tuple(_FORMS), "float")
    texts = texts_in(body, "texts")
    queries, whole = body.get("input_type") == "search_query", body.get("truncate") == "NONE"
    vectors = _embedded(served, body, texts, queries, whole)
    return {"embeddings": {kind: _FORMS[kind](vectors) for kind in kinds}}


def tei_rerank(served: Served, body: Body) -> Any:
    """``/rerank``; with ``documents`` in place of ``texts`` in the form of Cohere, as in vLLM."""
    if "documents" in body and "texts" not in body:
        return cohere_rerank(served, body)
    refuse_other(body, "raw_scores", (False,))
    flag_in(body, "truncate")  # either is done: a longer text is read in parts
    texts, with_text = texts_in(body, "texts"), flag_in(body, "return_text")
    rows = _ranked(served, text_in(body, "query"), texts, "score")
    if with_text:
        return [{**row, "text": texts[row["index"]]} for row in rows]
    return rows


def cohere_rerank(served: Served, body: Body) -> Body:
    """``/v1/rerank`` and ``/v2/rerank``"""
    for name in ("max_tokens_per_doc", "max_chunks_per_doc", "rank_fields"):
        refuse_other(body, name)
    top, texts = count_in(body, "top_n"), documents_in(body)
    with_text = flag_in(body, "return_documents")
    rows = _ranked(served, text_in(body, "query"), texts, "relevance_score")[:top]
    if with_text:
        rows = [{**row, "document": {"text": texts[row["index"]]}} for row in rows]
    return {"results": rows}


def tei_predict(served: Served, body: Body) -> list[Any]:
    """``/predict``: the labels of each pair; of a single pair, not in a list, its labels alone."""
    refuse_other(body, "raw_scores", (False,))
    refuse_other(body, "truncation_direction", ("right", "Right"))
    cut = flag_in(body, "truncate", True)
    pairs = [(pair, cut) for pair in pairs_in(body, "inputs")]
    rows = [
        sorted(
            ({"label": name, "score": value} for name, value in item.items()),
            key=lambda one: -float(one["score"]),
        )
        for item in _asked(served.labels, "critic").ask(pairs)
    ]
    return rows[0] if is_one_pair(body, "inputs") else rows


def read(served: Served, body: Body) -> list[Body]:
    """``/read``: relevance, sentences and verdict of each passage, by the project's reader."""
    question = text_in(body, "question")
    pairs = pairs_in(body, "passages") if body.get("passages") != [] else []
    found = _readings(served, question, pairs) if pairs else []
    return [
        {"relevance": item.relevance, "sentences": item.sentences, "polar": item.polar}
        for item in found
    ]


def _vectors(queue: Batcher[str, Any] | None, texts: Sequence[str]) -> Vectors:
    return np.asarray(_asked(queue, "embedder").ask(texts), np.float32)


def _asked(queue: Any, what: str) -> Any:
    if queue is None:
        raise BadRequestError(f"this server has no {what}")
    return queue


def _dimensions(served: Served) -> tuple[int, ...]:
    return (served.info["dimensions"],) if "dimensions" in served.info else ()


def _embedded(
    served: Served, body: Body, texts: Sequence[str], queries: bool, whole: bool
) -> Vectors:
    """The vectors of documents or queries.

    To cut texts at their beginning is refused and, if they are to be read ``whole``, to cut them.
    """
    refuse_other(body, "truncation_direction", ("right", "Right"))
    if whole:
        served.refuse_overlong(texts, queries)
    return _vectors(served.queries if queries else served.documents, texts)


def _readings(served: Served, question: str, pairs: Sequence[Pair]) -> list[Reading]:
    found: list[Reading] = _asked(served.readings, "reranker").ask([(question, p) for p in pairs])
    return found


def _ranked(served: Served, query: str, texts: Sequence[str], name: str) -> list[Body]:
    found = _readings(served, query, [("", text) for text in texts])
    rows: list[Body] = [{"index": n, name: float(item.relevance)} for n, item in enumerate(found)]
    return sorted(rows, key=lambda item: -float(item[name]))
