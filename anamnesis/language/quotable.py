"""The quotable units of a passage: sentences that make a claim, and whole lists."""

import re
from typing import NamedTuple

from anamnesis.language.clauses import BASE_VERBS, SURE_VERBS, finite, plain_word
from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import negating
from anamnesis.language.pointers import points_elsewhere
from anamnesis.language.text import (
    Span,
    end_before_footnote,
    is_list_item,
    sentences,
    without_marker,
)

_PLURAL_VERB = (
    f"{any_of('be', 'have', 'do', 'modal', 'possibility')}|{'|'.join(sorted(SURE_VERBS))}"
)
# 'Others', 'Some are' and 'At that stage' find 374 more of the 208,001 sentences of MedQuAD; 40 of
# these, drawn at random, all refer back.
_DANGLING = re.compile(
    rf"^({any_of('referring', 'third', 'third_possessive', 'demonstrative')}"
    r"|others?(?! with| who))\b"
    # The preceding sentence has the subject: 'Side effects can include headaches.'
    r"|^(?:(?:the|some|most|common|possible|serious) )*side[ -]effects\b"
    r"(?! (?:of|from|for|with|to)\b)"
    # 'Some are minor', 'Most die within two years': the preceding sentence names what they are.
    rf"|^(?:some|most|many|several|few) (?:{_PLURAL_VERB})\b(?!-| factors?\b| of\b| is\b)"
    # 'At that stage', 'During this test', but not 'In those with fever' and 'At this time'.
    rf"|^(?:at|in|by|under) (?:that|this|those(?! (?:{any_of('restricting')})\b))"
    r" (?!time\b|way\b)\w"
    r"|^during (?:that|this)\b",
    re.IGNORECASE,
)
# 'More than one of these factors', 'before this test': the preceding sentence names what is meant.
# 'This condition' is usually the topic.
_BACKWARDS = re.compile(
    r"\b(?:(?:these|those) (?:\w+ )?(?P<noun>"
    rf"{any_of('referred_to', 'illness', 'remedy', without='illness infection medication vaccine')}"
    rf")s|this (?P<one>{any_of('remedy', without='medication vaccine')}))\b",
    re.IGNORECASE,
)
# The items of such a list are the resources, so it refers to nothing before it. Of 2,522 lists of
# MedQuAD whose first word may refer back, 1,085 begin so; of 45 others, drawn at random, nearly all
# do refer back. 'These resources from … offer information' names no illness, and is not quoted.
_RESOURCES = re.compile(r"^these resources address\b[^\n]*:\n", re.IGNORECASE)
# 'Most of them have no cure': no word before the pronoun can be what it stands for. Of 93,534
# sentences of ``asked``, 342 are found; of 50 of these, drawn at random, about 5 do not refer back.
_PLURAL_PRONOUN = re.compile(r"\b(?:they|them|their|themselves)\b", re.IGNORECASE)
_MEANT = re.compile(rf"\b(?:\w{{3,}}s|\w+(?:i|ae)|{any_of('antecedent')})\b", re.IGNORECASE)
# 'False beliefs' alone are a sign of an illness (delusions).
_MYTH = re.compile(
    rf"\b(myths?|misconceptions?|({any_of('false_word')}|mistaken) (claim|idea)s?"
    r"|(wrong|mistaken) beliefs?|false belief that"
    r"|(wrongly|mistakenly|falsely) (believ|think|thought|claim)\w*)\b",
    re.IGNORECASE,
)
# Items under such a lead-in are not claims of the text: 'Do not believe these myths:'.
_DENIES = re.compile(rf"\b({negating()}|{any_of('no_claim', 'false_word')})\b", re.IGNORECASE)
# A list item is a sentence only with a verb: 'The age of the patient.' is not.
_VERB = re.compile(
    rf"\b({any_of('be', 'have', 'do', 'modal', 'possibility')}|must|become\w*"
    rf"|({any_of('verb_of_an_item')})s?)\b",
    re.IGNORECASE,
)
_LONGEST_NAME = 8  # words
# A verb that is in no word list: 'strikes the big toe', 'usually begin'.
_SAYS = re.compile(
    r"\w(?:s|ed) (?:an?|the|your|their|his|her)\b|\b(?:never|often|rarely|sometimes|usually) \w"
    r"|\w['’](?:re|m|ll|ve)\b|:",
    re.IGNORECASE,
)
# 'is taken by mouth': the heading above such an item is lost.
_HEADLESS = re.compile(rf"^({any_of('be')})\b")
_ANNOUNCES = re.compile(r"(:|[^.!?\"”')])$|\bfollowing\b|^here (is|are)\b", re.IGNORECASE)


