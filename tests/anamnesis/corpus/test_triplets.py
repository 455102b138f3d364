import gzip
from pathlib import Path

import pytest

from anamnesis.corpus.passage import Passage, split
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.corpus.triplets import read_facts
from anamnesis.errors import CorpusError, SettingError
from tests.fakes import count_words


def put(folder: Path, text: str, name: str = "kb.tsv") -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_a_triplet_becomes_a_record_with_its_sentence_names_and_source(tmp_path: Path) -> None:
    file = put(tmp_path, "Ibuprofen\tmay_treat\tPyrexia\n")
    aliases = put(tmp_path, "fever\tPyrexia\nfebrile\tpyrexia\nfever\tPyrexia\n", "also.tsv")
    [record] = read_facts([file], aliases)
    assert record == Record(
        id=record.id,
        title="Ibuprofen · Pyrexia (fever, febrile)",
        text="Ibuprofen may treat Pyrexia.",
        source="kb",
        focus="Ibuprofen",
        kind="fact",
        metadata={
            "head": "Ibuprofen",
            "relation": "may_treat",
            "tail": "Pyrexia",
            "names": [["Ibuprofen"], ["Pyrexia", "fever", "febrile"]],
            "sources": ["kb"],
        },
    )


def test_a_passage_of_a_fact_keeps_its_names(tmp_path: Path) -> None:
    file = put(tmp_path, "Ibuprofen\tmay_treat\tPyrexia\n")
    [record] = read_facts([file], put(tmp_path, "fever\tPyrexia\n", "also.tsv"))
    [passage] = split(record, count_words)
    assert passage.names == (("Ibuprofen",), ("Pyrexia", "fever"))
    assert Passage.from_json(passage.to_json()) == passage


@pytest.mark.parametrize(
    ("first", "line"),
    [
        ("head\trelation\ttail", "Ibuprofen\tmay_treat\tPyrexia"),
        ("Subject\tPredicate\tObject", "Ibuprofen\tmay_treat\tPyrexia"),
        ("tail\thead\tsource\trelation", "Pyrexia\tIbuprofen\tBase\tmay_treat"),
        ("id\thead\trelation\ttail", "7\tIbuprofen\tmay_treat\tPyrexia"),
    ],
)
def test_a_first_line_may_name_the_columns(tmp_path: Path, first: str, line: str) -> None:
    [record] = read_facts([put(tmp_path, f"{first}\n{line}\n")])
    assert record.text == "Ibuprofen may treat Pyrexia."
    assert record.source == ("Base" if "source" in first else "kb")


def test_equal_facts_are_one_with_all_their_sources(tmp_path: Path) -> None:
    one = put(tmp_path, "Ibuprofen\tmay_treat\tPyrexia\nA\tmay_cause\tB\n", "one.tsv")
    two = put(tmp_path, "ibuprofen\tmay treat\tpyrexia\nB\tmay_cause\tA\n", "two.tsv")
    report = Report()
    records = list(read_facts([one, two], report=report))
    assert [(record.text, record.source) for record in records] == [
        ("Ibuprofen may treat Pyrexia.", "one, two"),
        ("A may cause B.", "one"),
        ("B may cause A.", "two"),
    ]
    assert report.read == 3
    assert dict(report.skipped) == {"repeat of a fact, merged": 1}


def test_a_relation_that_holds_both_ways_is_one_fact_in_either_order(tmp_path: Path) -> None:
    file = put(tmp_path, "Warfarin\tinteracts_with\tAspirin\nAspirin\tinteracts_with\tWarfarin\n")
    [record] = read_facts([file])
    assert record.text == "Warfarin interacts with Aspirin."


def test_the_ids_are_the_same_on_every_reading_and_differ_by_direction(tmp_path: Path) -> None:
    file = put(tmp_path, "A\tmay_cause\tB\nB\tmay_cause\tA\n")
    first, second = ([fact.id for fact in read_facts([file])] for _ in range(2))
    assert first == second
    assert len(set(first)) == 2


