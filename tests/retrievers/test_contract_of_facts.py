"""What every ``Corpus`` that holds facts finds among them: what the files find."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anamnesis.corpus.record import Record
from anamnesis.corpus.triplets import Fact, record
from anamnesis.errors import CorpusError, SettingError
from retrievers import postgres_lists, postgres_tables
from retrievers.corpus import Corpus, Found
from retrievers.facts import FactQuery, FactSearch
from retrievers.filter import Filter, filtered
from retrievers.search import search
from tests.retrievers.engines import ENGINES, Engine, Files
from tests.retrievers.test_contract import TEXTS, hits, records
from tests.retrievers.test_facts import ALIASES, TRIPLETS, facts

QUESTIONS = (
    ("fever", ()),
    ("May someone with wheezy bronchitis take propranolol?", ()),
    ("Which of these may lower a fever?", ("Penicillin", "Ibuprofen", "Warfarin")),
    ("?", ("Penicillin Tularaemia",)),
    ("Which of these is for chronic illness3?", ("Drug3", "Drug4")),
)
WAYS: tuple[FactSearch, ...] = ("broad", "refined", "names")
MANY = [(f"Drug{n}", "may_treat", f"Illness{n % 7}, chronic") for n in range(60)]
TREAT = "Which of these is for chronic illness3?"


HOLDING = tuple(engine for engine in ENGINES if engine.values[0].facts)
OTHERS = tuple(engine for engine in ENGINES if engine.values[0].written and engine not in HOLDING)


@pytest.fixture(params=HOLDING)
def holding(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    made: Engine = request.param(tmp_path)
    yield made
    made.close()


def fact_texts(corpus: Corpus, query: str, *options: str, k: int = 8) -> list[str]:
    """What the facts that are found say."""
    found = search(corpus, query, ("facts",), options=options, facts_k=k)
    return [passage.text for passage in corpus.passages([hit["id"] for hit in found])]


def assert_same(found: list[Found], expected: list[Found]) -> None:
    assert [hit.id for hit in found] == [hit.id for hit in expected]
    assert [hit.text for hit in found] == [hit.text for hit in expected]
    scores = [hit.score for hit in expected]
    assert [hit.score for hit in found] == pytest.approx(scores, abs=1e-3)


def test_facts_have_the_ids_and_scores_of_the_files(holding: Engine, tmp_path: Path) -> None:
    files = Files(tmp_path / "files")
    for each_engine in (holding, files):
        each_engine.put(facts(), "base")
        each_engine.put(records(TEXTS), "passages")
        each_engine.put(facts(MANY), "a second base")
    corpus, expected = holding.opened(), files.opened()
    for question, options in QUESTIONS:
        for how in WAYS:
            for k in (1, 4, 100):
                query = FactQuery(question, options, how, 5)
                assert_same(corpus.facts(query, k), expected.facts(query, k))
        # With another idf, the list of words has another order.
        lists: tuple[str, ...] = ("sparse", "dense", "facts")
        lists = lists if holding.floor else lists[1:]
        fused, whole = (
            search(corpus, question, lists, options=options) for corpus in (corpus, expected)
        )
        assert [(hit["id"], hit["ranks"]) for hit in fused] == [
            (hit["id"], hit["ranks"]) for hit in whole
        ]


@pytest.mark.parametrize("query", ["", "  \n", "?!", "\ud800", "\0", "%", "fever" * 1000])
def test_no_question_about_facts_is_an_error(holding: Engine, query: str) -> None:
    holding.put(facts(), "base")
    found = search(holding.opened(), query, ("facts",), options=[query], facts_k=3)
    assert bool(found) == bool(query.strip())


def test_facts_change_nothing_of_what_the_other_lists_find(holding: Engine) -> None:
    def state() -> object:
        corpus = holding.opened()
        vector = corpus.embedder.embed_queries(["gout treated"])[0]
        return (
            corpus.sparse("gout treated drug5", 20),
            corpus.dense(vector, 100),
            corpus.idf(["gout", "drug5", "nowhere"]),
            corpus.words("dru"),
            list(corpus.containing(["gout", "drug5"])),
        )

    holding.put(records(TEXTS), "passages")
    before = state()
    holding.put(facts(MANY), "base")
    assert state() == before
    corpus = holding.opened()
    assert len(corpus) == len(TEXTS) + len(MANY)
    assert corpus.manifest.facts == len(MANY)
    assert {name: collection.facts for name, collection in corpus.manifest.collections.items()} == {
        "base": True, "passages": False,
    }  # fmt: skip


def test_facts_are_brought_up_to_date_and_only_new_ones_are_embedded(holding: Engine) -> None:
    holding.put(facts(), "base")
    holding.put(records(TEXTS), "passages")
    writer = holding.opened().writer()
    assert writer.put(facts(), "base").unchanged == len(TRIPLETS)
    changes = writer.put(facts([*TRIPLETS[1:], ("Zinc", "may_treat", "Wilson disease")]), "base")
    assert (changes.added, changes.removed, changes.unchanged) == (1, 1, 5)
    assert changes.embedded == 1
    corpus = holding.opened()
    assert "Ibuprofen may treat Pyrexia." not in fact_texts(corpus, "ibuprofen for pyrexia")
    assert fact_texts(corpus, "wilson disease")[0] == "Zinc may treat Wilson disease."
    assert hits(corpus, "gout treated", k=1) == ["r0"]


def test_facts_can_be_taken_out_and_put_in_again(holding: Engine) -> None:
    holding.put(facts(), "base")
    holding.put(records(TEXTS), "passages")
    [gone] = [fact.id for fact in holding.opened().facts(FactQuery("wilson pyrexia"), 1)]
    assert holding.opened().writer().remove("base").removed == len(TRIPLETS)
    corpus = holding.opened()
    assert (len(corpus), corpus.manifest.facts, corpus.find([gone])) == (len(TEXTS), 0, {})
    assert fact_texts(corpus, "pyrexia") == []
    holding.put(facts(), "base")
    holding.opened().writer().remove("passages")
    assert fact_texts(holding.opened(), "What interacts with warfarin?")[0].startswith("Warfarin")
    assert hits(holding.opened(), "warfarin") == []


def test_facts_and_passages_are_not_put_into_one_collection(holding: Engine) -> None:
    holding.put(records(TEXTS[:2]), "one")
    for mixed in ([*records(TEXTS), *facts()], [*facts(), *records(TEXTS)]):
        with pytest.raises(CorpusError, match="fact, unlike the records before it"):
            holding.put(mixed, "one")
    assert len(holding.opened()) == 2


LIMITS = (
    (Filter(), {"kb", "other", "kb, other"}),
    (Filter(sources=("other",)), {"other"}),
    (Filter(kinds=("fact",)), {"kb", "other", "kb, other"}),
    (Filter(kinds=("document",)), set()),
    (Filter(since="2000"), set()),
)


def test_only_facts_that_pass_are_found(holding: Engine) -> None:
    bases = [("kb",), ("other",), ("kb", "other")]
    given = [
        record(Fact(*triplet, bases[n % 3]), ALIASES)
        for n, triplet in enumerate([*TRIPLETS, *MANY])
    ]
    holding.put(given, "base")
    holding.put(records(TEXTS), "passages")
    for limits, sources in LIMITS:
        corpus = filtered(holding.opened(), limits)
        count = sum(record.source in sources for record in given)
        for how in WAYS:
            for options in ([], ["Penicillin", "Ibuprofen"]):
                found = corpus.facts(FactQuery("Which drug for a fever?", options, how), len(given))
                assert {
                    passage.source for passage in corpus.passages([hit.id for hit in found])
                } == sources
                assert len(found) == count


def test_facts_of_all_scripts_come_back_as_they_are(holding: Engine) -> None:
    odd = ("Grippe – Ähnliches", "may_cause", "発熱 🤒 '; drop table names; --")
    long = ("Wort " * 1000, "may_cause", "x" * 5000)
    same = [record(Fact("Aspirin", "may_treat", "Pain", (f"kb{n}",)), {}) for n in range(300)]
    holding.put([*facts([odd, long]), *same], "base")
    corpus = holding.opened()
    [first, *_] = corpus.passages([fact.id for fact in corpus.facts(FactQuery("発熱 grippe"), 1)])
    assert first.names == ((odd[0],), (odd[2],))
    # A fact that many bases have is one of those that are found.
    assert len(set(texts := fact_texts(corpus, "aspirin for pain", k=2))) == len(texts) == 2


def test_facts_are_seen_before_readers_see_them_and_readers_keep_theirs(holding: Engine) -> None:
    holding.put(records(TEXTS), "passages")
    before = holding.opened()

    def refuse(draft: Corpus) -> None:
        assert fact_texts(draft, "warfarin")[0].startswith("Warfarin interacts")
        raise SettingError("no good")

    with pytest.raises(SettingError, match="no good"):
        before.writer().put(facts(), "base", accept=refuse)
    assert fact_texts(holding.opened(), "warfarin") == []
    holding.put(facts(), "base")
    reader = holding.opened()
    holding.put(facts(MANY), "base")
    assert fact_texts(reader, "warfarin")[0].startswith("Warfarin interacts")
    assert fact_texts(before, "warfarin") == []
    assert not any("Warfarin" in text for text in fact_texts(holding.opened(), "warfarin"))


def test_a_name_that_the_facts_have_is_no_misspelling(holding: Engine) -> None:
    holding.put([Record(f"p{n}", "Page", "Tularemia is rare.") for n in range(2)], "two")
    assert holding.opened().speller.nearest("tularaemia") == "tularemia"
    holding.put(facts(), "base")
    assert holding.opened().speller.nearest("tularaemia") is None


def test_of_many_facts_the_graph_finds_those_that_comparing_all_finds(
    holding: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_tables, "EXACT_UP_TO", 10)
    monkeypatch.setattr(postgres_lists, "NEAR", 40)
    files = Files(tmp_path / "files")
    for each_engine in (holding, files):
        each_engine.put(facts(MANY), "base")
        each_engine.put(records(TEXTS), "passages")
    options = ["Drug3", "Drug4", "Drug5"]
    for how in WAYS:
        for k in (3, 60):
            query = FactQuery(TREAT, options, how, 5)
            assert_same(holding.opened().facts(query, k), files.opened().facts(query, k))
    none = filtered(holding.opened(), Filter(sources=("none",)))
    assert none.facts(FactQuery(TREAT, options), 3) == []


@pytest.mark.parametrize("kind", OTHERS)
def test_an_engine_without_facts_names_one_that_has_them(
    kind: Callable[[Path], Engine], tmp_path: Path
) -> None:
    engine = kind(tmp_path)
    engine.put(records(TEXTS[:2]), "one")
    with pytest.raises(CorpusError, match="into an index folder or into PostgreSQL"):
        engine.put(facts(), "base")
    assert engine.opened().facts(FactQuery("fever"), 5) == []
    assert len(engine.opened()) == 2
    engine.close()
