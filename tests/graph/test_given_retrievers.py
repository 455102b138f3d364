"""Retrievers and stores of others that lack something, or refuse something."""

import time
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from anamnesis import RunError, SettingError
from graph import build_graph
from retrievers import given_documents
from retrievers.corpus import place_of
from retrievers.filter import Filter, Filtered, filtered
from retrievers.given_documents import NativelyFiltered
from retrievers.langchain import HybridRetriever
from retrievers.retriever_corpus import RetrieverCorpus
from retrievers.search import search
from tests.graph.conftest import ASK, ASTHMA, Always
from tests.graph.test_given_parts import ANYTHING, Fixed, Hashed, asked, asthma


class Nothing(Fixed):
    """A retriever that implements no method."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        raise NotImplementedError


class Counting(InMemoryVectorStore):
    """A store that ranks nothing, and notes how long a list it is asked for."""

    asked: list[int]

    def similarity_search_with_score(self, query: str, k: int = 4, **more: Any) -> Any:
        self.asked.append(k)
        rows = [*self.store.values()][:k]
        return [(Document(row["text"], id=row["id"], metadata=row["metadata"]), 1) for row in rows]


class Refusing(InMemoryVectorStore):
    """A store that gives nothing by id, with a provider's message."""

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        raise ConnectionError("no answer from https://key@store.test")


class Noting(InMemoryVectorStore):
    """A store that notes with what it is searched, and how many documents it gave."""

    searches: list[tuple[int, set[str], int]]

    def similarity_search_with_score(self, query: str, k: int = 4, **more: Any) -> Any:
        found = super().similarity_search_with_score(query, k=k, **more)
        self.searches.append((k, {*more}, len(found)))
        return found


class Short(InMemoryVectorStore):
    """A store that refuses long lists, as servers do."""

    def similarity_search_with_score(self, query: str, k: int = 4, **more: Any) -> Any:
        if k > 1000:
            raise ValueError("top_k must be at most 1000")
        return super().similarity_search_with_score(query, k=k, **more)


