"""The processor's features, and the fastest arithmetic for many texts."""

import os
import platform
from pathlib import Path
from typing import Literal

Precision = Literal["float32", "int8"]

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


def workers() -> int:
    """How many threads may compute at once: the processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)
