"""Recognise sentences that report a finding, not an aim, a method or a supposition.

A language model may take any sentence on the subject for an answer: the aim of a study for its
result, 'may benefit' for 'benefits'. These rules can only exclude a sentence from the reasons for a
choice.
"""

import re

_DEEDS = (
    r"analy[sz]ed|assessed|assigned|asked|calculated|carried out|collected|compared|completed"
    r"|conducted|designed|determined|divided|enrolled|evaluated|examined|included|interviewed"
    r"|investigated|measured|obtained|performed|randomi[sz]ed|recorded|recruited|reviewed|scored"
    r"|selected|studied|tested|undertaken|used"
)
# Aims and methods of a study, and the headings of the parts of a report that describe them.
_UNDERTAKING = re.compile(
    r"\b(aim(s|ed)?|objectives?|purpose|goal|hypothes\w+|whether|unclear|unknown|controversial"
    r"|to (determine|assess|evaluate|investigate|examine|test|compare|explore|identify|study))\b"
    rf"|\b(we|(this|the|present|current) study)\s+(\w+ly\s+)?({_DEEDS}|explored|sought|described)\b"
    rf"|\b(was|were|been|being)\s+(\w+ly\s+)?({_DEEDS})\b"
    r"|^\W*(background|introduction|methods?|design|setting|context|rationale)\s*:",
    re.IGNORECASE,
)
_SUPPOSITION = re.compile(
    r"\b(may|might|could|possibl[ey]|potential(ly)?|suggest(s|ed|ing|ive)?|appear(s|ed)? to"
    r"|seem(s|ed)?|claim(s|ed)?|believed|thought to|propos(e|es|ed)|implicated|concerns?"
    r"|promis(e|ing)|preliminary|question(ed|able)?|theor(y|ies|etical)|trend|conflicting"
    r"|inconclusive|debate[ds]?)\b",
    re.IGNORECASE,
)
_POSSIBILITY = re.compile(r"\b(can|may|might|could|possible|potential)\b", re.IGNORECASE)


def reports_finding(text: str, claim: str) -> bool:
    """Whether a text reports a finding that is at least as certain as the claim.

    A supposition supports only a claim that something may be the case.
    """
    if _UNDERTAKING.search(text) or text.rstrip().endswith("?"):
        return False
    return bool(_POSSIBILITY.search(claim)) or not _SUPPOSITION.search(text)