_LONGEST_LABEL = 3  # words
_LONGEST_LIST = 1_200
"""Maximum characters of a list whose items go on after their first sentence. Of a longer one the
first items are quoted."""

ADJOINING = 4
"""Maximum characters between neighbouring units: a blank, a paragraph break, a list marker."""


class Unit(NamedTuple):
    """A part of a passage that can be quoted.

    ``passage`` is the passage's index in the evidence, ``place`` that of the unit's first sentence,
    ``text`` is the passage's ``text[span.start:span.end]``.
    """

    passage: int
    place: int
    span: Span
    text: str


class _Block(NamedTuple):
    """A sentence, or a list item with the sentences that follow it on its line."""

    first: int
    upto: int
    item: bool


def units(text: str, passage: int = 0) -> list[Unit]:
    """The quotable units of a passage, in order.

    A list of short items is one unit with its lead-in; if the items are sentences, each item is a
    unit. Items that begin in lower case continue the lead-in's sentence, whatever follows in them:
    they are one unit with it too. A label at the beginning of the line, such as 'Children.', is
    quoted with the sentence after it, which may hold only for what it names. Headings, other
    labels, questions, pointers to other parts of a page, and short items without a lead-in are not
    units. The number of a footnote after the full stop is left out.
    """
    spans = sentences(text)
    blocks = _blocks(text, spans)
    found: list[Unit] = []

    def quote(first: int, last: int) -> str:
        piece = text[spans[first].start : end_before_footnote(text, spans[last])]
        return without_marker(piece) if is_list_item(piece) else piece

    def add(first: int, last: int) -> None:
        piece, end = quote(first, last), end_before_footnote(text, spans[last])
        found.append(Unit(passage, first, Span(end - len(piece), end), piece))

    at = 0
    denied = False
    while at < len(blocks):
        upto = _end_of_list(text, spans, blocks, at)
        first, last = blocks[at].first, blocks[max(at, upto - 1)].upto - 1
        if not blocks[at].item:
            denied = _denies(quote(first, blocks[at].upto - 1))
        quotation = quote(first, last)
        alone = not blocks[at].item or (not denied and _stands_alone(quotation))
        if upto > at or (_is_claim(quotation) and alone):
            add(first - _labelled(text, spans, first), last)
        at = max(upto, at + 1)
    return found


def _labelled(text: str, spans: list[Span], place: int) -> bool:
    """Whether the sentence before this one is a label that begins their line."""
    if place < 1 or is_list_item(text[slice(*spans[place - 1])]):
        return False
    start, end = spans[place - 1]
    before = text[spans[place - 2].end : start] if place > 1 else "\n"
    label = text[start:end]
    return (
        "\n" in before
        and "\n" not in text[end : spans[place].start]
        and label.endswith(".")
        and len(label.split()) <= _LONGEST_LABEL
        and not _VERB.search(label)
    )


def _denies(lead: str) -> bool:
    """Whether a text is the lead-in of a list of false statements."""
    return bool(_ANNOUNCES.search(lead) and _DENIES.search(lead))


def _stands_alone(item: str) -> bool:
    """Whether a list item is a sentence by itself."""
    return len(sentences(item)) > 1 or bool(_VERB.search(item))


def _blocks(text: str, spans: list[Span]) -> list[_Block]:
    blocks: list[_Block] = []
    for place, (start, end) in enumerate(spans):
        item = is_list_item(text[start:end])
        on_line = place > 0 and "\n" not in text[spans[place - 1].end : start]
        if blocks and blocks[-1].item and not item and on_line:
            blocks[-1] = blocks[-1]._replace(upto=place + 1)
        else:
            blocks.append(_Block(place, place + 1, item))
    return blocks


