"""The claims written for training: what they are, and what pairs are made of them."""

import json
from pathlib import Path

import pytest

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError
from training.claims import WrittenClaim, claims_with_other_passages, examples, read_written
from training.examples import NLI

PARTS = ("train", "dev", "test")
TEXT = "Gout hurts. It is treated with colchicine. Rest helps. Allopurinol prevents attacks."
RECORD = Record(id="1", title="Gout", text=TEXT)


def written(claim: str, label: str, *evidence: tuple[int, int]) -> WrittenClaim:
    return WrittenClaim("1", 0, len(TEXT), claim, label, evidence, "train")


def span(sentence: str) -> tuple[int, int]:
    start = TEXT.index(sentence)
    return start, start + len(sentence)


def test_the_claims_in_the_file_are_whole() -> None:
    found = list(read_written())
    assert len(found) > 2_000
    assert len({(claim.record, claim.start, claim.claim) for claim in found}) == len(found)
    records = {part: {claim.record for claim in found if claim.part == part} for part in PARTS}
    assert all(records.values())
    assert not records["train"] & (records["dev"] | records["test"])
    for claim in found:
        assert claim.label in NLI
        assert claim.part in PARTS
        assert bool(claim.evidence) == (claim.label != "neutral")
        assert all(claim.start <= first < last <= claim.end for first, last in claim.evidence)


def test_a_claim_is_paired_with_its_passage_and_with_its_evidence() -> None:
    colchicine = span("It is treated with colchicine.")
    claim = written("Colchicine is used for gout.", "entailment", span("Gout hurts."), colchicine)
    assert [(pair.first, pair.label) for pair in examples([claim], {"1": RECORD})] == [
        (TEXT, "entailment"),
        ("Gout hurts. It is treated with colchicine.", "entailment"),
    ]


def test_evidence_that_is_not_one_stretch_is_not_cut_out() -> None:
    claim = written("Two drugs help.", "entailment", span("It is treated with colchicine."), span(
        "Allopurinol prevents attacks."
    ))  # fmt: skip
    assert [pair.first for pair in examples([claim], {"1": RECORD})] == [TEXT]


def test_what_the_passage_leaves_open_is_paired_with_the_nearest_sentences() -> None:
    claim = written("Colchicine prevents gout attacks in children.", "neutral")
    [_, near] = examples([claim], {"1": RECORD})
    assert near.first == "Gout hurts. Allopurinol prevents attacks."
    assert near.label == "neutral"


def test_a_claim_on_no_record_and_a_broken_line_are_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no record '1'"):
        list(examples([written("Gout hurts.", "entailment", span("Gout hurts."))], {}))
    file = tmp_path / "own.jsonl"
    file.write_text('{"record": "1"}\n')
    with pytest.raises(CorpusError, match=r"own\.jsonl, line 1"):
        list(read_written(file))
    row = {"record": "1", "start": 0, "end": 9, "claim": "Gout hurts.", "evidence": []}
    file.write_text(json.dumps(row | {"label": "true", "part": "dev"}) + "\n")
    with pytest.raises(CorpusError, match="label 'true'"):
        list(read_written(file))


def test_a_true_claim_is_left_open_by_a_passage_on_another_topic() -> None:
    records = {
        "1": Record(id="1", title="Gout", text=TEXT, focus="Gout"),
        "2": Record(id="2", title="Gout", text="Gout is treated with colchicine.", focus="gout"),
        "3": Record(id="3", title="FMF", text="Colchicine treats fever.", focus="Fever"),
    }
    claims = [
        written("Colchicine treats gout.", "entailment", span("It is treated with colchicine.")),
        written("Colchicine cures gout.", "neutral"),
        WrittenClaim("2", 0, 32, "Gout is never treated.", "contradiction", ((0, 32),), "train"),
        WrittenClaim("3", 0, 24, "Fever is cured by cats.", "neutral", (), "train"),
    ]
    assert [
        (example.first, example.second, example.label)
        for example in claims_with_other_passages(claims, records)
    ] == [("Colchicine treats fever.", "Colchicine treats gout.", "neutral")]
