"""Parse the reply of a chat model into statements with citations."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from pydantic import BaseModel, Field

from anamnesis.language.layout import EMPHASIS, ITEM_START
from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.text import sentences, tokenize, without_thoughts
from nodes.checking.statements import unchecked_statement
from nodes.fields.codes import Problem
from nodes.question.options import find_choice
from nodes.state import Statement
from prompts import NOT_FOUND

# [1], [1, 2], [1-3], [^1], [Document 1], 【1】: models write citations in many ways.
_MARKER = re.compile(
    r"[\[【]\s*\^?(?:(?:doc(?:ument)?|source|ref(?:erence)?)s?\.?\s*)?"
    r"(\d{1,4}(?:\s*(?:[,;&–-]|and)\s*\^?\d{1,4})*)(?:†[^\]】]{0,200}+)?\s*[\]】]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?<!\d)(\d++)\s*+[–-]\s*(\d+)")
_LINK = re.compile(r"\[([^\[\]]+)\]\(\S{1,1000}?\)")
_SOURCES = "sources?|references?|citations?"
_HEADING = re.compile(rf"^\s*#|^\W*(answer|{_SOURCES})\W*$", re.IGNORECASE)
# The end of a text that is still being written: an open citation marker, or the last word.
_UNFINISHED = re.compile(r"(?:[\[【][^\]】]{0,200}|\S{1,200})\Z")
_NAMING = frozenset(listed("naming"))
_TEXTS = rf"(?:{any_of('document_part', without='statement record sentence claim page')}|context)s?"
# Preambles of small models.
_PREAMBLE = re.compile(
    r"^(?:question:.*?\?\s*"
    r"|(?:the\s+)?(?:(?:correct|right|best|final|short|full|complete)\s+)?answer"
    r"(?:\s+to\s+(?:this|the|your)\s+question)?(?:\s+is)?:\s*"
    rf"|(?:according\s+to|based\s+on)\s+the\s+(?:\w+\s+)?{_TEXTS}"
    r"(?:\s+(?:provided|given|above))?,\s*"
    rf"|the\s+{_TEXTS}\s+(?:also\s+)?"
    rf"(?:{any_of('document_says')})\s+that\s+"
    r"|[A-Z][^.?!:]{0,80}\?:\s*)",
    re.IGNORECASE,
)
# A statement that the model reports as wrong is not a claim of the model.
_DENIED = re.compile(
    rf"\W*(?:an?\s+|the\s+)?(?:{any_of('false_word')}|not\s+true)\b[^.?!]*:", re.IGNORECASE
)
# A pointer to further reading is no claim.
_POINTER = re.compile(rf"\W*(?:{any_of('further_reading')}|to find out more)\b", re.IGNORECASE)
_MOST_ITEM_WORDS = 8  # maximum words of a list item that is meaningless without the list's lead-in
_LEAST_WORDS = 3  # minimum words of a claim after a preamble
_MOST_IN_RANGE = 100  # maximum documents that a range such as [1-3] can cite
_YES_OR_NO = re.compile(
    r"^\W*(?:(?:the\s+)?answer(?:\s+to\s+(?:this|the|your)\s+question)?(?:\s+is)?\W*)?(?:yes|no)\W*$",
    re.IGNORECASE,
)
_LIST_OF_SOURCES = re.compile(rf"^\W*({_SOURCES})\W*$", re.IGNORECASE)


class WrittenStatement(BaseModel):
    """One claim of an answer, as a chat model gives it by schema."""

    text: str = Field(description="One claim in one plain sentence that names what it is about.")
    citations: list[int] = Field(description="Numbers of the documents that say so.")


class Written(BaseModel):
    """An answer from the numbered documents, as separate statements."""

    found: bool = Field(description="False if the documents do not hold the answer.")
    statements: list[WrittenStatement] = Field(
        description="The answer; empty only if it was not found."
    )


class WrittenChoice(Written):
    """An answer that chooses one of the options, from the numbered documents.

    A separate schema, because without options small models put their answer in ``choice``.
    """

    choice: str | None = Field(None, description="The letter or word of the chosen option.")
    statements: list[WrittenStatement] = Field(
        description="The reasons for the choice; empty if it was not found."
    )


class ParsedReply(NamedTuple):
    """The parsed reply of a chat model: statements and the option that it names, or a problem.

    If there are neither statements nor a problem, the model says that the documents do not contain
    the answer or, if there is a choice, names the option without a reason [K4].
    """

    statements: list[Statement]
    choice: str | None
    problem: Problem | None


def problem_text(problem: Problem, options: Collection[str]) -> str:
    """A problem as a sentence, for the note to the user and for the model that is asked again.

    ``options`` are the keys of the options, if there are any.
    """
    if problem == "no_option":
        return f"Name exactly one option: {', '.join(options)}."
    return "The answer holds no statement."


def says_not_found(text: str) -> bool:
    """Whether the model said that the documents do not contain the answer [R5]."""
    return NOT_FOUND.lower() in " ".join(_without_markup(text).lower().split())


def _without_markup(text: str) -> str:
    """The text without a model's reasoning and without markup."""
    return EMPHASIS.sub("", _LINK.sub(r"\1", without_thoughts(text)))


def _numbers(group: str) -> list[int]:
    """The numbers in a marker, with ranges expanded."""
    ranges = [
        range(int(a), min(int(b) + 1, int(a) + _MOST_IN_RANGE)) for a, b in _RANGE.findall(group)
    ]
    single = re.findall(r"\d+", _RANGE.sub(" ", group))
    return [*(int(number) for number in single), *(number for item in ranges for number in item)]


def without_unfinished_sentence(text: str) -> str:
    """A truncated text without its last sentence: half a sentence can say the opposite."""
    spans = sentences(text)
    return text[: spans[-1].start] if spans else ""


