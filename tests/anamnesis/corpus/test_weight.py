"""The type and the date of a source, and its place among others."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.loading import Report, read
from anamnesis.corpus.passage import split
from anamnesis.corpus.weight import TYPES, citation_rank, date_of, type_of
from anamnesis.errors import CorpusError, SettingError
from tests.fakes import count_words

STATED = st.sampled_from([*TYPES, None, "gossip"])
DATES = st.one_of(st.none(), st.dates().map(str), st.integers(1900, 2100).map(str))


def test_by_type_first_and_then_the_newest() -> None:
    order = ("guideline", "page")
    places = [
        citation_rank("guideline", "2010", order),
        citation_rank("guideline", None, order),
        citation_rank("page", "2024-03", order),
        citation_rank("page", "2024", order),
        citation_rank("page", "2023-12-31", order),
        citation_rank("opinion", "2025", order),
        citation_rank(None, None, order),
    ]
    assert places == sorted(places)
    assert len(set(places)) == len(places)


@given(st.lists(st.tuples(STATED, DATES), max_size=6), st.permutations(TYPES))
def test_the_order_is_total_and_does_not_depend_on_the_list(
    sources: list[tuple[str | None, str | None]], order: list[str]
) -> None:
    def ordered(some: list[tuple[str | None, str | None]]) -> list[tuple[int, int]]:
        return sorted(citation_rank(type_, date, order) for type_, date in some)

    assert ordered(sources) == ordered(sources[::-1])


def test_a_record_of_an_abstract_is_one_and_unknown_types_are_none() -> None:
    assert type_of({}, "abstract") == type_of({}, "snippet") == "abstract"
    assert type_of({"source_type": "guideline"}, "abstract") == "guideline"
    assert type_of({"source_type": "gossip"}) is type_of({"source_type": 3}) is type_of({}) is None
    assert date_of({"date": 2024}) == "2024"
    assert date_of({"date": "31.3.2024"}) is None


def test_columns_state_them_and_the_passages_keep_them(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(
        "question,answer,Date,Source_Type\nWhy?,So.,2024-03-31,guideline\nHow?,Thus.,,\n"
    )
    one, two = read("csv", [file])
    assert one.metadata == {"date": "2024-03-31", "source_type": "guideline"}
    assert two.metadata == {}
    [passage] = split(one, count_words)
    assert (type_of(passage.metadata), date_of(passage.metadata)) == ("guideline", "2024-03-31")


def test_an_unknown_type_is_listed_with_its_line_and_the_known_ones(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("question,answer,source_type\nWhy?,So.,gossip\nHow?,Thus.,page\n")
    report = Report()
    assert len(list(read("csv", [file], report=report))) == 1
    [problem] = report.problems
    assert (problem.where, problem.reason) == ("line 2", "unknown source_type")
    assert "'gossip'" in problem.detail
    assert "guideline" in problem.detail


def test_what_records_do_not_state_is_given_for_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Advice\nDrink enough.")
    [record] = read("text", [tmp_path], labels={"source_type": "guideline", "date": "2024"})
    assert record.metadata == {"source_type": "guideline", "date": "2024"}
    file = tmp_path / "a.csv"
    file.write_text("question,answer,date\nWhy?,So.,2020\n")
    [dated] = read("csv", [file], labels={"date": "2024"})
    assert dated.metadata == {"date": "2020"}


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ({"source_type": "gossip"}, "'gossip' is unknown; use one of guideline"),
        ({"date": "31.3.2024"}, "give it as 2024"),
        ({"date": "2024-3"}, "give it as 2024"),
    ],
)
def test_a_wrong_label_is_refused(tmp_path: Path, labels: dict[str, str], match: str) -> None:
    (tmp_path / "a.txt").write_text("Drink enough.")
    with pytest.raises(SettingError, match=match):
        list(read("text", [tmp_path], labels=labels))


def test_a_file_whose_types_are_all_unknown_is_no_silent_success(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("question,answer,source_type\nWhy?,So.,gossip\n")
    report = Report()
    assert list(read("csv", [file], report=report)) == []
    assert report.skipped["unknown source_type"] == 1


def test_abstracts_have_their_year_and_the_starter_corpus_the_day_of_review(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "1", "question": "Q?", "contexts": ["A."], "year": "2009"}\n')
    [record] = read("pubmedqa", [file])
    assert record.metadata["date"] == "2009"
    assert all(date_of(record.metadata) for record in read("starter"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"b\.csv"):
        list(read("csv", [tmp_path / "b.csv"], labels={"date": "2024"}))
