"""Read the entries of a patient profile from a user's words, by rules.

Only statements in the first person about the present are read: no questions, conditions, hearsay or
statements about other people (``anamnesis.memory.clauses``), and no temporary complaints.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache

from anamnesis.corpus.cautions import comparison_key, condition_names, medicine_names, mentions
from anamnesis.corpus.medicines import maxima
from anamnesis.corpus.starter import read_starter
from anamnesis.errors import SettingError
from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.names import is_disease, is_drug
from anamnesis.language.quantities import any_unit, old
from anamnesis.language.text import sentence_texts, straight
from anamnesis.language.words import singular
from anamnesis.memory.clauses import ALLERGIC, BEING, FEEDING, NO_CONDITION, clauses
from anamnesis.memory.profile import Entry, Field, checked_entry, latest

_NOW = rf"(?:(?:{any_of('now')}) ){{0,3}}+"
_AM = rf"(?:am|have been|was recently found to be) {_NOW}"
_LIST = r"(?P<list>.+)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


# A field, and the predicates after 'I' that end with a list of its values.
_LISTS: tuple[tuple[Field, re.Pattern[str]], ...] = (
    ("allergy", _pattern(rf"{_AM}(?:{ALLERGIC}) {_LIST}")),
    (
        "allergy",
        _pattern(
            rf"(?:have|had) {_NOW}(?:an? )?(?:\w+ )?(?:allerg(?:y|ies)|allergic reactions?"
            rf"|intolerance) to {_LIST}"
        ),
    ),
    ("allergy", _pattern(rf"have {_NOW}(?:an? )?(?P<list>[\w-]+(?: [\w-]+)?) allergy")),
    (
        "medicine",
        _pattern(
            rf"(?:{_AM}(?:on|taking|using|prescribed)|{_NOW}(?:take|use|inject|started(?: taking)?)"
            rf"|was {_NOW}(?:prescribed|put on|started on)) {_LIST}"
        ),
    ),
    (
        "condition",
        _pattern(
            rf"(?:(?:was|am|have been) {_NOW}diagnosed with|{_NOW}suffer from"
            rf"|{_NOW}live with|have {_NOW}(?:had|got)?) ?{_LIST}"
        ),
    ),
)
_MINE: tuple[tuple[Field, re.Pattern[str]], ...] = (
    ("allergy", _pattern(rf"my (?:known )?allergies (?:are|include) {_LIST}")),
    (
        "medicine",
        _pattern(
            rf"my (?:regular |current )?(?:medicines|medications|meds) (?:are|include) {_LIST}"
        ),
    ),
)
_REACTION = _pattern(
    r"(?P<list>[\w-]+(?: [\w-]+)?) (?:always )?(?:gives? me|brings? me out in|makes? me (?:come out"
    r" in|break out in)) (?:an? )?(?:bad )?(?:hives|rash|welts|anaphyla\w+|allergic reaction)"
)
_PREGNANT = _pattern(
    rf"{_AM}(?:(?:about |over )?\d+ (?:weeks?|months?) )?(?:pregnant|expecting(?! (?:to|it|that))"
    rf"|in (?:my|the) (?:{any_of('ordinal', without='fourth')}) trimester)\b"
)
_FEEDING = _pattern(rf"{_AM}(?:{FEEDING})\b")
_AGE = _pattern(
    rf"(?:{_AM}|as )(?:an? )?(?:(?P<age>\d{{1,3}})(?:[ -]?{old('year')}"
    r"|(?P<letter>[mf])?(?=$| (?:and|with)\b)))"
)
_TURNED = _pattern(rf"(?:have )?{_NOW}turned (?P<age>\d{{1,3}})\b")
_SEX = _pattern(
    rf"(?:{_AM}|as )(?:an? )?(?:[\w/-]+ ){{0,4}}?"
    rf"(?P<sex>{any_of('woman', 'man')}|female|male)\b(?!')"
)
_FEMALE = frozenset({*listed("woman"), "female", "f"})
_BEING_ONE = _pattern(rf"{_AM}(?:an? )?(?:type [12] )?(?P<is>{'|'.join(BEING)})\b(?!')")
_WITH = _pattern(
    rf"(?:{_AM}|as )(?:an? )?[\w/ -]{{0,40}}?"
    rf"(?:{any_of('woman', 'man', without='girl lady boy')}|female|male|person|patient|old|\d)"
    rf"\b[^.]{{0,40}}? with {_LIST}"
)
_PREDICATES = _pattern(rf" and (?:i )?(?=(?:{any_of('goes_on')})\b)")
_OPENING = _pattern(
    rf"(?:(?:{any_of('greeting', 'agreement', 'clause_opening')})"
    r"\W{1,3}+){0,3}+(?=(?:i|my|as)\b)"
)
_SUBJECT = _pattern(r"i(?P<short>['’]m|m(?= )|['’]ve|ve(?= ))? ")
_ADVERBS = _pattern(rf"^{_NOW}")
_SHORT = {"m": "am", "ve": "have"}
_BETWEEN = _pattern(r" ?(?:,|;|\band\b|\bor\b|\bplus\b|\bas well as\b|\+|&) ?(?:to |also )?")
_AMOUNT = any_unit("mg", "mcg", "g", "ml", "unit", "iu", "tablet")
_BEFORE_ITEM = _pattern(
    rf"(?:(?:{any_of('before_item')}|low-dose|high-dose|chronic(?! (?:kidney|obstr|liver|fat))"
    rf"|the(?! (?:\w+ )?pill\b)|\d+ ?(?:{_AMOUNT})(?: of)?) ){{1,4}}+"
)
_ENDS = _pattern(
    rf" (?:{any_of('ends_item', 'preposition', without='of')}"
    rf"|\d+(?:\.\d+)? ?(?:{_AMOUNT}))\b.*| ?[(.!?].*"
)
_NOT_OWN = _pattern(
    r"\b(?:in (?:my|our|the) family|no more|no longer|any ?more|at home|neither|nor)\b"
)
_FOR = _pattern(r"\bfor (?:my |an? )?(?P<what>[\w' -]{1,60})$")
_REMEDIES = frozenset(listed("remedy"))
_PASSES = frozenset((*listed("complaint"), "headache", "cold", "flu", "hives", "constipation"))
_HEADS = frozenset(listed("head_of_condition"))
_NO_ITEM = frozenset(
    listed(
        *("question", "question_form", "be", "do", "have", "modal", "third", "speaker"),
        *("speaker_possessive", "third_possessive", "preposition", "negation", "agreement"),
        *("thanks", "ends_list"),
    )
)
_NAME = re.compile(r"[A-Za-z][\w'’ -]*")


def read_profile(text: str, at: datetime | None = None) -> list[Entry]:
    """What a text says about its author's health, each entry once, with the sentence as source.

    ``at`` is when it was said. A sentence that contains a quotation mark is not read.
    """
    found: list[Entry] = []
    for sentence in sentence_texts(text):
        for clause in clauses(_without_commas(" ".join(sentence.split()))):
            for field, value in entries_of_clause(clause):
                try:
                    found.append(checked_entry(field, value, sentence, at))
                except SettingError:
                    continue  # such as an age of 200
    return latest(found)


def _without_commas(sentence: str) -> str:
    """The sentence with 'and' in place of the commas of a list, so that no clause ends at them."""
    first, *parts = sentence.split(", ")
    allergies = "allerg" in first.lower()
    for part in parts:
        split = (item.strip(" .!?") for item in re.split(r"\band\b|\bor\b", part))
        items = [item for item in split if item]
        listed_here = items and all(
            len(item.split()) <= 3
            and item.split()[0].lower() not in _NO_ITEM
            and (allergies or _medicine(item) or _is_condition(item))
            for item in items
        )
        first += f" and {part.removeprefix('and ')}" if listed_here else f", {part}"
    return first


def entries_of_clause(clause: str) -> Iterator[tuple[Field, str]]:
    """The fields and values that a clause (see ``clauses``) says of its author."""
    clause = straight(clause)
    if reaction := _REACTION.match(clause):
        yield from (("allergy", value) for value in _items(reaction["list"], "allergy"))
    opening = _OPENING.match(clause)
    clause = clause[opening.end() :] if opening else clause
    for field, mine in _MINE:
        if match := mine.match(clause):
            yield from ((field, value) for value in _items(match["list"], field))
    subject = _SUBJECT.match(clause)
    if subject is None and not clause.lower().startswith("as "):
        return
    if subject:
        verb = _SHORT.get((subject["short"] or "").strip("'"), "")
        clause = f"{verb} {_ADVERBS.sub('', clause[subject.end() :])}".strip()
    for predicate in _PREDICATES.split(clause):
        yield from _entries_of_predicate(predicate)


def _entries_of_predicate(predicate: str) -> Iterator[tuple[Field, str]]:
    """The fields and values that a predicate after 'I' says of the speaker."""
    if aged := _AGE.match(predicate) or _TURNED.match(predicate):
        yield "age", aged["age"]
        if letter := aged.groupdict().get("letter"):
            yield "sex", "female" if letter.lower() in _FEMALE else "male"
    if being := _SEX.match(predicate):
        yield "sex", "female" if being["sex"].lower() in _FEMALE else "male"
    if _PREGNANT.match(predicate):
        yield "pregnancy", "pregnant"
    if _FEEDING.match(predicate):
        yield "pregnancy", "breastfeeding"
    if being := _BEING_ONE.match(predicate):
        yield "condition", BEING[being["is"].lower()]
    if (aged or _SEX.match(predicate)) and (having := _WITH.match(predicate)):
        yield from (("condition", value) for value in _items(having["list"], "condition"))
    for field, pattern in _LISTS:
        if match := pattern.fullmatch(predicate):
            items = list(_items(match["list"], field))
            yield from ((field, value) for value in items)
            if field == "medicine" and items and (cause := _FOR.search(match["list"])):
                yield from (("condition", value) for value in _items(cause["what"], "condition"))
            return


def _items(listing: str, field: Field) -> Iterator[str]:
    """The items of a list that can be a value of the field."""
    if _NOT_OWN.search(listing):
        return
    for part in _BETWEEN.split(listing):
        name = part.rpartition(" called ")[2].strip()
        before = _BEFORE_ITEM.match(name)
        name = _ENDS.sub("", name[before.end() :] if before else name).strip(" .'")
        words = name.lower().split()
        if not words or len(words) > 5 or not _NAME.fullmatch(name) or words[0] in NO_CONDITION:
            continue
        if field == "allergy" and words[0] not in ("anything", "nothing"):
            yield name
        if field == "medicine" and (medicine := _medicine(name)):
            yield medicine
        if field == "condition" and _is_condition(name):
            yield name


def _medicine(name: str) -> str | None:
    """The name of a medicine, if the text is one."""
    if known := mentions(name, medicine_names()):
        longest = max(known, key=lambda item: item.end - item.start)
        return name[longest.start : longest.end]
    if name.lower() in maxima():
        return name
    return next((word for word in name.split() if is_drug(word.lower())), None)


def _is_condition(name: str) -> bool:
    words = name.lower().replace("-", " ").split()
    if words == ["hay", "fever"]:
        return True
    last = {words[-1], singular(words[-1])}
    if last & _REMEDIES:
        return False
    if last & _PASSES or name.lower().endswith("allergy"):
        return False
    if any(is_disease(word) or word in _HEADS for word in words):
        return True
    # Initials: PCOS, COPD.
    initials = re.fullmatch(r"[A-Z][A-Za-z]*[A-Z]{1,4}", name) is not None
    return initials or bool(mentions(name, condition_names() | _starter()))


@cache
def _starter() -> frozenset[tuple[str, ...]]:
    """The conditions that the starter corpus has a page on."""
    return frozenset(
        comparison_key(record.focus)
        for record in read_starter()
        if record.metadata["category"] == "condition"
    )
