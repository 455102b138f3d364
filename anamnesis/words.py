"""Which words of a question carry meaning."""

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
