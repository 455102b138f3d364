from anamnesis.models import cpu


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
