"""What a user plainly says of themselves: clauses that are no question, no 'if' and no hearsay."""

import re
from collections.abc import Iterator

from anamnesis.text import sentences

_PARTS = re.compile(
    r"[,;:]\s+|\s+[–—-]\s+"
    r"|\s+(?:and|but|so)\s+(?=(?:i|i['’]m|i['’]ve|i['’]d|my|please|can|could|should|what|how|why|is|are|do"
    r"|does|will|would|may)\b)",
    re.IGNORECASE,
)
# What follows such a word is not said to be so, or not of the user.
_UNSURE = re.compile(
    r"\b(if|whether|unless|suppose|supposing|imagine|pretend|assume|assuming|say|said|says|saying"
    r"|told|tells|asked|asks|wrote|reads|think|thinks|thought|believe|guess|worry|worried|fear|afraid"
    r"|maybe|perhaps|possibly|probably|might|wonder|wondering|unsure|someone|somebody|when|once)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"\W*(right|correct|true|yes|no|ok|okay|huh|am i|aren['’]?t i|do i|don['’]?t i|have i"
    r"|haven['’]?t i|is (it|that)( so)?|isn['’]?t (it|that))\W*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“”„«»]")
_ASKS = re.compile(
    r"(who|whom|whose|what|which|when|where|why|how|am|is|are|was|were|do|does|did|can|could|shall"
    r"|should|will|would|may|might|must|has|have|had)\b",
    re.IGNORECASE,
)


def clauses(said: str) -> Iterator[str]:
    """The clauses of a text that state something, in order, as they are written."""
    for start, end in sentences(said):
        sentence = said[start:end]
        if _QUOTED.search(sentence):
            continue
        parts = _PARTS.split(sentence)
        asked = sentence.rstrip().endswith("?")
        for place, part in enumerate(parts):
            if _UNSURE.search(part):
                break  # what follows hangs on it
            tagged = place + 1 < len(parts) and _TAG.fullmatch(parts[place + 1])
            last = place + 1 == len(parts)
            if (asked and (last or tagged)) or _ASKS.match(part.strip()):
                continue
            if stated := part.strip().rstrip(".!;, "):
                yield stated
