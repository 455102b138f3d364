from pathlib import Path

import pytest

from anamnesis.corpus.loading import Report, read
from anamnesis.errors import CorpusError

DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<Document id="0000001" source="GARD" url="https://example.org/x"><Focus>Gout</Focus>
<FocusAnnotations><Category>Bones</Category><UMLS><CUIs><CUI>C1</CUI><CUI>C2</CUI></CUIs>
<SemanticTypes><SemanticType>T047</SemanticType></SemanticTypes>
<SemanticGroup>Disorders</SemanticGroup></UMLS>
<Synonyms><Synonym>Podagra</Synonym></Synonyms></FocusAnnotations>
<QAPairs>
<QAPair pid="1"><Question qid="1-1" qtype="information">What is (are) Gout ?</Question>
<Answer>Gout &amp; pain.    Causes include   -  Food    - Age</Answer></QAPair>
<QAPair pid="2"><Question qid="1-2" qtype="treatment">How to treat Gout ? ?</Question>
<Answer> </Answer></QAPair>
<QAPair pid="3"><Question qid="1-3" qtype="outlook">And then?</Question></QAPair>
</QAPairs></Document>"""
DOC = """<doc docid="0000007" corpus="NINDS" url="u"><doctitle-focus>Holmes</doctitle-focus>
<umls><cui></cui><semanticType></semanticType><semanticGroup></semanticGroup></umls>
<qaPairs><pair pid="4"><question qid="7-4" qtype="research">what research?</question>
<answer>Some.</answer></pair></qaPairs></doc>"""
DISEASE_FILE = """<DiseaseFile fid="0000397" source="CDC" url="u"><Focus>Taeniasis</Focus>
<UMLS><CUI>C3</CUI><SemanticType>T047</SemanticType></UMLS>
<QAPairs><QAPair pid="5"><Question qid="397-5" qtype="information">What?</Question>
<Answer>A worm.</Answer></QAPair></QAPairs></DiseaseFile>"""
NO_PAIR = '<Document id="1" source="NIDDK" url="u"><Focus>X</Focus><QAPairs/></Document>'


def folder(tmp_path: Path, **xml: str) -> list[Path]:
    for name, text in xml.items():
        (tmp_path / f"{name}.xml").write_text(text)
    return [tmp_path]


def test_a_document_gives_its_answered_pairs_and_counts_the_others(tmp_path: Path) -> None:
    report = Report()
    [record] = read("medquad", folder(tmp_path, f0000001=DOCUMENT), report=report)
    assert record.id == "GARD_f0000001_1"
    assert record.title == record.focus == "Gout"
    assert record.question == "What is (are) Gout?"
    assert record.text == "Gout & pain.\n\nCauses include\n- Food\n- Age"
    assert (record.source, record.url, record.kind) == ("GARD", "https://example.org/x", "qa")
    assert record.to_json()["metadata"] == {
        "qtype": "information", "umls_cui": ["C1", "C2"], "umls_semantic_type": ["T047"],
        "umls_semantic_group": ["Disorders"], "category": "Bones", "synonyms": ["Podagra"],
        "doc_id": "0000001", "file": f"{tmp_path.name}/f0000001.xml",
    }  # fmt: skip
    assert [(p.where, p.reason) for p in report.problems] == [
        ("pair 2", "empty answer"), ("pair 3", "no question or no answer element"),
    ]  # fmt: skip


def test_the_other_schemas_are_read_as_well(tmp_path: Path) -> None:
    records = list(read("medquad", folder(tmp_path, a=DOC, b=DISEASE_FILE, c=NO_PAIR)))
    assert [(r.id, r.focus, r.text) for r in records] == [
        ("NINDS_a_4", "Holmes", "Some."), ("CDC_b_5", "Taeniasis", "A worm."),
    ]  # fmt: skip
    assert records[0].metadata["qtype"] == "research"
    assert records[1].metadata["umls_cui"] == ("C3",)


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<Document><Focus></Document>", "not well-formed XML"),
        ("", "not well-formed XML"),
        ("<html/>", "its root is <html>"),
        ('<!DOCTYPE d [<!ENTITY a "b">]><Document>&a;</Document>', "declares a document type"),
        ("<Document>&undefined;</Document>", "not well-formed XML"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, xml: str, message: str) -> None:
    with pytest.raises(CorpusError, match=rf"a\.xml: .*{message}"):
        list(read("medquad", folder(tmp_path, a=xml)))


def test_csv_has_the_same_records_without_what_it_lacks(tmp_path: Path) -> None:
    file = tmp_path / "medquad.csv"
    file.write_text("question,answer,source,focus_area\nWhat is Gout ?,Pain.,GARD,Gout\nWhy ?,,,\n")
    report = Report()
    [record] = read("medquad-csv", [file], report=report)
    assert (record.question, record.text, record.source) == ("What is Gout?", "Pain.", "GARD")
    assert record.title == record.focus == "Gout"
    assert record.id.startswith("medquad-")
    assert report.skipped == {"empty answer": 1}


def test_xml_and_json_lines_give_the_same_records(shared_data: Path) -> None:
    report = Report()
    from_xml = list(read("medquad", [shared_data / "medquad_xml_sample"], report=report))
    from_lines = {r.id: r for r in read("medquad-jsonl", [shared_data / "medquad.jsonl.gz"])}
    nameless = {"answer that names no sign but the disease": 1}
    assert (len(from_xml), report.skipped) == (128, {"empty answer": 27} | nameless)
    assert len(from_lines) == 16_419
    # Where each was read is no part of what makes records equal.
    assert from_xml == [from_lines[r.id] for r in from_xml]


def test_the_widespread_csv_is_read(shared_data: Path) -> None:
    assert len(list(read("medquad-csv", [shared_data / "medquad_csv_head.csv.gz"]))) == 790