def test_bad_lines_are_counted_and_listed_and_the_rest_is_read(tmp_path: Path) -> None:
    file = put(
        tmp_path,
        "A\tmay_cause\tB\nonly two\tcells\nA\t \tB\n\nA\tmay_cause\ta\n"
        "It ended. Then\tmay_cause\tB\n",
    )
    report = Report()
    assert len(list(read_facts([file], report=report))) == 1
    assert [(problem.where, problem.reason, problem.detail) for problem in report.problems] == [
        ("line 2", "not a triplet", "2 columns where 3 are due"),
        ("line 3", "a triplet with an empty column", "A |  | B"),
        ("line 5", "a triplet of a name with itself", "A"),
        ("line 6", "a triplet that does not make one sentence", "It ended. Then | may_cause | B"),
    ]


def test_quotation_marks_are_part_of_a_name(tmp_path: Path) -> None:
    [record] = read_facts([put(tmp_path, '"Croup" cough\tmay_cause\tStridor\n')])
    assert record.metadata["head"] == '"Croup" cough'


def test_files_may_be_compressed_and_folders_are_read(tmp_path: Path) -> None:
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress(b"A\tmay_cause\tB\n"))
    put(tmp_path, "C\tmay_cause\tD\n", "a.txt")
    put(tmp_path, "not read", "c.md")
    assert [fact.source for fact in read_facts([tmp_path])] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "the file is empty"),
        ("\n\n", "it contains no record"),
        ("head\trelation\ttail\n", "it contains no record"),
        ("one,two,three\n", r"line 1: not a triplet \(1 columns where 3 are due\)"),
    ],
)
def test_a_file_without_one_triplet_is_an_error(tmp_path: Path, text: str, wrong: str) -> None:
    with pytest.raises(CorpusError, match=wrong):
        list(read_facts([put(tmp_path, text)]))


def test_aliases_may_have_a_first_line_and_bad_ones_are_listed(tmp_path: Path) -> None:
    file = put(tmp_path, "A\tmay_cause\tB\n")
    also = put(tmp_path, "Alias\tName\nalpha\tA\nalone\nA\ta\n\tB\n", "also.tsv")
    report = Report()
    [record] = read_facts([file], also, report)
    assert record.metadata["names"] == (("A", "alpha"), ("B",))
    assert [(problem.where, problem.reason) for problem in report.problems] == [
        ("line 3", "not an alias and a name"),
        ("line 4", "an alias that is the name itself"),
        ("line 5", "an alias or its name is empty"),
    ]


def test_a_file_of_aliases_that_is_none_is_an_error(tmp_path: Path) -> None:
    file = put(tmp_path, "A\tmay_cause\tB\n")
    with pytest.raises(CorpusError, match="Check the path of the aliases"):
        read_facts([file], tmp_path / "none.tsv")
    with pytest.raises(CorpusError, match="not an alias and a name"):
        read_facts([file], file)
    with pytest.raises(SettingError, match="at least one file or folder"):
        read_facts([])
    with pytest.raises(CorpusError, match="no such file or folder"):
        read_facts([tmp_path / "none.tsv"])


def test_the_shared_triplets_are_read_whole(shared_data: Path) -> None:
    report = Report()
    records = list(
        read_facts(
            [shared_data / "triplets.tsv.gz"], shared_data / "triplets_aliases.tsv.gz", report
        )
    )
    assert len(records) == report.read == 49_974 - report.skipped.total()
    texts = {record.text for record in records}
    assert "Propranolol may be contraindicated in Bronchial asthma." in texts
    assert "Bronchial asthma may be contraindicated in Propranolol." not in texts
    assert "Lisinopril may be contraindicated in Pregnancy." in texts
    assert not any("may be contraindicated in Lisinopril" in text for text in texts)
