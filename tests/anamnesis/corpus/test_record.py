import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FILLED = st.text(min_size=1).filter(str.strip)
RECORDS = st.builds(
    Record,
    id=FILLED,
    title=st.text(),
    text=FILLED,
    metadata=st.dictionaries(st.text(), JSON, max_size=3),
)


@given(RECORDS)
def test_json_gives_the_record_back(record: Record) -> None:
    assert Record.from_json(record.to_json()) == record


@given(RECORDS)
def test_pickle_and_copy_give_the_record_back(record: Record) -> None:
    assert pickle.loads(pickle.dumps(record)) == record
    assert copy.deepcopy(record) == record


def test_content_hash_ignores_the_order_of_metadata_only() -> None:
    one = Record("1", "t", "x", metadata={"a": 1, "b": {"c": [1, 2], "d": None}})
    same = Record("1", "t", "x", metadata={"b": {"d": None, "c": (1, 2)}, "a": 1})
    assert one.content_hash == same.content_hash
    changes: list[dict[str, Any]] = [
        {"id": "2"}, {"title": "u"}, {"text": "y"}, {"question": "q"}, {"source": "s"},
        {"url": "u"}, {"focus": "f"}, {"kind": "mcq"}, {"metadata": {"a": 1}},
    ]  # fmt: skip
    others = {Record.from_json(one.to_json() | change).content_hash for change in changes}
    assert len(others | {one.content_hash}) == len(changes) + 1


def test_content_hash_is_the_same_in_every_process() -> None:
    assert Record("1", "t", "x").content_hash == "962255fff9b8ce733aa9a258db2f502a"


def test_metadata_are_read_only_at_every_depth() -> None:
    given: dict[str, Any] = {"a": {"b": [1]}}
    record = Record("1", "t", "x", metadata=given)
    given["a"]["b"].append(2)
    assert record.to_json()["metadata"] == {"a": {"b": [1]}}
    with pytest.raises(TypeError):
        record.metadata["a"]["b"] = 1  # type: ignore[index]
    with pytest.raises(AttributeError):
        record.title = "other"  # type: ignore[misc]
    assert hash(record) == hash(Record("1", "t", "x"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": " "}, "blank id"),
        ({"text": "\n"}, "'1' has no text"),
        ({"kind": "poem"}, "Use one of qa"),
        ({"metadata": {"a": {1}}}, "metadata of type set"),
        ({"metadata": {"a": {1: 2}}}, "a key that is no string"),
    ],
)
def test_wrong_fields_are_refused_with_the_remedy(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        Record(**{"id": "1", "title": "t", "text": "x", **fields})


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(CorpusError, match="not a record"):
        Record.from_json({"id": "1", "title": "t", "text": "x", "colour": "red"})
