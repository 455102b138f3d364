"""What every ``Corpus`` holds, whichever engine is behind it."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.language.text import tokenize
from retrievers.corpus import METHODS, Corpus, Found, require_corpus
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.engines import Engine, Files

TEXTS = (
    "Gout is treated with colchicine.",
    "Gout hurts in the big toe, and gout comes back.",
    "Asthma is treated with inhaled medicines that open the airways.",
    "Measles spreads through the air and causes a rash.",
    "Scurvy is a lack of vitamin C.",
    "Rabies is a disease of the nerves after a bite.",
    "Eczema itches. Creams help against the itch of eczema.",
    "Migraine hurts on one side of the head.",
)
QUERIES = ("gout treated", "What helps against the itch of eczema?", "air rash", "vitamin")
UNICODE = (
    "Die Grippe führt zu Fieber — über 39 °C.",
    "糖尿病は血糖値が高くなる病気です。",
    "التهاب المفاصل مرض شائع",
    "Fever 🤒 and e\u0301 and \u00e9 and ﬁ and İstanbul and straße",
    "'; drop table passages; -- and %s and \\ and \" and $1",
    "line one\nline two\ttab",
)


def records(texts: Sequence[str], start: int = 0) -> list[Record]:
    """Records that are nothing but their text, so that all of it is searched and nothing else."""
    return [Record(f"r{n}", "", text, source="Test") for n, text in enumerate(texts, start)]


def asked(engine: Engine, corpus: Corpus, query: str, k: int) -> dict[str, list[Found]]:
    """The lists of an engine, by name."""
    ways: dict[str, Callable[[], list[Found]]] = {
        "sparse": lambda: corpus.sparse(query, k),
        "dense": lambda: corpus.dense(corpus.embedder.embed_queries([query])[0], k),
        "retriever": lambda: corpus.further["retriever"](query, k),
    }
    return {name: ways[name]() for name in engine.lists}


def reference(name: str, texts: Sequence[str], query: str, floor: bool) -> dict[str, float]:
    """The scores that a list's formula gives, by record; what it does not find is left out."""
    if name == "sparse":
        words = [tokenize(text) for text in texts]
        bm25 = BM25Okapi(words)
        if not floor:
            counts = {word: sum(word in tokens for tokens in words) for word in bm25.idf}
            for word, n in counts.items():
                bm25.idf[word] = math.log(1 + (len(texts) - n + 0.5) / (n + 0.5))
        scores = bm25.get_scores(tokenize(query))
        return {f"r{n}": float(score) for n, score in enumerate(scores) if score > 0}
    embedder = HashEmbedder()
    products = embedder.embed_queries(texts) @ embedder.embed_queries([query])[0]
    return {f"r{n}": float(product) for n, product in enumerate(products)}


def record_of(key: str) -> str:
    return key.rpartition("#")[0]


def hits(corpus: Corpus, query: str, k: int = 10) -> list[str]:
    return [hit["record_id"] for hit in search(corpus, query, k=k)]


def test_it_has_all_that_a_corpus_has(engine: Engine) -> None:
    engine.put(records(TEXTS))
    assert require_corpus(corpus := engine.opened()) is corpus
    with pytest.raises(SettingError, match="part: str has no manifest, embedder"):
        require_corpus("text", "part")
    assert set(METHODS) <= set(dir(engine.opened()))


@pytest.mark.parametrize("query", QUERIES)
def test_every_list_has_the_scores_of_its_formula(engine: Engine, query: str) -> None:
    engine.put(records(TEXTS))
    corpus = engine.opened()
    for name, found in asked(engine, corpus, query, 20).items():
        expected = reference(name, TEXTS, query, engine.floor)
        scores = [hit.score for hit in found]
        assert scores == sorted(scores, reverse=True)
        assert {record_of(hit.id): hit.score for hit in found} == pytest.approx(expected, abs=1e-3)
        assert len(found) == len(expected)
        assert asked(engine, corpus, query, 2)[name] == found[:2]


def test_a_passage_that_was_found_is_there_by_its_id(engine: Engine) -> None:
    engine.put(records(TEXTS))
    corpus = engine.opened()
    for found in asked(engine, corpus, "gout treated", 20).values():
        passages = corpus.passages([hit.id for hit in found])
        assert [passage.id for passage in passages] == [hit.id for hit in found]
        assert [passage.digest for passage in passages] == [hit.text for hit in found]
        assert all(passage.text in TEXTS and passage.source == "Test" for passage in passages)
        assert {passage.record_id for passage in passages} <= {f"r{n}" for n in range(len(TEXTS))}


