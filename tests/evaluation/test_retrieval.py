"""Retrieval measured on scripted methods, and the application's own methods as rankings."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.models.reader import OwnReader
from anamnesis.models.reading import Reading
from anamnesis.models.reranker import Reranker
from evaluation.methods import check_methods, documents, hybrid, methods, rankers, reranked
from evaluation.metrics import CUT
from evaluation.reading import Query
from evaluation.results import Execution
from evaluation.retrieval import evaluate_retrieval
from graph import build_graph
from nodes.settings.context import Context
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder, ScriptedReader, WordCritic

CONTEXT = Context.model_validate({})
TOPICS = "asthma gout measles anaemia migraine eczema scurvy rabies cholera mumps malaria".split()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """A document for each topic; the first one is many passages that all speak of it."""
    folder = tmp_path_factory.mktemp("index")
    records = [Record(topic, topic.title(), f"{topic} is a disease.") for topic in TOPICS]
    long = " ".join(f"The disease asthma has the sign number {n} of many." for n in range(200))
    records[0] = Record("asthma", "Asthma", long)
    build(records, folder, HashEmbedder(), "test")
    opened = Index.open(folder, HashEmbedder())
    yield opened
    opened.close()


QUERIES = [
    Query("1", "gout", {"gout": 2, "asthma": 1}),
    Query("2", "mumps", {"mumps": 1}),
    Query("3", "plague", {"plague": 1}),
    Query("4", "nothing", {"gout": 0}),
    Query("5", "nothing", {}),
]


def _by_length(query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
    """Scores that surely prefer short passages, whatever was asked."""
    # Log-odds so far apart that the place in the fused list makes no difference.
    lengths = sorted({len(text) for _, text in passages})
    return [1 / (1 + math.exp(5 * lengths.index(len(text)) - 10)) for _, text in passages]


BY_LENGTH = ScriptedReader(_by_length, "by length")


def test_methods_are_measured_and_compared_on_the_same_queries(index: Index) -> None:
    methods = {"right": lambda query: [query], "wrong": lambda query: ["rabies", query, query]}
    result = evaluate_retrieval(index, QUERIES, methods, Execution(resamples=50))
    right, wrong = result.methods["right"], result.methods["wrong"]
    assert right["mrr@10"].mean == right["hit@1"].mean == 1
    assert right["recall@10"].mean == pytest.approx((0.5 + 1 + 1) / 3)
    assert wrong["mrr@10"].mean == 0.5
    assert wrong["precision@10"].mean == pytest.approx(0.1)
    found = result.comparisons["right", "wrong"]
    expected = wrong["ndcg@10"].mean - right["ndcg@10"].mean
    assert found.difference.mean == pytest.approx(expected)
    assert 0 < found.p <= 1
    assert set(result.median_ms) == {"right", "wrong"}


def test_what_cannot_be_measured_or_found_is_counted(index: Index) -> None:
    result = evaluate_retrieval(index, QUERIES, {"none": lambda _: []}, Execution(resamples=5))
    assert result.counts == (3, 2, 4, 1)
    assert result.best == {"precision@10": pytest.approx((0.2 + 0.1 + 0.1) / 3), "recall@10": 1}
    assert result.methods["none"]["ndcg@10"] == (0, 0, 0)
    assert result.comparisons == {}


def test_the_gain_of_a_grade_is_chosen(index: Index) -> None:
    methods = {"second": lambda _: ["asthma", "gout"]}
    linear, exponential = (
        evaluate_retrieval(index, QUERIES[:1], methods, Execution(resamples=5), gain=gain)
        .methods["second"]["ndcg@10"].mean
        for gain in ("linear", "exponential")
    )  # fmt: skip
    assert exponential < linear < 1


def test_the_json_has_methods_with_estimates_and_comparisons(index: Index) -> None:
    methods = {"a": lambda query: [query], "b": lambda query: []}
    result = evaluate_retrieval(index, QUERIES, methods, Execution(resamples=5)).to_json()
    assert set(result["methods"]["a"]["ndcg@10"]) == {"mean", "low", "high"}
    [comparison] = result["comparisons"]
    assert (comparison["of"], comparison["less"], comparison["metric"]) == ("b", "a", "ndcg@10")
    assert comparison["difference"]["mean"] < 0


def test_without_queries_or_methods_there_is_nothing_to_measure(index: Index) -> None:
    with pytest.raises(SettingError, match="0 queries"):
        evaluate_retrieval(index, QUERIES[3:], {"a": lambda _: []})
    with pytest.raises(SettingError, match="0 methods"):
        evaluate_retrieval(index, QUERIES, {})


def test_progress_is_reported(index: Index) -> None:
    reported: list[tuple[int, int]] = []
    evaluate_retrieval(
        index,
        QUERIES,
        {"a": lambda _: []},
        Execution(resamples=2, progress=lambda *progress: reported.append(progress)),
    )
    assert reported == [(1, 3), (2, 3), (3, 3)]


def test_a_document_ranks_where_its_best_passage_does(index: Index) -> None:
    assert len(index) > len(TOPICS) + 10
    for name, rank in rankers(index, ["sparse", "dense", "hybrid"], "similarity", CONTEXT).items():
        found = rank("asthma disease")
        assert found[0] == "asthma", name
        assert len(set(found)) == len(found), name
        # The fusion takes as many candidates as the graph's does, and these are all of one.
        assert len(found) >= CUT or name == "hybrid"
    hits = hybrid(index, "asthma disease", CONTEXT)
    assert documents(hits)[:1] == [hits[0]["record_id"]]


def test_reranking_orders_the_first_fused_passages_and_keeps_the_rest(index: Index) -> None:
    fused = [hit["id"] for hit in hybrid(index, "asthma disease", CONTEXT)]
    after = [hit["id"] for hit in reranked(index, "asthma disease", CONTEXT, BY_LENGTH)]
    n = CONTEXT.retrieval.rerank_depth
    assert after[n:] == fused[n:]
    assert sorted(after[:n]) == sorted(fused[:n])
    lengths = [len(passage.text) for passage in index.passages(after[:n])]
    assert lengths == sorted(lengths)


def test_a_query_that_finds_nothing_gives_an_empty_list(index: Index) -> None:
    for rank in rankers(index, ["sparse", "dense", "hybrid"], "similarity", CONTEXT).values():
        assert rank("") == []


def test_unknown_methods_are_refused_with_those_that_there_are() -> None:
    assert check_methods(["dense", "sparse", "dense"]) == ["dense", "sparse"]
    with pytest.raises(SettingError, match=r"'magic'.*sparse, dense, hybrid, reranked"):
        check_methods(["sparse", "magic"])
    with pytest.raises(SettingError, match="no method given"):
        check_methods([])
    assert methods() == ["sparse", "dense", "hybrid", "reranked", "rank-bm25"]


def test_an_index_is_not_changed_by_being_measured(index: Index, tmp_path: Path) -> None:
    before = sorted(path.name for path in index.folder.rglob("*"))
    evaluate_retrieval(index, QUERIES, rankers(index, ["sparse"], "similarity", CONTEXT))
    assert sorted(path.name for path in index.folder.rglob("*")) == before


class OwnByLength(OwnReader):
    """Counts as the project's reader, whose say is weighed otherwise than another's."""

    def __init__(self) -> None:
        self.name = "own by length"

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        return BY_LENGTH.read(question, passages)


def until_read(index: Index, reader: Reranker, query: str, context: Context) -> dict[str, Any]:
    """The state of a run when its passages have been read."""
    state: dict[str, Any] = {}
    for update in build_graph(index=index, reranker=reader, critic=WordCritic()).stream(
        {"question": query}, context=context, stream_mode="updates"
    ):
        state |= {name: value for step in update.values() for name, value in (step or {}).items()}
        if state.get("read"):
            break
    return state


@pytest.mark.parametrize(
    ("depth", "passages", "found", "read"), [(6, 3, 10, 6), (2, 3, 10, 3), (12, 3, 12, 12)]
)
def test_no_fewer_passages_are_read_than_are_given_and_ten_are_found(
    index: Index, depth: int, passages: int, found: int, read: int
) -> None:
    context = Context.model_validate(
        {"retrieval.rerank_depth": depth, "generator.passages": passages}
    )
    state = until_read(index, BY_LENGTH, "asthma disease", context)
    assert (len(state["hits"]), len(state["read"])) == (found, read)


@pytest.mark.parametrize(
    "reader",
    [BY_LENGTH, OwnByLength()],
    ids=lambda case: case.name,
)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"retrieval.candidates": 5},
        {"retrieval.fusion": "rrf"},
        {"retrieval.weights": {"sparse": 2.0}},
    ],
    ids=["few passages", "comparable", "rrf", "weights"],
)
def test_hybrid_and_reranked_order_as_the_graph_does(
    index: Index, reader: Reranker, settings: dict[str, Any]
) -> None:
    context = Context.model_validate(
        {"retrieval.min_relevance": 0.0, "retrieval.rerank_depth": 6, **settings}
    )
    query = "asthma disease"
    state = until_read(index, reader, query, context)
    assert state["queries"] == [query]
    fused = [hit["id"] for hit in hybrid(index, query, context)][:6]
    assert [hit["id"] for hit in state["hits"]][:6] == fused
    after = [hit["id"] for hit in reranked(index, query, context, reader)][:6]
    assert [passage["id"] for passage in state["read"]] == after != fused
