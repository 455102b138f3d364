"""The layer on the words of messages: its parts, on a few texts."""

from pathlib import Path

import numpy as np
import pytest

from anamnesis.models.ngrams import COLUMNS, counts
from training.wording import main, matrix, mixed, rarity


def test_what_is_rare_weighs_more_and_what_is_seen_once_nothing() -> None:
    idf = rarity(["gout pain", "gout pain", "gout", "asthma"])
    gout, pain, asthma = (
        idf[next(at for at in counts(word).columns if at >= COLUMNS)]
        for word in ("gout", "pain", "asthma")
    )
    assert pain > gout > 1
    assert asthma == 0


def test_the_matrix_has_a_row_for_each_text() -> None:
    found = matrix([counts("gout"), counts("?"), counts("gout gout")])
    assert found.shape == (3, 2 * COLUMNS)
    assert found[1].nnz == 0
    assert found[2].nnz == len(counts("gout gout").columns)


def test_the_best_of_three_parts_counts_more() -> None:
    rng = np.random.default_rng(1)
    levels = rng.integers(0, 3, 300)
    right = 3 * np.eye(3)[levels] + rng.normal(size=(300, 3))
    noise = rng.normal(size=(2, 300, 3))
    (words, last, middle), shift = mixed([right, *noise], levels.tolist())
    assert words > 0.5
    assert abs(last) < 0.5
    assert abs(middle) < 0.5
    assert shift.shape == (3,)


def test_a_missing_data_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err
    assert not list(tmp_path.iterdir())
