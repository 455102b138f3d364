"""``anamnesis evaluate`` as its user meets it, with stand-ins for models and once with ours."""

from pathlib import Path

import pytest

from app.cli.main import main
from tests.app.commands import assert_refused
from tests.app.measuring import CORPUS, CRITIC, PAIRS, QUERIES, RETRIEVAL, measured
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.usefixtures("at_starter")


@pytest.mark.usefixtures("cheap")
def test_the_library_scores_as_the_matrix_does(capsys: pytest.CaptureFixture[str]) -> None:
    result = measured([*RETRIEVAL, "--methods", "sparse,rank-bm25"], capsys)
    assert result["methods"]["rank-bm25"] == result["methods"]["sparse"]


@pytest.mark.usefixtures("cheap")
def test_a_split_is_kept_and_the_seed_decides_the_intervals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, again, other = (
        measured([*CRITIC, "--split", "test", "--seed", seed], capsys) for seed in ("1", "1", "2")
    )
    assert first == again
    assert first["metrics"] != other["metrics"]
    assert first["configuration"]["pairs"]["used"] == 9


@pytest.mark.usefixtures("cheap")
def test_retrieval_is_measured_by_all_methods(capsys: pytest.CaptureFixture[str]) -> None:
    result = measured(RETRIEVAL, capsys)
    assert list(result["methods"]) == ["sparse", "dense", "hybrid", "reranked"]
    for metrics in result["methods"].values():
        assert list(metrics) == ["ndcg@10", "mrr@10", "precision@10", "recall@10", "hit@1"]
    # The stand-in reranker finds all passages equal: the order stays.
    assert result["methods"]["reranked"] == result["methods"]["hybrid"]
    assert len(result["comparisons"]) == 6
    assert result["comparisons"][-1]["p"] == 1
    configuration = result["configuration"]
    assert configuration["corpus"]["documents"] == 12
    queries = configuration["queries"]
    assert (queries["used"], queries["excluded"], queries["relevant"]) == (8, 1, 11)
    assert queries["relevant_not_in_corpus"] == 0
    assert configuration["embedder"]["fingerprint"] == "hash-1"


@pytest.mark.usefixtures("cheap")
def test_methods_gain_and_split_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = [*RETRIEVAL, "--methods", "dense, sparse", "--split", "test"]
    linear, exponential = (
        measured([*chosen, "--gain", gain], capsys) for gain in ("linear", "exponential")
    )
    assert list(linear["methods"]) == ["dense", "sparse"]
    assert linear["configuration"]["queries"]["used"] == 7
    assert linear["configuration"]["reranker"] is None
    assert exponential["configuration"]["gain"] == "exponential"


@pytest.mark.usefixtures("cheap")
def test_the_number_of_re_ranked_passages_is_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert measured([*RETRIEVAL, "--rerank-depth", "3"], capsys)["methods"]["reranked"]


@pytest.mark.usefixtures("cheap")
def test_relevant_documents_that_the_corpus_lacks_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "1", "text": "gout", "relevant": {"gout": 1, "plague": 1}}\n')
    texts = ["evaluate", "retrieval", "--corpus", CORPUS, "--queries", str(queries)]
    result = measured([*texts, "--methods", "sparse"], capsys)
    assert result["configuration"]["queries"]["relevant_not_in_corpus"] == 1
    assert result["methods"]["sparse"]["recall@10"]["mean"] == 0.5
    assert main([*texts, "--methods", "sparse"]) == 0
    assert "1 not in the corpus" in capsys.readouterr().out


@pytest.mark.usefixtures("cheap")
def test_queries_are_drawn_by_subject_both_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "own.csv"
    rows = [
        f"What of {t} {n}?,{t} is number {n}.,{t}"
        for t in "gout mumps rabies".split()
        for n in range(5)
    ]
    corpus.write_text("question,answer,focus\n" + "\n".join(rows) + "\n")
    texts = ["evaluate", "retrieval", "--corpus", str(corpus), "--format", "csv", "--runs", "2"]
    texts += ["--sample", "4", "--methods", "sparse"]
    with_it, without = (
        measured([*texts, "--protocol", name], capsys) for name in ("focus", "focus-own-left-out")
    )
    assert with_it["configuration"]["queries"]["relevant"] == 8 * 5
    assert without["configuration"]["queries"]["relevant"] == 8 * 4
    assert with_it["methods"]["sparse"]["precision@10"]["mean"] == 0.5
    assert without["methods"]["sparse"]["precision@10"]["mean"] == 0.4
    assert set(with_it["runs"]["sparse"]["hit@1"]) == {"mean", "sd"}
    assert main([*texts, "--protocol", "focus"]) == 0
    assert "mean ± sd of the runs" in capsys.readouterr().out


