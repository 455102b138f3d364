import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError, IndexFolderError, ModelError, SettingError
from retrievers.build import Changes, build, remove
from retrievers.index import Index
from retrievers.manifest import read_manifest
from retrievers.writing import only_writer
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import QUERIES, Put, answers, record, records


def test_a_new_index_holds_every_record(put: Put, opened: Callable[[], Index]) -> None:
    assert put(records(10)) == Changes(added=10, embedded=10)
    index = opened()
    assert len(index) == 10
    (passage,) = index.passages(["r3#0"])
    assert passage.text == record(3).text
    assert passage.source == "Test"


def test_the_manifest_says_what_the_index_was_made_from(put: Put, folder: Path) -> None:
    put(records(10))
    put([record(20, "More. " * 60)], "two")
    manifest = read_manifest(folder)
    assert manifest.records == 11
    assert manifest.collections["one"].records == 10
    assert manifest.collections["two"].records == 1
    assert manifest.collections["two"].passages > 1
    assert manifest.passages == 10 + manifest.collections["two"].passages
    assert manifest.embedder.fingerprint == "hash-1"
    assert manifest.embedder.dimensions == HashEmbedder.dimensions


def test_nothing_is_done_again_for_the_same_records(put: Put, folder: Path) -> None:
    put(records(10))
    before = read_manifest(folder)
    assert put(reversed(records(10))) == Changes(unchanged=10)
    assert read_manifest(folder) == before


def test_only_what_changed_is_embedded_again(put: Put, opened: Callable[[], Index]) -> None:
    put(records(10))
    embedder = HashEmbedder()
    changes = put([*records(9)[1:], record(0, "New."), record(30)], embedder=embedder)
    assert changes == Changes(added=1, changed=1, removed=1, unchanged=8, embedded=2)
    assert len(embedder.calls) == 2
    assert "r9#0" not in opened().find(["r9#0"])


def test_a_change_of_metadata_alone_is_not_embedded(put: Put) -> None:
    put(records(3))
    same = record(0)
    other = Record(same.id, same.title, same.text, same.question, same.source, "https://u.test")
    assert put([other, *records(3)[1:]]) == Changes(changed=1, unchanged=2)


def test_passages_that_are_embedded_alike_are_embedded_once(put: Put) -> None:
    alike = [Record(f"a{n}", "Same", "The same text.", url=f"https://{n}.test") for n in range(5)]
    assert put(alike) == Changes(added=5, embedded=1)


NUMBERS = st.sets(st.integers(0, 12))


@settings(max_examples=10)
@given(st.lists(st.tuples(st.sampled_from("ab"), NUMBERS, st.booleans()), max_size=4))
def test_an_index_does_not_depend_on_how_it_came_about(
    steps: list[tuple[str, set[int], bool]],
) -> None:
    held: dict[str, list[Record]] = {}
    with TemporaryDirectory() as name:
        updated, fresh = Path(name) / "updated", Path(name) / "fresh"
        build([], updated, HashEmbedder(), "a")
        for collection, numbers, longer in steps:
            offset = 100 if collection == "b" else 0
            more = "It goes on. " * 30 if longer else ""
            held[collection] = [record(offset + number, more) for number in sorted(numbers)]
            build(held[collection], updated, HashEmbedder(), collection)
        build([], fresh, HashEmbedder(), "a")
        for collection, items in held.items():
            build(items, fresh, HashEmbedder(), collection)
        first, second = (Index.open(path, HashEmbedder()) for path in (updated, fresh))
        assert first.manifest.corpus == second.manifest.corpus
        assert first.manifest.collections == second.manifest.collections
        assert answers(first, QUERIES) == answers(second, QUERIES)
        first.close()
        second.close()


def test_collections_are_kept_apart(put: Put, opened: Callable[[], Index], folder: Path) -> None:
    put(records(4), "b")
    assert put([record(9)], "a") == Changes(added=1, embedded=1)
    assert put(records(3), "b") == Changes(removed=1, unchanged=3)
    index = opened()
    assert index.ids(range(len(index))) == ["r9#0", "r0#0", "r1#0", "r2#0"]
    assert remove(folder, "b") == Changes(removed=3)
    assert list(opened().manifest.collections) == ["a"]
    with pytest.raises(SettingError, match=r"'b'.*It has: a"):
        remove(folder, "b")


def test_one_id_in_two_collections_is_an_error_that_names_both(put: Put) -> None:
    put(records(2), "first")
    with pytest.raises(CorpusError, match=r"'r1'.*'second'.*'first'"):
        put([record(1)], "second")


