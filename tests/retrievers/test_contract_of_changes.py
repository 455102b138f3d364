"""What every ``Corpus`` does while it is changed, whichever engine is behind it."""

import threading

import pytest

from anamnesis.errors import AnamnesisError, SettingError
from anamnesis.language.text import digest
from retrievers.build import content_of
from retrievers.corpus import Corpus
from retrievers.search import search
from tests.retrievers.engines import Engine
from tests.retrievers.test_contract import TEXTS, asked, hits, record_of, records


def test_a_changed_record_is_found_by_what_it_says_now(engine: Engine) -> None:
    engine.put(records(TEXTS))
    before = engine.opened()
    [old] = [hit for hit in search(before, "vitamin", k=1) if hit["record_id"] == "r4"]
    new = "Scurvy was the plague of sailors."
    engine.put(records([*TEXTS[:4], new, *TEXTS[5:]]))
    corpus = engine.opened()
    [hit] = search(corpus, "plague of sailors", k=1)
    [passage] = corpus.passages([hit["id"]])
    assert (passage.record_id, passage.text) == ("r4", new)
    for found in asked(engine, corpus, "vitamin", 20).values():
        assert digest(TEXTS[4]) not in [hit.text for hit in found]
    assert corpus.find([old["id"]]).get(old["id"], passage).text == new


def test_a_removed_record_is_nowhere(engine: Engine) -> None:
    engine.put(records(TEXTS))
    [gone] = search(engine.opened(), "vitamin", k=1)
    engine.put(records(TEXTS[:4]))
    corpus = engine.opened()
    assert corpus.find([gone["id"]]) == {}
    for found in asked(engine, corpus, "vitamin scurvy rabies", 20).values():
        assert {record_of(hit.id) for hit in found} <= {f"r{n}" for n in range(4)}
    with pytest.raises(SettingError):
        corpus.passages([gone["id"]])


def test_collections_are_changed_by_themselves(engine: Engine) -> None:
    engine.put(records(TEXTS[:4]), "one")
    engine.put(records(TEXTS[4:], start=4), "two")
    assert set(hits(engine.opened(), "gout treated vitamin")) == {f"r{n}" for n in range(8)}
    engine.put([], "one")
    assert set(hits(engine.opened(), "gout treated vitamin")) == {f"r{n}" for n in range(4, 8)}


def test_a_text_that_many_records_have_is_one_hit_and_crowds_nothing_out(engine: Engine) -> None:
    same = "This condition is inherited in an autosomal recessive pattern."
    engine.put(records([*TEXTS, *[same] * 10_000]))
    corpus = engine.opened()
    found = search(corpus, "Is the condition inherited?", k=5)
    texts = [passage.text for passage in corpus.passages([hit["id"] for hit in found])]
    assert texts.count(same) == 1
    assert len(set(texts)) == 5
    assert found == search(corpus, "Is the condition inherited?", k=5)


def test_readers_go_on_while_it_is_written(engine: Engine) -> None:
    """Each answer is that of one state or of the other, and no reader sees an error."""
    if not engine.written:
        pytest.skip("it is written by means of its own, which promise what they promise")
    states = [records(TEXTS), records([*TEXTS[1:], TEXTS[0]])]
    engine.put(states[0])
    right = {"r0", f"r{len(TEXTS) - 1}"}
    wrong: list[object] = []
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            try:
                corpus = engine.opened()
                [hit] = search(corpus, TEXTS[0], k=1)
                text = corpus.passages([hit["id"]])[0].text
                if hit["record_id"] not in right or text != TEXTS[0]:
                    wrong.append((hit, text))
            except (AnamnesisError, ValueError) as error:
                wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for turn in range(1, 6):
        engine.put(states[turn % 2])
    ended.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_a_reader_that_is_open_keeps_what_it_found(engine: Engine) -> None:
    engine.put(records(TEXTS))
    corpus = engine.opened()
    found = [hit["id"] for hit in search(corpus, "gout vitamin")]
    engine.put(records(["Something else is said now."]))
    if not engine.written:
        # A store has one state; what it no longer has may not be read.
        assert corpus.find(found) == {}
        return
    assert [passage.text for passage in corpus.passages(found)] == [
        TEXTS[int(record_of(key)[1:])] for key in found
    ]


def test_it_is_changed_by_its_writer_or_says_how_else(engine: Engine) -> None:
    engine.put(records(TEXTS))
    if not engine.written:
        with pytest.raises(SettingError, match="is not written from here"):
            engine.opened().writer()
        return
    writer = engine.opened().writer()
    changes = writer.put(records(["Beriberi is a lack of thiamine."], start=50), "two")
    assert (changes.added, changes.removed) == (1, 0)
    corpus = engine.opened()
    assert hits(corpus, "thiamine", k=1) == ["r50"]
    assert len(corpus) == len(TEXTS) + 1
    assert set(corpus.manifest.collections) == {"one", "two"}
    assert corpus.provenance(["r50"])["r50"]["indexed"]
    assert corpus.writer().remove("two").removed == 1
    assert "r50" not in hits(engine.opened(), "thiamine", k=20)
    with pytest.raises(SettingError, match="no collection"):
        engine.opened().writer().remove("two")


def test_a_generation_is_seen_before_readers_see_it(engine: Engine) -> None:
    if not engine.written:
        pytest.skip("it is written by means of its own")
    engine.put(records(TEXTS))
    writer = engine.opened().writer()
    held = {record.id: content_of(record) for record in records(TEXTS)}
    assert writer.content_hashes() == held
    new = records(["Beriberi is a lack of thiamine."], start=50)

    def refuse(draft: Corpus) -> None:
        assert hits(draft, "thiamine", k=1) == ["r50"]
        assert len(draft) == len(TEXTS) + 1
        assert hits(engine.opened(), "thiamine", k=1) != ["r50"]
        raise SettingError("no good")

    with pytest.raises(SettingError, match="no good"):
        writer.put(new, "two", accept=refuse)
    assert writer.content_hashes() == held
    assert len(engine.opened()) == len(TEXTS)
    seen: list[Corpus] = []
    writer.put(new, "two", accept=seen.append)
    assert len(seen) == 1
    assert hits(engine.opened(), "thiamine", k=1) == ["r50"]
    assert set(writer.content_hashes()) == {*held, "r50"}
