"""The layer for the pages on first aid, fitted on a few messages."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.models.first_aid_pages import COLUMNS, NO_PAGE, PAGES, WEIGHTS
from anamnesis.models.own_layers import read_layer
from training import first_aid
from training.first_aid import LABELS, OWN, digest, fit, labels, main
from training.question_passages import Reading

BURN, CHOKING = "burned my hand on the pan", "he is choking on a sweet"


def test_pages_are_learned_and_stored_in_the_order_of_their_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = {digest(f"{text} {n}"): text[:4] for text in (BURN, CHOKING, "help") for n in range(6)}
    made = [
        Reading(f"{text} {n}", level="emergency")
        for text in (BURN, CHOKING, "help")
        for n in range(6)
    ]
    path = tmp_path / "own.tsv"
    path.write_text("text\tpage\nout of tune\thelp\n", encoding="utf-8")
    monkeypatch.setattr(first_aid, "OWN", path)
    monkeypatch.setattr(first_aid, "labels", lambda file: table)
    monkeypatch.setattr(first_aid.urgent, "messages", lambda folder: made)
    monkeypatch.setattr(first_aid.urgent, "is_dev", lambda text: text.endswith("5"))
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 0
    layers, metadata = read_layer(WEIGHTS, tmp_path)
    assert metadata[PAGES] == "burn,he i,help"
    assert first_aid.calm(tmp_path) == []  # all of these are emergencies
    assert layers["weight"].shape == (3, 384 + 2 * COLUMNS)


def test_a_feature_of_one_message_does_not_count() -> None:
    layers, names = fit([BURN, CHOKING, f"{CHOKING} now", "help"], ["b", "c", "c", NO_PAGE])
    assert names == ["b", "c", NO_PAGE]
    assert 0 < np.count_nonzero(layers["idf"]) < 2 * COLUMNS


@pytest.mark.parametrize("file", [LABELS, Path("benchmarks") / LABELS.name])
def test_every_label_is_a_page_or_none(file: Path) -> None:
    known = {item.id for item in read_starter() if item.metadata["category"] == "first-aid"}
    found = labels(file)
    assert set(found.values()) <= known | {NO_PAGE}
    assert len(found) > 250


def test_every_message_written_for_the_pages_has_one() -> None:
    known = {item.id for item in read_starter() if item.metadata["category"] == "first-aid"}
    with OWN.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert {row["page"] for row in rows} <= known | {NO_PAGE}
    assert len({row["text"] for row in rows}) == len(rows)
    # Steps for an adult harm a baby: those of babies and children need messages of their own.
    rows_per_page = Counter(row["page"] for row in rows)
    assert (
        min(rows_per_page[f"starter-{name}-first-aid"] for name in ("choking-infant", "cpr-child"))
        >= 30
    )


def test_a_missing_data_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "messages_urgency" in capsys.readouterr().err