@pytest.mark.parametrize("between", [0, 600])
def test_a_record_that_comes_twice_counts_once(put: Put, between: int) -> None:
    items = [record(0), *records(between + 1)[1:], record(0)]
    assert put(items) == Changes(added=between + 1, embedded=between + 1)


@pytest.mark.parametrize("between", [0, 600])
def test_one_id_with_two_contents_is_an_error(put: Put, between: int) -> None:
    items = [record(0), *records(between + 1)[1:], record(0, "Other.")]
    with pytest.raises(CorpusError, match="'r0'"):
        put(items)


def test_an_index_of_nothing_answers_nothing(put: Put, opened: Callable[[], Index]) -> None:
    assert put([]) == Changes()
    assert answers(opened(), ["gout"]) == [[], []]


def test_long_records_are_split_into_passages_that_fit_the_window(
    put: Put, opened: Callable[[], Index]
) -> None:
    text = " ".join(f"Sentence {n} has six words." for n in range(60))
    put([Record("long", "Long", text)])
    index = opened()
    passages = index.passages(index.ids(range(len(index))))
    assert len(passages) > 4
    assert all(text[p.start : p.end] == p.text for p in passages)
    embedder = HashEmbedder()
    assert max(embedder.count_tokens([p.embedded for p in passages])) <= embedder.window


def test_another_embedder_is_refused_unless_the_index_is_made_anew(put: Put, folder: Path) -> None:
    put(records(3))
    put([record(7)], "two")
    with pytest.raises(IndexFolderError, match=r"fake:hash-1.*fake:hash-2.*--rebuild"):
        put(records(3), embedder=HashEmbedder("hash-2"))
    changes = put(records(3), embedder=HashEmbedder("hash-2"), rebuild=True)
    assert changes == Changes(added=3, embedded=3)
    manifest = read_manifest(folder)
    assert manifest.embedder.fingerprint == "hash-2"
    assert list(manifest.collections) == ["one"]


def test_a_damaged_index_is_not_built_upon_but_can_be_made_anew(put: Put, folder: Path) -> None:
    put(records(3))
    next(folder.glob("generations/*/vectors.npy")).unlink()
    with pytest.raises(IndexFolderError, match=r"vectors\.npy is missing.*--rebuild"):
        put(records(4))
    assert put(records(4), rebuild=True) == Changes(added=4, embedded=4)


def test_a_folder_with_other_things_in_it_is_left_alone(put: Put, folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(IndexFolderError, match=r"thesis\.txt"):
        put(records(3))
    assert [path.name for path in folder.iterdir()] == ["thesis.txt"]


def test_a_second_writer_is_refused_and_the_first_named(put: Put, folder: Path) -> None:
    put(records(2))

    def meanwhile() -> Iterator[Record]:
        yield record(0)
        with pytest.raises(IndexFolderError, match="Another run is writing"):
            put(records(3))
        yield record(1)

    assert put(meanwhile()) == Changes(unchanged=2)
    with only_writer(folder):
        pass


def test_progress_is_reported_by_stage(put: Put) -> None:
    reported: list[tuple[str, int, int | None]] = []
    put(records(600), progress=lambda *step: reported.append(step))
    assert ("reading", 512, None) in reported
    assert ("reading", 600, None) in reported
    assert [step for step in reported if step[0] == "embedding"] == [
        ("embedding", done, 600) for done in (0, 512, 600)
    ]
    assert reported[-1] == ("writing", 600, 600)


def test_vectors_out_of_form_are_an_error_that_names_the_embedder(put: Put) -> None:
    class Broken(HashEmbedder):
        dimensions = 3

        def embed_queries(self, texts):  # type: ignore[no-untyped-def]
            return super().embed_queries(texts) * float("nan")

    with pytest.raises(ModelError, match="fake:hash-1"):
        put(records(2), embedder=Broken())


def test_nothing_but_the_newest_generation_stays(put: Put, folder: Path) -> None:
    for count in (3, 5, 4):
        put(records(count))
    generation = read_manifest(folder).generation
    assert [path.name for path in (folder / "generations").iterdir()] == [generation]
    names = {path.name for path in folder.iterdir()}
    assert names == {"manifest.json", "generations", "lock"}
    assert json.loads((folder / "manifest.json").read_text())["generation"] == generation


def test_a_blank_collection_name_is_refused(put: Put) -> None:
    with pytest.raises(SettingError):
        put(records(1), " ")
