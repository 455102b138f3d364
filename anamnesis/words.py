"""Which words carry meaning, and which are forms of one word."""

import re

from anamnesis.text import tokenize

STOP_WORDS = frozenset(
    (
        "a about all also am an and any are as at be been being both but by can could did do "
        "does for from get gets getting go had has have he her him his how i if in into is it "
        "its just me might more most much my no not of off on one or our out over own people "
        "person she should so some someone such than that the their them then there these "
        "they this those to too up us very was we were what when where which while who whom "
        "why will with would you your yes please tell know want need like really dr doctor "
        "mother father mum mom dad husband wife son daughter sister brother friend "
        "grandmother grandfather done sometimes often old year years now today lately already "
        "something anything told said says doctors physician physicians patient patients "
        "persons adult"
    ).split()
)

# 'Naturally', 'quickly': how, not what. Family, early and the like are not among them.
_ADVERB = re.compile(r"^\w{4,}(?<!fami)(?<!ear)(?<!anoma)ly$")


def content_terms(text: str) -> list[str]:
    """The words that carry meaning: tokens without function words and adverbs, in order."""
    return [
        token for token in tokenize(text) if token not in STOP_WORDS and not _ADVERB.match(token)
    ]


_IRREGULAR = {
    "stung": "sting", "bitten": "bite", "broke": "break", "broken": "break", "swollen": "swell",
    "bled": "bleed", "fell": "fall", "fallen": "fall", "felt": "feel", "torn": "tear",
    "teeth": "tooth", "feet": "foot", "children": "child", "women": "woman", "men": "man",
}  # fmt: skip


def stem(word: str) -> str:
    """A rough stem: enough to see 'reduced' and 'reduce', 'skip' and 'skipping' as one."""
    word = _IRREGULAR.get(word, word)
    for ending in ("ations", "ation", "ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            doubled = word[-1] == word[-2] and word[-1] not in "aeiouls"
            return word[:-1] if ending in ("ing", "ed") and doubled else word
    return word