def test_what_is_not_there_is_not_found(engine: Engine) -> None:
    engine.put(records(TEXTS))
    corpus = engine.opened()
    assert corpus.find(["r0#nothing", "other#0", "", "#", "r0"]) == {}
    with pytest.raises(SettingError, match="no passage 'other#0'"):
        corpus.passages(["other#0"])
    assert corpus.passages([]) == []


def test_the_lists_are_fused_and_cut_alike(engine: Engine) -> None:
    engine.put(records(TEXTS))
    found = search(engine.opened(), "gout treated", k=3)
    assert len(found) == 3
    assert found[0]["record_id"] == "r0"
    assert set(found[0]["ranks"]) == set(engine.lists)
    assert found == search(engine.opened(), "gout treated", k=3)


@pytest.mark.parametrize("query", QUERIES)
def test_what_is_found_is_what_the_files_find(engine: Engine, query: str, tmp_path: Path) -> None:
    if "sparse" not in engine.lists:
        pytest.skip("its list is its own")
    files = Files(tmp_path / "files")
    for engine_of_list in (engine, files):
        engine_of_list.put(records(TEXTS[4:], start=4), "two")
        engine_of_list.put(records(TEXTS[:4]), "one")
    found, expected = (
        search(each_engine.opened(), query, k=5, reduce_query=True)
        for each_engine in (engine, files)
    )
    assert [hit["id"] for hit in found] == [hit["id"] for hit in expected]
    for one, other in zip(found, expected, strict=True):
        if not engine.floor:
            one["scores"].pop("sparse", None)
            other["scores"].pop("sparse", None)
        assert one["ranks"] == other["ranks"]
        assert one["scores"] == pytest.approx(other["scores"], abs=1e-3)


@pytest.mark.parametrize("text", UNICODE)
def test_texts_of_all_scripts_come_back_as_they_are(engine: Engine, text: str) -> None:
    engine.put(records([*TEXTS, text]))
    corpus = engine.opened()
    found = search(corpus, text, k=1)
    [passage] = corpus.passages([hit["id"] for hit in found])
    assert (passage.record_id, passage.text) == (f"r{len(TEXTS)}", text)


@pytest.mark.parametrize(
    "query", ["", "  \n", "?!", "\ud800", "\0", "the", "x" * 5000, "%", "a & b | !c:*", "gout'"]
)
def test_no_query_is_an_error(engine: Engine, query: str) -> None:
    engine.put(records(TEXTS))
    found = search(engine.opened(), query)
    assert bool(found) == bool(query.strip())


def test_an_engine_that_holds_nothing_finds_nothing(engine: Engine) -> None:
    engine.put([])
    corpus = engine.opened()
    assert search(corpus, "gout", ("sparse", "dense", "facts")) == []
    assert all(found == [] for found in asked(engine, corpus, "gout", 5).values())
    assert corpus.find(["r0#0"]) == {}
    assert corpus.words("g") == []
    assert list(corpus.containing(["gout"])) == []
    assert corpus.provenance(["r0"]) == {}
    assert corpus.speller.repair("goutt")[0] == "goutt"


def test_the_words_of_the_passages_are_known(engine: Engine) -> None:
    engine.put(records(TEXTS))
    corpus = engine.opened()
    if "sparse" not in engine.lists:
        # What another holds is unknown: no word is rare, none is repaired, none is looked up.
        assert corpus.idf(["gout", "nowhere"]) == [0.0, 0.0]
        assert list(corpus.containing(["gout"])) == corpus.words("gou") == []
        return
    often, once, never = corpus.idf(["is", "rabies", "nowhere"])
    assert never > once > often >= 0
    assert corpus.words("it") == ["itch", "itches"]
    assert [passage.record_id for passage in corpus.containing(["gout", "rabies"], ["is"])] == [
        "r0",
        "r5",
    ]
    assert len(list(corpus.containing(["is"], most=2))) == 2
    assert corpus.speller.repair("gout migrane")[0] == "gout migrane"


def test_vectors_are_compared_by_the_embedder_that_made_them(engine: Engine) -> None:
    engine.put(records(TEXTS))
    embedder = engine.opened().embedder
    vectors = embedder.embed_queries(["gout", "asthma"])
    assert vectors.shape == (2, embedder.dimensions)
    assert np.isfinite(vectors).all()
