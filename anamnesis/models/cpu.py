"""The processor's features, and the fastest arithmetic for many texts."""

import os
import platform
from pathlib import Path
from typing import Literal, cast, get_args

from anamnesis.errors import SettingError
from anamnesis.models.reference import Reference

Precision = Literal["float32", "int8"]
ChosenPrecision = Literal["auto", "float32", "int8"]

# Instructions that multiply 8-bit integers and add them up in 32 bits without overflow. Without
# them the products of two neighbours saturate at 16 bits, and the vectors are wrong.
_WIDE_INT8 = frozenset({"avx512_vnni", "avx_vnni", "amx_int8"})


def features() -> frozenset[str]:
    """Names of the processor's instruction sets, as Linux lists them; empty on other systems."""
    if platform.system() != "Linux":
        return frozenset()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return frozenset(value.split())
    return frozenset()


def document_precision(available: frozenset[str]) -> Precision:
    """The arithmetic for embedding many documents: ``int8`` if safe, otherwise ``float32``."""
    return "int8" if available & _WIDE_INT8 else "float32"


def overflows(available: frozenset[str]) -> bool:
    """Whether sums of 8-bit products can be wrong: on x86 processors without such instructions."""
    return bool(available) and not available & _WIDE_INT8


def named_precision(reference: Reference, usual: ChosenPrecision) -> ChosenPrecision:
    """The precision that a reference names. Raises SettingError for one that is unknown."""
    precision = reference.options.get("precision", usual)
    if precision not in get_args(ChosenPrecision):
        raise SettingError(
            f"model reference {str(reference)!r}: precision={precision!r} is unknown; "
            f"known are {', '.join(get_args(ChosenPrecision))}"
        )
    return cast(ChosenPrecision, precision)


def refuse_overflow(model: str) -> None:
    """Raise SettingError, which names ``model``, if 8-bit sums can be wrong on this processor."""
    if overflows(features()):
        raise SettingError(
            f"{model}: this processor would compute wrong results with precision=int8, because it "
            "has no instructions that add up products of 8-bit integers without overflow "
            f"({', '.join(sorted(_WIDE_INT8))}); use precision=auto"
        )


def workers() -> int:
    """How many threads may compute at once: the processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)
