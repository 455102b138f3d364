"""Recognise sentences that report a finding, not an aim, a method or a supposition.

A language model may take any sentence on the subject for an answer: the aim of a study for its
result, 'may benefit' for 'benefits'. These rules can only exclude a sentence from the reasons for a
choice.
"""

import re

from anamnesis.language.lexicon import any_of

_DEEDS = any_of("deed_of_study")
# Aims and methods of a study, and the headings of the parts of a report that describe them.
_UNDERTAKING = re.compile(
    rf"\b({any_of('aim_of_study')}|to ({any_of('to_study')}))\b"
    rf"|\b(we|(this|the|present|current) study)\s+(\w+ly\s+)?({_DEEDS}|explored|sought|described)\b"
    rf"|\b(was|were|been|being)\s+(\w+ly\s+)?({_DEEDS})\b"
    rf"|^\W*({any_of('part_of_report')})\s*:",
    re.IGNORECASE,
)
_SUPPOSITION = re.compile(rf"\b({any_of('supposition')})\b", re.IGNORECASE)
_POSSIBILITY = re.compile(
    rf"\b({any_of('modal', 'possibility', without='should will would')}|possible|potential)\b",
    re.IGNORECASE,
)


def reports_finding(text: str, claim: str) -> bool:
    """Whether a text reports a finding that is at least as certain as the claim.

    A supposition supports only a claim that something may be the case.
    """
    if _UNDERTAKING.search(text) or text.rstrip().endswith("?"):
        return False
    return bool(_POSSIBILITY.search(claim)) or not _SUPPOSITION.search(text)
