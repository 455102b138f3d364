"""What is trained on: what is left out, what is named when it lacks."""

import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.loading import read
from anamnesis.corpus.topics import is_held_out, trained_on
from anamnesis.errors import CorpusError
from anamnesis.language.text import digest, sentences
from training import entailment, relevance
from training.__main__ import main
from training.examples import DATA, NLI, Example, check, plain, records, without
from training.medquad import Claim, claims, passages
from training.messages import reworded_question
from training.mining import Miner

STARTER = list(read("starter"))


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def pair(premise: str, hypothesis: str, **more: Any) -> dict[str, Any]:
    return {"premise": premise, "hypothesis": hypothesis, "label": "neutral", **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with an inference set of each kind."""
    write(
        tmp_path,
        "nli_general_train",
        [
            pair("a", "one", source="lingnli_train"),
            pair("b", "two", source="sick_train"),
            pair("c", "three", source="imppres_presupposition"),
            pair("Held  out premise", "four", source="cad_train"),
        ],
    )
    write(tmp_path, "nli_general_dev_sample", [pair("held out PREMISE", "x", split="dev")])
    claim = "a claim of more than five words"
    write(
        tmp_path,
        "nli_healthver",
        [
            pair("evidence", claim, split="dev"),
            pair("other evidence", claim, split="train"),
            pair("evidence", "another claim of more than five words", split="train"),
        ],
    )
    write(tmp_path, "nli_scifact", [pair("p", "q", split="train")])
    write(tmp_path, "nli_nli4ct", [pair("p", "q", split="test")])
    write(tmp_path, "nli_covidfact", [pair(f"p{n}", f"q{n}", split="all") for n in range(40)])
    return tmp_path


def test_non_commercial_and_held_out_pairs_are_left_out(folder: Path) -> None:
    assert [example.first for example in entailment.general(folder)] == ["a"]


def test_claims_of_dev_and_test_are_never_trained_on(folder: Path) -> None:
    found = entailment.medical(folder, ("nli_healthver", "nli_scifact"))
    assert [example.second for example in found] == ["another claim of more than five words", "q"]
    assert entailment.medical(folder, ("nli_nli4ct",)) == []


def test_covidfact_keeps_pairs_of_claims_together(folder: Path) -> None:
    dev = [example.first for example in entailment.covidfact_dev(folder)]
    trained = [example.first for example in entailment.medical(folder, ("nli_covidfact",))]
    assert dev == ["p0", "p1", "p20", "p21"]
    assert not set(dev) & set(trained)
    assert len(dev) + len(trained) == 40


def test_an_unknown_label_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "nli_scifact", [pair("p", "q", split="dev") | {"label": "maybe"}])
    with pytest.raises(ValueError, match="not one of entailment, neutral, contradiction"):
        entailment.dev(tmp_path, "nli_scifact")


def test_missing_data_are_all_named_before_anything_is_done(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CorpusError) as caught:
        check(folder)
    assert "medquad.jsonl.gz" in str(caught.value)
    assert "nli_scifact" not in str(caught.value)
    assert main(["--data", str(folder), "--work", str(folder / "work")]) == 1
    assert "rqe.jsonl.gz" in capsys.readouterr().err
    assert not (folder / "work").exists()


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "rqe.jsonl.gz", "wt") as file:
        file.write('{"a": 1}\n{"a":\n')
    with pytest.raises(CorpusError, match=r"rqe.jsonl.gz, line 2: not JSON"):
        list(records(tmp_path, "rqe"))


def test_texts_are_compared_without_case_and_spacing() -> None:
    example = Example("A  b", "c", label="neutral")
    assert without([example], frozenset({plain("a B")})) == []
    assert without([example], frozenset({plain("a c")})) == [example]


def test_claims_are_half_true_and_the_false_ones_are_not_in_their_passage() -> None:
    found = claims(STARTER, 120, seed=1, reworded=False)
    kinds = Counter(claim.kind for claim in found)
    assert kinds[""] == 60
    assert len(kinds) > 5
    for claim in found:
        assert (claim.sentence in claim.premise) == (claim.kind == "")
        assert claim.label in NLI
    assert found == claims(STARTER, 120, seed=1, reworded=False)


def test_reworded_claims_are_not_all_word_for_word() -> None:
    found = [claim for claim in claims(STARTER, 200, seed=2, reworded=True) if not claim.kind]
    said = sum(claim.sentence in claim.premise for claim in found)
    assert 20 < said < len(found) - 5


@pytest.mark.parametrize(
    ("kind", "label"),
    [("", "entailment"), ("dose", "contradiction"), ("entity", "neutral"), ("roles", "neutral")],
)
def test_a_claims_kind_gives_its_label(kind: str, label: str) -> None:
    assert Claim("p", "s", kind).label == label


def test_passages_are_graded_by_topic_and_question() -> None:
    found = passages(STARTER, 40, seed=1)
    grades = Counter(example.relevance for example in found)
    assert grades[1.0] == 40
    assert grades[0.0] >= 40
    assert all(example.relevance in (0.0, 0.35, 1.0) for example in found)


def test_a_topic_is_held_out_with_all_its_records() -> None:
    by_topic: dict[str, set[bool]] = {}
    for record in STARTER:
        by_topic.setdefault(record.focus.casefold(), set()).add(is_held_out(record))
    assert all(len(found) == 1 for found in by_topic.values())


def test_a_sentence_is_known_where_a_topic_trained_on_has_it() -> None:
    record = next(record for record in STARTER if not is_held_out(record))
    held_out = next(record for record in STARTER if is_held_out(record))
    known = trained_on([record, held_out])
    assert digest(record.text.upper()) in known
    for span in sentences(record.text):
        assert digest(record.text[span.start : span.end]) in known
    assert digest(held_out.text) not in known


def test_known_sentences_are_left_out() -> None:
    first = claims(STARTER, 60, seed=1, reworded=False)
    known = {digest(claim.sentence) for claim in first if not claim.kind}
    found = claims(STARTER, 60, seed=1, reworded=False, known=known)
    assert known
    assert not known & {digest(claim.sentence) for claim in found if not claim.kind}


def test_negatives_are_near_and_not_relevant() -> None:
    texts = {"1": "gout hurts", "2": "gout and uric acid", "3": "asthma wheeze", "4": "gout diet"}
    found = relevance.with_negatives(
        [("gout diet", ["4"]), ("x", ["no"])], texts, 3, random.Random(0)
    )
    assert [example.second for example in found if example.relevance] == ["gout diet"]
    assert {example.second for example in found if not example.relevance} == {
        "gout hurts",
        "gout and uric acid",
    }


def test_the_miner_leaves_out_what_is_excluded() -> None:
    with Miner(["gout a", "gout b b", "asthma", "fever", "cough"]) as miner:
        assert miner.near("gout", 3, {0}) == [1]


def test_messages_name_their_topic() -> None:
    rng = random.Random(0)
    found = [reworded_question("Gout", "symptoms", rng) for _ in range(50)]
    assert all(text and "gout" in text.lower() and "{" not in text for text in found)
    assert reworded_question("Gout", "no such kind", rng) is None


def test_every_data_set_is_checked_for(tmp_path: Path) -> None:
    for name in DATA:
        write(tmp_path, name, [])
    check(tmp_path)


def test_mirrored_claims_plant_the_error_in_the_passage() -> None:
    made = claims(STARTER, 200, seed=1, reworded=False, mirrored=True)
    assert sum(not claim.kind for claim in made) == 100
    text = " ".join(record.text for record in STARTER)
    # A changed sentence is true where the passage was changed, a sentence of the documents is not.
    changed = [claim for claim in made if not claim.kind and claim.sentence not in text]
    mirrored = [
        claim for claim in made if claim.kind not in ("", "neighbour") and claim.sentence in text
    ]
    assert len(changed) > 10
    assert len(mirrored) > 10
    assert all(claim.sentence in claim.premise for claim in changed)
    assert all(claim.sentence not in claim.premise for claim in mirrored)
    assert "certainty" not in {claim.kind for claim in mirrored}


def test_what_settles_other_claims_leaves_a_claim_open(tmp_path: Path, folder: Path) -> None:
    def row(claim: str, document: str, premise: str, label: str, split: str = "train") -> Any:
        return pair(premise, claim, doc_id=document, claim_id=claim, split=split) | {"label": label}

    held_out = "a claim that the dev part has too"
    write(
        tmp_path,
        "nli_healthver",
        [
            row("c1", "d1", "a window", "neutral"),
            row("c1", "d1", "another window", "neutral"),
            row("c2", "d1", "settles c2", "entailment"),
            row("c3", "d1", "settles c3", "contradiction"),
            row("c1", "d2", "settles c1", "entailment"),
            row(held_out, "d1", "a window", "neutral"),
            row(held_out, "d3", "own", "entailment", split="dev"),
        ],
    )
    assert entailment.unsettled(tmp_path, "nli_healthver") == [
        Example("settles c2", "c1", label="neutral"),
        Example("settles c3", "c1", label="neutral"),
    ]