def claim_text(sentence: str) -> str:
    """A sentence of a chat model as a claim; "" if it makes none.

    The preamble of a claim is removed. A question, the lead-in of a list, a mere yes or no (which
    says nothing without the question), a statement reported as wrong, and a pointer to further
    reading make no claim.
    """
    claim = sentence.strip()
    while (found := _PREAMBLE.match(claim)) and len(claim[found.end() :].split()) >= _LEAST_WORDS:
        claim = claim[found.end() :]
        claim = claim[0].upper() + claim[1:]
    no_claim = _YES_OR_NO.match(claim) or _DENIED.match(claim) or _POINTER.match(claim)
    empty = claim.endswith(("?", ":")) or no_claim or not re.search(r"\w", claim)
    return "" if empty else claim


def parse(text: str, passage_ids: Sequence[str]) -> list[Statement]:
    """The sentences of a model's answer, each with the passages it cites.

    ``passage_ids`` are the passages that [1], [2] … refer to. A marker belongs to the sentence
    before it. A number that refers to no passage is ignored. Headings, a list of sources at the
    end, and a model's reasoning are no statements. A list item of a few words is put together with
    the lead-in of its list.
    """
    found: list[Statement] = []
    lead_in = ""
    for line in _without_markup(text).splitlines():
        if _LIST_OF_SOURCES.match(line) and found:
            break
        if _HEADING.match(line):
            continue
        is_item = bool(ITEM_START.match(line))
        line = ITEM_START.sub("", line).strip().strip("*").strip()
        if line and not is_item:
            last = line[sentences(line)[-1].start :]
            lead_in = last if last.endswith(":") and claim_text(last.rstrip(":")) else ""
        elif lead_in and 0 < len(line.split()) <= _MOST_ITEM_WORDS:
            line = f"{lead_in} {line[0].lower() if line[1:2].islower() else line[0]}{line[1:]}"
        # A marker after the full stop belongs to the sentence before it.
        line = re.sub(rf"([.!?])((?:\s*{_MARKER.pattern})+)", r"\2\1", line, flags=re.I)
        for span in sentences(line):
            piece = line[span.start : span.end]
            numbers = [n for group in _MARKER.findall(piece) for n in _numbers(group)]
            claim = claim_text(re.sub(r"\s+(?=[.!?,;:]|\s)", "", _MARKER.sub("", piece)))
            if not claim or says_not_found(claim):
                continue
            cited = _cited(dict.fromkeys(numbers), passage_ids)
            found.append(unchecked_statement(claim, cited))
    return found


def _cited(numbers: Iterable[int], passage_ids: Sequence[str]) -> list[str]:
    """The ids of the passages that these numbers, from 1, refer to."""
    return [passage_ids[number - 1] for number in numbers if 1 <= number <= len(passage_ids)]


def complete_statements(reply: str, passage_ids: Sequence[str]) -> list[Statement]:
    """The statements of a reply that is still being written, except the last one.

    The last one may continue, or its citation marker may follow. Empty if the reply says that the
    documents do not contain the answer. ``passage_ids`` are as for ``parse``.
    """
    whole = _UNFINISHED.sub("", without_thoughts(reply))
    return [] if says_not_found(whole) else parse(whole, passage_ids)[:-1]


def read_free_text(text: str, passage_ids: Sequence[str], options: dict[str, str]) -> ParsedReply:
    """An answer in free text: its statements, and the option that it names.

    ``passage_ids`` are as for ``parse``, with "" for a passage that the model was not shown.
    """
    if says_not_found(text):
        return ParsedReply([], None, None)
    choice = find_choice(_without_markup(text), options) if options else None
    if options and choice is None:
        return ParsedReply([], None, "no_option")
    said = [item for item in parse(text, passage_ids) if not _names_choice(item["text"], options)]
    return _without_repetitions(said, choice)


def read_structured(
    written: Written, passage_ids: Sequence[str], options: dict[str, str]
) -> ParsedReply:
    """An answer by schema, read as ``read_free_text`` reads one in free text."""
    if not written.found:
        return ParsedReply([], None, None)
    choice = None
    if options:
        named = (written.choice or "").strip() if isinstance(written, WrittenChoice) else ""
        keys = [key for key in options if key.casefold() == named.casefold()]
        choice = keys[0] if keys else find_choice(f"Answer: {named}", options)
        if choice is None:
            return ParsedReply([], None, "no_option")
    said: list[Statement] = []
    for entry in written.statements:
        marked = _cited(entry.citations, passage_ids)
        for item in parse(entry.text, passage_ids):
            cited = dict.fromkeys([*item["citations"], *marked])
            said.append({**item, "citations": list(cited)})
    return _without_repetitions(said, choice)


def _without_repetitions(statements: Sequence[Statement], choice: str | None) -> ParsedReply:
    """The reply with each statement once, citing only passages that the model was shown.

    It is a problem if there is neither a statement nor a choice.
    """
    once: dict[str, Statement] = {}
    for item in statements:  # small models repeat themselves
        first = once.setdefault(item["text"].casefold(), {**item, "citations": []})
        first["citations"] += [
            cited for cited in item["citations"] if cited and cited not in first["citations"]
        ]
    problem: Problem | None = None if once or choice else "no_statement"
    return ParsedReply(list(once.values()), choice, problem)


def _names_choice(text: str, options: dict[str, str]) -> bool:
    """Whether a sentence only names an option: 'Answer: B', 'B. Aspirin.'"""
    if not options or find_choice(text, options) is None:
        return False
    words = {word for item in options.values() for word in tokenize(item)}
    return set(tokenize(text)) <= words | {key.lower() for key in options} | _NAMING
