import re
from datetime import date

import pytest

from anamnesis.corpus import starter
from anamnesis.corpus.loading import Report, read
from anamnesis.errors import CorpusError

CATEGORIES = ("condition", "medicine", "prevention", "first-aid", "test")


def test_every_record_is_whole_and_can_be_checked() -> None:
    report = Report()
    records = list(read("starter", report=report))
    assert len(records) >= 200
    assert not report.problems
    for record in records:
        assert record.title
        assert record.question.endswith("?")
        assert record.source
        assert re.match(r"https://[\w.-]+/", record.url), record.id
        assert record.metadata["category"] in CATEGORIES
        assert date.fromisoformat(str(record.metadata["reviewed"])) >= date(2024, 1, 1)


def test_each_record_has_questions_in_other_words() -> None:
    every = [item for record in read("starter") for item in record.metadata["asked_as"]]  # type: ignore[union-attr]
    assert len(every) == 4 * len(list(read("starter")))
    assert len({str(item).lower() for item in every}) == len(every)
    assert all(isinstance(item, str) and 5 < len(item) < 400 for item in every)


def test_a_damaged_line_is_an_error_that_says_where() -> None:
    with pytest.raises(CorpusError, match=r"starter/a\.jsonl, line 3: not a record"):
        starter._record('{"id": "x"}', "starter/a.jsonl, line 3")


def test_medicines_have_their_brand_names() -> None:
    records = {record.id: record for record in read("starter")}
    assert "nurofen" in records["starter-ibuprofen-pregnancy"].metadata["aliases"]  # type: ignore[operator]
    named = {record.focus: record.metadata.get("aliases", ()) for record in records.values()}
    # What is called paracetamol elsewhere has the same brands.
    assert {"tylenol", "acetaminophen"} <= set(named["Paracetamol"])  # type: ignore[arg-type]
    assert {"tylenol", "paracetamol"} <= set(named["Acetaminophen"])  # type: ignore[arg-type]
    assert all(focus.lower() not in names for focus, names in named.items())  # type: ignore[operator]
    assert not named["Gout"]


def test_each_further_name_is_one_of_a_record_and_of_no_other() -> None:
    records = list(read("starter"))
    assert set(starter._names()) <= {record.focus for record in records}
    listed = [name for names in starter._names().values() for name in names]
    assert len(listed) == len(set(listed))
    assert not {name.lower() for name in listed} & {record.focus.lower() for record in records}
    [warfarin] = {record.metadata["aliases"] for record in records if record.focus == "Warfarin"}
    assert {"coumadin", "jantoven", "marevan"} <= set(warfarin)