class Matching(Fixed):
    """A retriever that writes the question into the metadata of its document."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(ASTHMA, id="a", metadata={"title": "On asthma", "matched": query})]


def until_searched(run: Any) -> None:
    """Let a run of the graph go on until its search has ended."""
    for step in run:
        if "retrieve" in step:
            return


def test_a_run_does_not_show_metadata_of_another_run(no_home: object) -> None:
    graph = build_graph(retriever=Matching(documents=[]), reranker=Always())
    mine = graph.stream(ASK, context=ANYTHING, stream_mode="updates")
    until_searched(mine)
    other = {"question": "My HIV and asthma: what are the symptoms of asthma?"}
    graph.invoke(other, context=ANYTHING)  # type: ignore[arg-type]
    [answer] = [step["remember"]["answer"] for step in mine if "remember" in step]
    [source] = answer["sources"]
    assert "HIV" not in source["metadata"]["matched"]
    assert "asthma" in source["metadata"]["matched"]


def test_copies_for_several_groups_are_read_by_all_of_them(no_home: object) -> None:
    copies = [Document(ASTHMA, id="a", metadata={"access": text}) for text in ("staff", "nurses")]
    asking: list[str] = []
    graph = build_graph(
        retriever=Fixed(documents=copies), reranker=Always(),
        filter=lambda runtime: Filter(access=(asking[-1],)),
    )  # fmt: skip
    asking.append("staff")
    mine = graph.stream(ASK, context=ANYTHING, stream_mode="updates")
    until_searched(mine)
    asking.append("nurses")
    assert graph.invoke(ASK, context=ANYTHING)["answer"]["sources"]
    asking.append("staff")
    [answer] = [step["remember"]["answer"] for step in mine if "remember" in step]
    assert [source["metadata"]["access"] for source in answer["sources"]] == ["staff"]


def test_what_is_kept_for_other_runs_has_no_metadata_but_labels() -> None:
    known = {"title": "On asthma", "date": "2024", "access": ["staff"], "source_type": "review"}
    document = Document(ASTHMA, id="a", metadata={**known, "matched": "HIV"})
    corpus = RetrieverCorpus(Fixed(documents=[document]))
    run = corpus.for_run()
    [hit] = search(run, "asthma")
    [passage], [others] = run.passages([hit["id"]]), corpus.for_run().passages([hit["id"]])
    assert passage.metadata["matched"] == "HIV"
    assert (others.title, others.text) == ("On asthma", ASTHMA)
    assert others.metadata == {name: passage.metadata[name] for name in known if name != "title"}
    twice = Filtered(Filtered(corpus, Filter(access=("staff",))), Filter(access=("staff",)))
    assert place_of(twice) == place_of(corpus) == "Fixed"
    again = twice.for_run()
    [hit] = search(again, "asthma")
    assert again.passages([hit["id"]])[0].metadata["matched"] == "HIV"


def test_our_retriever_over_a_retriever_gives_its_metadata() -> None:
    found = HybridRetriever(index=RetrieverCorpus(Matching(documents=[]))).invoke("asthma")
    assert [document.metadata["matched"] for document in found] == ["asthma"]


def test_a_retriever_that_finds_no_list_or_implements_nothing_is_named_with_what_it_lacks(
    no_home: object,
) -> None:
    with pytest.raises(RunError, match="gave an object of NoneType; give a retriever whose invoke"):
        asked(RunnableLambda(lambda query: None))
    with pytest.raises(RunError, match=r"Nothing does not implement its method: _get_"):
        asked(Nothing(documents=[]))


def test_a_store_that_refuses_long_lists_is_searched_as_far_as_it_goes(no_home: object) -> None:
    store = Short(Hashed())
    hidden = {"access": "staff"}
    store.add_documents([Document(f"Gout {n}.", id=f"s{n}", metadata=hidden) for n in range(1500)])
    assert asked(store, filter=Filter())["outcome"] == "abstained"
    store.add_documents([asthma()])
    answer = asked(store, filter=Filter())
    assert [source["id"] for source in answer["sources"]] == ["a-1"]


def test_a_user_who_may_read_few_documents_does_not_read_the_whole_store(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(given_documents, "SURE", 200)
    monkeypatch.setattr(given_documents, "MOST", 400)
    store = Counting(Hashed())
    hidden = {"access": ["staff"]}
    for n in range(1000):
        store.store[str(n)] = {"id": str(n), "text": f"Gout {n}.", "metadata": hidden}
    store.asked = []
    corpus = RetrieverCorpus(store)
    assert search(filtered(corpus, Filter()), "gout", k=10) == []
    assert store.asked == [74, 200, 400]
    assert "only the nearest 400 documents are considered" in caplog.text
    store.asked.clear()
    assert len(search(filtered(corpus, Filter(access=("staff",))), "gout", k=10)) == 10
    assert store.asked == [74]
    store.asked.clear()
    # A filter over a filtered corpus is not the engine's own.
    twice = filtered(filtered(corpus, Filter(access=("staff",))), Filter())
    assert search(twice, "gout", k=10) == []
    assert max(store.asked) == 400


@pytest.mark.parametrize("filled", [True, False])
def test_a_store_that_gives_nothing_by_id_is_logged_and_not_shown(
    filled: bool, caplog: pytest.LogCaptureFixture, no_home: object
) -> None:
    store = Refusing(Hashed())
    store.add_documents([asthma()] if filled else [])
    assert asked(store)["outcome"] == ("answered" if filled else "abstained")
    assert RetrieverCorpus(store).find(["r1#0"]) == {}
    with pytest.raises(SettingError, match="no passage 'r1#0'"):
        RetrieverCorpus(store).passages(["r1#0"])
    assert "get_by_ids of Refusing failed" in caplog.text


@pytest.mark.parametrize("store", [Fixed(documents=[asthma()]), Refusing(Hashed())])
def test_what_cannot_be_asked_for_by_id_is_kept_for_some_minutes(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(store, Refusing):
        store.add_documents([asthma()])
    corpus = RetrieverCorpus(store)
    [hit] = search(corpus, "asthma")
    assert [passage.text for passage in corpus.passages([hit["id"]])] == [ASTHMA]
    later = time.monotonic() + given_documents.SECONDS + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert corpus.find([hit["id"]]) == {}


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_groups_may_be_any_collection(kind: Any, no_home: object) -> None:
    document = Document(ASTHMA, id="a", metadata={"access": kind(["staff"])})
    given = Fixed(documents=[document])
    assert asked(given, filter=Filter(access=("staff",)))["sources"]
    assert not asked(given, filter=Filter(access=("nurses",)))["sources"]


@pytest.mark.parametrize(
    ("access", "readers"),
    [
        ("a,b", {"a,b"}),
        ('["a", "b, c"]', {"a", "b, c"}),
        (' ["a"]', {"a"}),
        ("[]", {"[]"}),
        ('["a"', {'["a"'}),
        ('["a", 1]', {'["a", 1]'}),
        ("[" * 100_000, {"[" * 100_000}),
    ],
)
def test_a_store_without_lists_has_several_groups_as_json(access: str, readers: set[str]) -> None:
    corpus = RetrieverCorpus(Fixed(documents=[Document(ASTHMA, metadata={"access": access})]))
    groups = ["", "a", "b", "b, c", "c", "[]", "a,b", access]
    assert {
        group for group in groups if search(filtered(corpus, Filter(access=(group,))), "asthma")
    } == readers
    assert not search(filtered(corpus, Filter()), "asthma")


def noting(documents: list[Document]) -> Noting:
    store = Noting(Hashed())
    store.add_documents(documents)
    store.searches = []
    return store


def readable(limits: Filter) -> dict[str, Any]:
    """What the store may give, in its own form."""
    if (groups := limits.access) is None:
        return {}
    return {"filter": lambda document: document.metadata.get("access") in (None, *groups)}


def everything(limits: Filter) -> dict[str, Any]:
    return {}


def no_arguments(limits: Filter) -> Any:
    return "x"


def test_a_store_filters_by_itself_where_that_is_given(no_home: object) -> None:
    hidden = {"access": "staff"}
    others = [Document(f"Asthma {n}.", id=f"s{n}", metadata=hidden) for n in range(300)]
    store = noting([*others, asthma()])
    given = NativelyFiltered(store, readable)
    answer = asked(given, filter=lambda runtime: Filter(access=("nurses",)))
    assert [source["id"] for source in answer["sources"]] == ["a-1"]
    [(_, names, found)] = store.searches
    assert (names, found) == ({"filter"}, 1)
    store.searches.clear()
    asked(given)
    assert {len(names) for _, names, _ in store.searches} == {0}


def test_what_a_store_lets_pass_is_filtered_all_the_same() -> None:
    store = noting([asthma(), Document("Asthma.", id="s", metadata={"access": "staff"})])
    corpus = RetrieverCorpus(NativelyFiltered(store, everything))
    [hit] = search(filtered(corpus, Filter()), "asthma")
    assert hit["record_id"] == "a-1"
    assert not filtered(corpus, Filter()).find(
        [hit["id"] for hit in search(corpus, "asthma") if hit["record_id"] == "s"]
    )


def test_a_retriever_filters_by_itself_too() -> None:
    hidden = {"access": "staff"}
    others = [Document(f"Asthma {n}.", id=f"s{n}", metadata=hidden) for n in range(30)]
    store = noting([*others, asthma()])
    for kwargs, found in ((everything, 0), (readable, 1)):
        corpus = RetrieverCorpus(NativelyFiltered(store.as_retriever(), kwargs))
        assert len(search(filtered(corpus, Filter()), "Asthma 1.")) == found


def test_what_is_no_filter_of_a_store_is_refused() -> None:
    with pytest.raises(SettingError, match="search_kwargs: dict has no __call__; give a function"):
        NativelyFiltered(Fixed(documents=[]), {"filter": 1})  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="retriever: str has neither invoke"):
        build_graph(retriever=NativelyFiltered("store", readable))
    corpus = RetrieverCorpus(NativelyFiltered(Fixed(documents=[]), no_arguments))
    with pytest.raises(SettingError, match="search_kwargs: the function returned str; return a"):
        search(filtered(corpus, Filter()), "asthma")
