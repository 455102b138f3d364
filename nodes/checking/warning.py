"""Warnings on statements about something that the user may have to avoid.

What users said about themselves (``anamnesis.memory.profile``) is compared with the medicines that
a statement is about, using the tables of ``anamnesis.corpus.cautions``. A warning does not change
the statement, and the absence of a warning does not mean that something is safe.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from anamnesis.corpus.cautions import (
    Key,
    Mention,
    cautions,
    comparison_key,
    condition_names,
    families,
    longest_mentions,
    medicine_names,
    mentions,
)
from anamnesis.language.borders import border
from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import negating
from anamnesis.language.text import written_date
from anamnesis.memory.clauses import BEING
from anamnesis.memory.profile import Entry, Warned

ASSUMED_CHILD_AGE = "5"
"""The age in years that is assumed for a child whose age is not known; so low that all warnings on
children count."""
# A condition that comes first is a clause by itself: 'If paracetamol does not help, ibuprofen may.'
_CLAUSE_BORDER = re.compile(
    rf"\b(?:if|when|unless)\b[^,.;:()]{{1,150}},|{border('however', comma=False)}"
    r"|, (?:and|or|so)\b",
    re.IGNORECASE,
)
# What follows limits a recommendation: 'Ibuprofen may be used if rest does not help.'
_IF = re.compile(r" if\b", re.IGNORECASE)
# A clause with such a word recommends nothing. One with 'without a prescription' or 'no more than'
# may recommend something.
_AGAINST = re.compile(
    rf"\b(?:not(?! only)|{negating(without='no not without')}"
    rf"|{any_of('against', 'harm', without='fatal* damag* kill* death')}"
    r"|talk to (?:a|your|their) \w+"
    rf"|(?:was|were) (?:first )?(?:{any_of('history_of_medicine')}))\b",
    re.IGNORECASE,
)
# 'Lowers the risk of a stroke' recommends the medicine.
_HELPS = re.compile(r"\b(?:lower|reduc|prevent)\w* (?:the )?(?:risk|harm|danger)\w*", re.IGNORECASE)
# A sentence about people who already take a medicine does not advise starting it.
_ALREADY = re.compile(
    rf"(?:\b(?:{any_of('already_taking', 'have')})"
    r"(?: \w{1,20}){0,2} (?:taking|using|taken)|\btook"
    rf"|\b(?:{any_of('within_time', without='while')})(?: taking| using)?)"
    r"(?: (?:an?|the|your|any))? $",
    re.IGNORECASE,
)
_ALLERGIC = re.compile(r"allerg", re.IGNORECASE)
_LONGEST_BEFORE = 80  # characters before a medicine that may say that it is already taken
_NEAR = 12  # characters around a medicine in which 'allergic' is about it
_ASKS_FIRST = re.compile(r"\b(?:ask|tell)\b", re.IGNORECASE)  # 'Tell your doctor if …'
_PREGNANCY_PATTERNS = {
    "pregnant": re.compile(rf"\b(?:{any_of('pregnancy')}|baby)\b", re.IGNORECASE),
    "breastfeeding": re.compile(rf"\b(?:{any_of('breastfeeding')})\b", re.IGNORECASE),
}
_MENTIONED_AS = {
    "pregnancy": {"pregnant": "pregnancy"},
    "age": {"0": "a baby", ASSUMED_CHILD_AGE: "a child"},
    "condition": BEING,
}
"""How a warning names a value that the question only mentions, by field."""
_AGES = re.compile(
    rf"\b(?:{any_of('children', 'adolescents', 'elderly')}|under \d+)\b", re.IGNORECASE
)


def warnings(statement: str, profile: Sequence[Entry], today: datetime) -> list[Warned]:
    """The warnings for a statement, at most one per entry, in the order of the profile.

    There is none for an entry if the statement itself warns people with this entry, and none at all
    if the statement recommends nothing. A medicine that the question only mentions is no reason if
    the statement names it too, because the statement then speaks of both.
    """
    names_by_entry = {entry: names_of(entry) for entry in profile}
    advised = advised_mentions(statement, medicine_names().union(*names_by_entry.values()))
    found: list[Warned] = []
    for entry, names in names_by_entry.items():
        if not advised or warns_itself(statement, entry):
            continue
        if entry.mentioned and entry.field == "medicine" and mentions(statement, names):
            continue
        for one in advised:
            if (why := reason(entry, names, one, today)) is not None:
                found.append(warning_of(entry, statement[one.start : one.end], why))
                break
    return found


def advised_mentions(statement: str, names: frozenset[Key]) -> list[Mention]:
    """The places at which a statement mentions one of the names as something that may be started.

    What it advises against, or says of people who already take the medicine, is left out.
    """
    return [one for one in mentions(statement, names) if _may_be_taken(statement, one)]


def reason(entry: Entry, names: frozenset[Key], one: Mention, today: datetime) -> str | None:
    """What a warning says after a medicine's name: why an entry speaks against this medicine.

    ``names`` are those of the entry (``names_of``). Empty if the user is allergic to the medicine
    itself; None if the tables give no reason.
    """
    if entry.field == "allergy" and one.key in names:
        return _allergy_reason(entry, one)
    for caution in cautions():
        if caution.field != entry.field or one.key not in caution.medicines:
            continue
        if entry.field == "age":
            holds = caution.least <= entry.age(today) <= caution.most
        else:
            holds = bool(names & caution.of)
        # A medicine does not interact with itself.
        if holds and not (entry.field == "medicine" and one.key in names):
            why = ". Taken together, they" if entry.field == "medicine" else ", which"
            return f"{why} {caution.why} ({caution.reference})"
    return None


def names_of(entry: Entry) -> frozenset[Key]:
    """The names under which the tables may list an entry.

    - An allergy: its value, and all members of the families in which an allergy is shared.
    - A condition: the known conditions that its value names.
    - A medicine or a pregnancy: every run of words of its value ('low dose aspirin': 'aspirin').
    - Other fields: none.
    """
    value = comparison_key(entry.value)
    places = range(len(value))
    runs = {value[start : end + 1] for start in places for end in places if start <= end}
    if entry.field == "allergy":
        shared = (one.members for one in families().values() if one.shared)
        related = [members for members in shared if members & runs]
        return frozenset([value]).union(*related)
    if entry.field == "condition":
        return frozenset(one.key for one in longest_mentions(entry.value, condition_names()))
    return frozenset(runs) if entry.field in ("medicine", "pregnancy") else frozenset()


def _allergy_reason(entry: Entry, one: Mention) -> str:
    """The text on the family that an allergy and a medicine share; empty for the same substance."""
    if one.key == comparison_key(entry.value):
        return ""
    for family in families().values():
        if family.shared and one.key in family.members:
            return f", which is one of the {family.name} ({family.reference})"
    return ""


def _may_be_taken(statement: str, one: Mention) -> bool:
    """Whether the clause with a mention allows to start taking what is mentioned."""
    start, end = 0, len(statement)
    for found in _CLAUSE_BORDER.finditer(statement):
        if found.end() <= one.start:
            start = found.end()
        elif found.start() >= one.end:
            end = found.start()
            break
    if condition := _IF.search(statement, one.end, end):
        end = condition.start()
    clause = statement[start:end]
    if _ALREADY.search(statement[max(0, one.start - _LONGEST_BEFORE) : one.start]):
        return False
    near = statement[max(start, one.start - _NEAR) : min(end, one.end + _NEAR)]
    return not (_AGAINST.search(_HELPS.sub(" ", clause)) or _ALLERGIC.search(near))


def warns_itself(statement: str, entry: Entry) -> bool:
    """Whether the statement itself warns people with this entry."""
    if not (_AGAINST.search(statement) or _ASKS_FIRST.search(statement)):
        return False
    if entry.field == "allergy":
        return bool(_ALLERGIC.search(statement))
    if entry.field == "age":
        return bool(_AGES.search(statement))
    if entry.field == "pregnancy":
        return bool(_PREGNANCY_PATTERNS[entry.value].search(statement))
    value = comparison_key(entry.value)
    # Chronic kidney disease is also called kidney disease, or the disease.
    names = {value, value[-2:], value[-1:]} if entry.field == "condition" else {value}
    return bool(mentions(statement, frozenset(names)))


def warning_of(entry: Entry, name: str, why: str, asked: bool = False) -> Warned:
    """The warning that an entry speaks against a medicine, for the reason ``why``.

    A statement is about the medicine ``name`` or, if ``asked``, the question mentions it.
    """
    if not asked:
        about = f"; this statement is about {name}"
    else:
        about = f" and {name}" if entry.mentioned else f", and the question mentions {name}"
    return {
        "entry": entry.text,
        "medicine": name,
        "why": why,
        "text": f"{_you(entry)}{about}{why}. Ask a doctor or pharmacist first.",
    }


def _you(entry: Entry) -> str:
    """The beginning of a warning: what is known of the user, or what the question mentions."""
    if entry.mentioned:
        known = _MENTIONED_AS.get(entry.field, {}).get(entry.value)
        other = {
            "age": f"an age of {entry.value} year{'s' * (entry.value != '1')}",
            "allergy": f"an allergy to {entry.value}",
        }.get(entry.field, entry.value)
        return f"The question mentions {known or other}"
    what = {
        "age": f"you are {entry.value} years old",
        "sex": f"you are {entry.value}",
        "pregnancy": f"you are {entry.value}",
        "allergy": f"you are allergic to {entry.value}",
        "condition": f"you have {entry.value}",
        "medicine": f"you take {entry.value}",
    }[entry.field]
    if entry.stated is None:
        return f"You said that {what}"
    day = written_date(entry.stated)
    return f"You said on {day} that {what}" if entry.words else f"Your profile says that {what}"


def warning_lines(found: Sequence[Warned]) -> list[str]:
    """The warnings as lines to show below the text that they are about."""
    return [f"  Warning: {item['text']}" for item in found]
