"""Find text that identifies a person, by rules for names, dates, addresses and numbers.

Every pattern is linear in the length of the text. ``python -m benchmarks.redaction`` measures what
the rules find, and what they mistake for a name.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from anamnesis.language.lexicon import any_of, listed


def identifying(text: str) -> list[tuple[int, int, str, str]]:
    """Identifying parts of a text: start, end, kind and words, in order, without overlaps."""
    found: list[tuple[int, int, str]] = []
    for kind, pattern in _FORMS:
        found += [(*place.span("it"), kind) for place in pattern.finditer(text)]
    found += [(start, end, "PERSON") for start, end in _names(text)]
    chosen: list[tuple[int, int, str, str]] = []
    for start, end, kind in sorted(found, key=lambda item: (item[0], -item[1])):
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, end, kind, text[start:end]))
    return chosen


_MONTH = (
    rf"(?:{'|'.join(item.capitalize() for item in listed('month_abbreviation', 'month'))})\b\.?"
)
_DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    r"|\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4})\b"
)
# Dates from a patient's records; the day on which a complaint began is not one of these.
_DATED = rf"(?i:\b(?:{any_of('dated')})\b)"
_STREET = rf"(?:{'|'.join(item.capitalize() for item in listed('street'))})\b\.?"
_TOWN = r"(?:, (?:\d{4,5} )?[A-Z][\w'-]{1,30}(?: [A-Z][\w'-]{1,30})?)?"
_CARD = (
    rf"(?i:\b(?:{any_of('card')})\b)"
    r"(?i:[ ,:#]{1,2}(?:number|no\.?|id|card|is|was)\b){0,3}[ ,:#]{1,2}"
)
_FORMS = [
    (
        "EMAIL",
        re.compile(
            r"(?<![\w.+-])(?P<it>[\w.+-]{1,64}(?:@|\(at\))[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})"
        ),
    ),
    ("DATE", re.compile(rf"{_DATED}[^\d\n]{{0,25}}?(?P<it>{_DATE})")),
    (
        "NUMBER",
        re.compile(rf"{_CARD}(?P<it>(?=[A-Z-]{{0,8}}\d)[A-Z0-9-]{{4,24}}(?: \d{{3,4}}\b){{0,4}})"),
    ),
    ("NUMBER", re.compile(r"(?i:\bP\.?O\.? Box )(?P<it>\d{1,8})")),
    ("NUMBER", re.compile(r"(?i:\b(?:number|no\.) )(?P<it>\d{6,})(?!\w|[.,]\d)")),
    ("NUMBER", re.compile(r"(?i:\b(?:user ?name|login|handle)(?: is|:)? )(?P<it>\S{3,40}\w)")),
    # A British postcode; units have other letters.
    ("NUMBER", re.compile(r"\b(?P<it>[A-Z]{1,2}\d{1,2}[A-Z]? \d[ABD-HJLNP-UW-Z]{2})\b")),
    (
        "NUMBER",
        re.compile(
            r"(?i:\b(?:zip|zip code|post ?code|postal code)\b)(?: is|:)? "
            r"(?P<it>(?=[A-Z]{0,2}\d)[A-Z0-9]{2,5}(?: [A-Z0-9]{3,4}\b)?)"
        ),
    ),
    # Nine digits at least, as phones and cards have them, in groups or not.
    (
        "NUMBER",
        re.compile(r"(?<![\w.,/:-])(?P<it>[+(]?\d(?:[ ()-]{0,2}\d){8,17})(?![\w/:%]|[.,]\d)"),
    ),
    (
        "NUMBER",
        re.compile(
            r"(?i:\b(?:tel|telephone|phone|mobile|fax)\b)\.?(?: is|:| number)? "
            r"(?P<it>[+(]?\d(?:[ ().-]{0,2}\d){5,17})"
        ),
    ),
    (
        "ADDRESS",
        re.compile(
            rf"(?<![\w.])(?P<it>\d{{1,5}}[A-Za-z]? (?:[A-Z][\w'-]{{1,30}} ){{1,3}}{_STREET}"
            rf"(?:, (?:Apt|Flat|Unit|Suite) \w{{1,6}})?{_TOWN})"
        ),
    ),
    (
        "ADDRESS",
        re.compile(
            r"(?<!\w)(?P<it>[A-ZÄÖÜ]\w{1,30}(?:strasse|straße|str\.|weg|platz|gasse|allee) "
            rf"\d{{1,4}}[a-z]?{_TOWN})"
        ),
    ),
]

_CAPITAL = r"(?:[^\W\d_a-zß-öø-ÿ]\.|[^\W\d_a-zß-öø-ÿ][\w'’-]{0,40})"
_FULL = (
    rf"(?P<it>(?:(?:d[aeiou]s?|{any_of('name_particle')}) ){{0,2}}{_CAPITAL}"
    rf"(?: {_CAPITAL}){{0,3}})"
)
_RELATIVE = any_of("family", "near", "grandparent", "acquaintance", "child")
# After these words there is always a name.
_SURE = re.compile(
    r"(?:\b(?i:name(?: is|['’]s| was|:)|called|named|signed,|regards,|wishes,|sincerely,)"
    rf"|\b(?:{'|'.join(item.capitalize() for item in listed('title'))})\b\.?"
    r"(?:,? (?:and )?(?:Mrs?|Dr)\b\.?)?"
    rf"|\b(?i:my|our|his|her) (?i:{_RELATIVE}|{any_of('companion')}),?) {_FULL}"
)
_HELLO = "|".join(word.capitalize() for word in listed("greeting"))
# After these words there may be a name: a common one, or one of at least two words.
_LIKELY = re.compile(
    r"(?:\b(?:I am|I['’]m|[Tt]his is|[Pp]atient|[Cc]lient|[Cc]ontact)\b|^I\b|(?<=[.!?] )I\b"
    rf"|\b(?:{_HELLO}|Dear|Thanks)\b)[,:]? {_FULL}",
    re.MULTILINE,
)
_WORDS = re.compile(rf"(?<![\w’'-])(?P<it>{_CAPITAL}(?: {_CAPITAL}){{0,3}})")
# The same without capitals, as in hasty typing.
_SMALL = re.compile(
    r"\b(?:(?P<sure>my name is|my name['’]s)|i am|i['’]m|this is) "
    r"(?P<it>(?P<first>[a-z'-]{2,40})(?: (?P<last>[a-z'-]{2,40}))?)"
)
_EPONYM = re.compile(rf"(?:['’]s?)?[ -](?:{any_of('eponym')})\b", re.IGNORECASE)
# Capitalised words that are not names of persons, after a cue or at the beginning of a sentence.
_NO_NAME = frozenset(
    listed(
        *("article", "demonstrative", "third", "third_possessive", "speaker", "be", "have"),
        *("speaker_possessive", "modal", "question", "preposition", "month"),
        without="by those were",
    )
) | frozenset(listed("no_name"))


def _names(text: str) -> Iterator[tuple[int, int]]:
    """The positions of names of persons."""
    for place in _SURE.finditer(text):
        yield from _name(text, *place.span("it"), least=1)
    for place in _LIKELY.finditer(text):
        for start, end in _name(text, *place.span("it"), least=1):
            words = text[start:end].split(" ")
            if len(words) > 1 or words[0] in _first_names():
                yield start, end
    for place in _SMALL.finditer(text):
        if place["sure"] or place["first"].title() in _first_names():
            whole = place["sure"] and place["last"] and place["last"] not in _NO_NAME
            yield place.start("it"), place.end("it" if whole else "first")
    for place in _WORDS.finditer(text):
        # A row of words with capitals that has a common first name, from its beginning on, which
        # at the beginning of a sentence may be any word.
        start, words = place.start("it"), place["it"].split(" ")
        common = [bare_name(word) in _first_names() for word in words]
        if not any(common):
            # Two words that are not usually capitalised, and not in a heading.
            for word in words:
                if bare_name(word).lower() not in _NO_NAME:
                    break
                start += len(word) + 1
            if text[place.end("it") : place.end("it") + 1] != ":":
                yield from _name(text, start, place.end("it"), least=2)
            continue
        before = text[max(0, start - 5) : start].rstrip("\"'“( ")
        first = not before or before[-1] in ".!?\n:"
        for word, is_name in zip(words, common, strict=True):
            if is_name or not (first or bare_name(word).lower() in _NO_NAME):
                yield from _name(text, start, place.end("it"), least=1)
                break
            first, start = False, start + len(word) + 1


def _name(text: str, start: int, end: int, least: int) -> Iterator[tuple[int, int]]:
    """The name in a row of capitalised words: up to the first word that is not part of a name."""
    stop = start
    for number, word in enumerate(text[start:end].split(" ")):
        if bare_name(word).lower() in _NO_NAME or (word.isupper() and len(word.rstrip(".")) > 1):
            break
        gap = 1 if number else 0
        if is_eponym(text, stop + gap + len(bare_name(word))):
            break
        stop += gap + len(word)
    if sum(len(word) > 1 for word in text[start:stop].split(" ")) >= least:
        whole = text[start:stop]
        yield start, stop - (len(whole) - len(bare_name(whole)))


def bare_name(word: str) -> str:
    """A name without the possessive and without punctuation."""
    for ending in ("'s", "’s"):
        word = word.removesuffix(ending)
    return word.rstrip("'’-")


def is_eponym(text: str, end: int) -> bool:
    """Whether the words that end there name a disease, a test or a plant."""
    return bool(_EPONYM.match(text, end))


@cache
def _first_names() -> frozenset[str]:
    """Common first names, without those that are also a word, a medicine, a month or a plant."""
    return frozenset((Path(__file__).parent / "first_names.txt").read_text("utf-8").split())