def _end_of_list(text: str, spans: list[Span], blocks: list[_Block], at: int) -> int:
    """The block after the list of short items that block ``at`` introduces; ``at`` if none."""

    def piece(block: _Block) -> str:
        return text[spans[block.first].start : spans[block.upto - 1].end]

    if blocks[at].item or not _ANNOUNCES.search(piece(blocks[at])):
        return at
    first = at + 1
    # 'X has the following signs. Signs, and how common they are:' is one lead-in.
    if first < len(blocks) and not blocks[first].item and piece(blocks[first]).endswith(":"):
        first += 1
    upto = first
    while upto < len(blocks) and blocks[upto].item:
        upto += 1
    items = blocks[first:upto]
    texts = [without_marker(piece(block)) for block in items]
    if any(_HEADLESS.match(item) for item in texts) and "following" in piece(blocks[at]):
        return at
    sentence_like = all(_is_claim(item) and _stands_alone(item) for item in texts)
    short = all(block.upto - block.first == 1 for block in items) and not sentence_like
    if not items or short or _denies(piece(blocks[at])):
        return upto if items else at
    if 2 * sum(item[:1].islower() for item in texts) <= len(texts):
        return at
    ends = [spans[block.upto - 1].end - spans[blocks[at].first].start for block in items]
    quoted = sum(end <= _LONGEST_LIST for end in ends)
    return first + quoted if quoted else at


def _is_claim(piece: str) -> bool:
    # A few words before a full stop are a label ('Shortness of breath.'), not a claim.
    ended = re.search(r"[.!][\"”')\]]*$", piece)
    opened = piece[:1].isupper() or piece[:1].isdigit()
    return (
        bool(ended)
        and opened
        and len(piece.split()) > _LONGEST_LABEL
        and not points_elsewhere(piece)
    )


def only_names(text: str) -> bool:
    """Whether a text may consist only of names, such as 'Fever, weight loss.'

    Names do not say whether they are signs, causes or a cure, and any passage that contains them
    seems to support them.
    """
    pieces = [[plain_word(word) for word in piece.split()] for piece in re.split(r"[,;]", text)]
    # The last word of a name is a noun ('blood tests'); 'statins lower' has a verb, but 'weight
    # gain' does not.
    verbs = any(
        finite(word) or (word in BASE_VERBS and before.endswith("s"))
        for piece in pieces
        for before, word in zip(["", *piece], piece[:-1], strict=False)
    )
    says = _stands_alone(text) or verbs or _SAYS.search(text)
    return not says and max(map(len, pieces)) <= _LONGEST_NAME


def is_about_myths(heading: str, text: str) -> bool:
    """Whether a passage lists false beliefs (myths).

    Its sentences, taken alone, state as fact what the passage denies. Such a passage is neither
    quoted nor used as evidence.
    """
    return bool(_MYTH.search(f"{heading} {text}"))


def dangling(text: str) -> bool:
    """Whether a sentence refers to the preceding one."""
    if _RESOURCES.match(text):
        return False
    pronoun = _PLURAL_PRONOUN.search(text)
    if _DANGLING.match(text) or (pronoun and not _MEANT.search(text, 0, pronoun.start())):
        return True
    return any(
        (found["noun"] or found["one"]).lower() not in text[: found.start()].lower()
        for found in _BACKWARDS.finditer(text)
    )


def quoted(statement: str, text: str) -> Span | None:
    """The span where a text contains the statement word for word, as one or more whole sentences.

    Part of a sentence does not count: 'aspirin cures the flu' is not a quotation from 'It is a myth
    that aspirin cures the flu'. Nor is an item of a list of myths without its lead-in.
    """
    spans = sentences(text)
    ends = {end for span in spans for end in (span.end, end_before_footnote(text, span))}
    lead = ""
    for block in _blocks(text, spans):
        if not block.item:
            lead = text[slice(*spans[block.first])]
        elif _denies(lead):
            continue
        for start, end in spans[block.first : block.upto]:
            bare = without_marker(text[start:end]) if is_list_item(text[start:end]) else ""
            for begin in {start, end - len(bare)}:
                span = Span(begin, begin + len(statement))
                if statement and text.startswith(statement, begin) and span.end in ends:
                    return span
    return None