@pytest.mark.usefixtures("cheap")
def test_a_preset_searches_as_its_paper_does(capsys: pytest.CaptureFixture[str]) -> None:
    found = [
        measured([*RETRIEVAL, "--methods", "hybrid", *more], capsys)["configuration"]["settings"]
        for more in ([], ["--preset", "sparse-dense"])
    ]
    names = ("reduce_query", "query_adapter", "fusion", "candidates", "rerank_by")
    assert [found[1][name] for name in names] == [False, False, "rrf", 30, "reranker"]
    assert found[0]["reduce_query"]


def test_an_index_is_kept_and_used_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = HashEmbedder()
    monkeypatch.setattr("app.evaluate.retrieval.load_embedder", lambda reference: embedder)
    kept = [*RETRIEVAL, "--methods", "sparse,dense", "--index", str(tmp_path / "index")]
    first = measured(kept, capsys)
    calls = len(embedder.calls)
    again = measured(kept, capsys)
    assert calls == len(embedder.calls) == 12
    assert first["methods"] == again["methods"]


@pytest.mark.usefixtures("cheap")
def test_the_index_of_the_application_is_left_alone(
    starter_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = (starter_home / "index" / "manifest.json").read_bytes()
    assert main([*RETRIEVAL, "--index", str(starter_home / "index")]) == 2
    assert "starter" in capsys.readouterr().err
    assert (starter_home / "index" / "manifest.json").read_bytes() == manifest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "critic", "--pairs", "nowhere.jsonl"], "nowhere.jsonl"),
        (["evaluate", "critic", "--pairs", QUERIES], "queries.jsonl, line 1"),
        ([*CRITIC, "--split", "train"], "there are: test, dev"),
        ([*CRITIC, "--seed", "-1"], "seed"),
        ([*CRITIC, "--critic", "nonsense"], "nonsense"),
        (["evaluate", "retrieval", "--corpus", "nowhere", "--queries", QUERIES], "nowhere"),
        (["evaluate", "retrieval", "--corpus", PAIRS, "--queries", QUERIES], "pairs.jsonl"),
        (["evaluate", "retrieval", "--corpus", CORPUS, "--queries", CORPUS], "relevant"),
        (["evaluate", "retrieval", "--corpus", CORPUS, "--queries", "nowhere"], "nowhere"),
        ([*RETRIEVAL, "--split", "train"], "there are: test, dev"),
        ([*RETRIEVAL, "--methods", "sparse,magic"], "'magic'"),
        ([*RETRIEVAL, "--methods", ""], "''"),
        ([*RETRIEVAL, "--rerank-depth", "0"], "rerank_depth: Input should be greater"),
        ([*RETRIEVAL, "--protocol", "focus"], "leave out --queries"),
        (["evaluate", "retrieval", "--corpus", CORPUS], "needs --queries"),
        ([*RETRIEVAL, "--protocol", "liveqa"], "queries.jsonl, line 1"),
        ([*RETRIEVAL, "--protocol", "liveqa", "--gain", "exponential"], "gains already"),
        ([*RETRIEVAL, "--reranker", "nonsense"], "nonsense"),
        ([*RETRIEVAL, "--embedder", "nonsense"], "nonsense"),
    ],
)
def test_wrong_options_are_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(arguments, said, capsys)


def test_the_models_that_come_with_the_installation_are_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(RETRIEVAL) == 0
    out = capsys.readouterr().out
    for said in ("12 records read", "8 queries, 1 more", "reranked", "median ms", "dense − sparse"):
        assert said in out
    assert main([*CRITIC, "--critic", "similarity"]) == 0
    out = capsys.readouterr().out
    for said in ("10 pairs", "auroc", "binary_f1 (τ 0.8)", "coverage", "no three-way metrics"):
        assert said in out
    result = measured(RETRIEVAL, capsys)
    # A paraphrase without a shared word is found by the embedder alone.
    assert (
        result["methods"]["dense"]["hit@1"]["mean"] > result["methods"]["sparse"]["hit@1"]["mean"]
    )
