"""The embedder to compare with is one like any other, and not the one that it was cut from."""

import sys
from pathlib import Path

import numpy as np
import pytest

from anamnesis.models.embedding import load_embedder
from benchmarks.shallow import main


def test_the_first_layers_are_an_embedder_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["shallow", "--out", str(tmp_path / "cut"), "--layers", "1"])
    main()
    cut, whole = load_embedder(str(tmp_path / "cut")), load_embedder()
    assert cut.fingerprint != whole.fingerprint
    assert cut.dimensions == whole.dimensions
    [[gout, other], [pages, _]] = (
        model.embed_queries(["Gout hurts.", "Asthma is a disease."]) for model in (cut, whole)
    )
    assert float(np.linalg.norm(gout)) == pytest.approx(1, abs=1e-3)
    assert float(gout @ pages) < 0.95
    assert float(gout @ other) < 0.99
