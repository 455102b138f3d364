import sys
from pathlib import Path

import pytest

from anamnesis.corpus.ontology import read_ontology
from anamnesis.corpus.report import Report
from anamnesis.corpus.triplets import read_facts
from anamnesis.errors import CorpusError

HEADER = "format-version: 1.4\nontology: small\n"
TERMS = """
[Term]
id: D:1
name: asthma
def: "Airways that narrow." [X:1]
synonym: "bronchial asthma" EXACT [X:1]
synonym: "wheezing" BROAD []
synonym: "asthma" EXACT []
xref: MESH:D001249
is_a: D:2 {source="X:2"} ! lung disease
relationship: has_symptom S:1 ! cough
relationship: RO:0004026 S:2

[Term]
id: D:2
name: lung disease

[Term]
id: S:1
name: cough

[Term]
id: S:2
name: bronchus

[Typedef]
id: has_symptom
name: has symptom

[Typedef]
id: RO:0004026
name: disease has location

[Instance]
id: I:1
name: someone
"""


def put(folder: Path, text: str, name: str = "small.obo") -> Path:
    file = folder / name
    file.write_text(HEADER + text, "utf-8")
    return file


def test_the_relations_of_terms_become_sentences_with_exact_synonyms_as_names(
    tmp_path: Path,
) -> None:
    report = Report()
    facts = list(read_facts([put(tmp_path, TERMS)], report=report))
    assert [fact.text for fact in facts] == [
        "Asthma is a kind of lung disease.",
        "Asthma has symptom cough.",
        "Asthma has location bronchus.",
    ]
    assert facts[0].title == "asthma (bronchial asthma) · lung disease"
    assert {fact.source for fact in facts} == {"small"}
    assert not report.problems


def test_aliases_of_a_file_and_of_an_ontology_are_joined(tmp_path: Path) -> None:
    aliases = tmp_path / "also.tsv"
    aliases.write_text("reactive airways\tasthma\nbronchial asthma\tAsthma\n", "utf-8")
    first = next(read_facts([put(tmp_path, TERMS)], aliases))
    assert first.metadata["names"][0] == ("asthma", "reactive airways", "bronchial asthma")


def test_a_fact_of_a_table_and_of_an_ontology_is_one(tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    table.write_text("Asthma\tis_a\tLung disease\n", "utf-8")
    facts = list(read_facts([table, put(tmp_path, TERMS)]))
    assert [fact.source for fact in facts] == ["table, small", "small", "small"]


@pytest.mark.parametrize(
    ("frame", "reason", "detail"),
    [
        ("[Term]\nid: D:3\nname: x\noops here\n", "not a frame of OBO", "oops here"),
        ("[Term]\nname: x\n", "not a frame of OBO", "name: x"),
        ("[Term]\nid: D:3\nname: x\nis_obsolete: true\n", "an obsolete term", "D:3"),
        ("[Term]\nid: D:2\nname: x\n", "a term whose id an earlier one has", "D:2"),
        ("[Term]\nid: D:3\n", "a term that has not one name", "D:3"),
        ("[Term]\nid: D:3\nname: x\nname: y\n", "a term that has not one name", "D:3"),
        (
            "[Term]\nid: D:3\nname: x\nis_a: D:4\n",
            "a link to a term that is not in the file",
            "is_a D:4",
        ),
    ],
)
def test_what_cannot_be_used_is_listed_with_its_line(
    tmp_path: Path, frame: str, reason: str, detail: str
) -> None:
    report = Report()
    file = put(tmp_path, TERMS + frame)
    rows, _ = read_ontology(file, report)
    assert len(rows) == 3
    [problem] = report.problems
    line = (HEADER + TERMS).count("\n") + 1
    assert (problem.file, problem.where, problem.reason) == (str(file), f"line {line}", reason)
    assert detail in problem.detail


def test_a_link_to_itself_is_skipped(tmp_path: Path) -> None:
    report = Report()
    file = put(tmp_path, TERMS + "\n[Term]\nid: D:3\nname: x\nis_a: D:3\n")
    assert len(list(read_facts([file], report=report))) == 3
    assert report.skipped == {"a triplet of a name with itself": 1}


@pytest.mark.parametrize("text", ["", "[Term]\nname\n", "no ontology\n"])
def test_a_file_that_is_no_ontology_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(CorpusError, match=r"small\.obo.*Check the"):
        list(read_facts([put(tmp_path, text)]))


def test_without_the_package_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastobo", None)
    with pytest.raises(CorpusError, match="pip install fastobo"):
        list(read_facts([put(tmp_path, TERMS)]))
