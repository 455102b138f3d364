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
from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import negating
from anamnesis.language.text import written_date
from anamnesis.memory.profile import Entry, Warned
from anamnesis.memory.wording import BEING

MENTIONED_CHILD = "5"
"""The age in years of a child whose age is not known, so that warnings on young children count."""
# A condition that comes first is a clause by itself: 'If paracetamol does not help, ibuprofen may.'
_CLAUSE = re.compile(
    rf"\b(?:if|when|unless)\b[^,.;:()]{{1,150}},|[.;:()]|,? \b(?:{any_of('contrast')}|however)\b"
    r"|, (?:and|or|so)\b",
    re.IGNORECASE,
)
# What follows limits a recommendation: 'Ibuprofen may be used if rest does not help.'
_IF = re.compile(r" if\b", re.IGNORECASE)
# A sentence with such a word recommends nothing. 'Without a prescription' and 'no more than' do.
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
_GROUPS = {
    "pregnant": re.compile(rf"\b(?:{any_of('pregnancy')}|baby)\b", re.IGNORECASE),
    "breastfeeding": re.compile(rf"\b(?:{any_of('breastfeeding')})\b", re.IGNORECASE),
}
_NOUNS = {
    "pregnancy": {"pregnant": "pregnancy"},
    "age": {"0": "a baby", MENTIONED_CHILD: "a child"},
    "condition": BEING,
}
"""What to call the value of a field that a question only mentions."""
_AGES = re.compile(
    rf"\b(?:{any_of('children', 'adolescents', 'elderly')}|under \d+)\b", re.IGNORECASE
)


def warnings(statement: str, profile: Sequence[Entry], today: datetime) -> list[Warned]:
    """The warnings for a statement, at most one per entry, in the order of the profile.

    Empty if the statement itself tells such people to avoid it, or recommends nothing.
    """
    own = {entry: names_of(entry) for entry in profile}
    names = medicine_names().union(*own.values())
    said = advised_mentions(statement, names)
    found: list[Warned] = []
    for entry, values in own.items():
        if not said or says_so(statement, entry):
            continue
        for one in said:
            if (why := reason(entry, values, one, today)) is not None:
                found.append(warning_of(entry, statement[one.start : one.end], why))
                break
    return found


def advised_mentions(statement: str, names: frozenset[Key]) -> list[Mention]:
    """The places at which a statement mentions one of the names without advising against it."""
    return [one for one in mentions(statement, names) if _may_be_taken(statement, one)]


def reason(entry: Entry, values: frozenset[Key], one: Mention, today: datetime) -> str | None:
    """Why an entry is a reason not to take a medicine mentioned, to be read after its name.

    ``values`` are the names of the entry (``names_of``). None if the tables give no reason.
    """
    if entry.field == "allergy" and one.key in values:
        return _allergy_reason(entry, one)
    for caution in cautions():
        if caution.field != entry.field or one.key not in caution.medicines:
            continue
        if entry.field == "age":
            holds = caution.least <= entry.age(today) <= caution.most
        else:
            holds = bool(values & caution.of)
        if holds and not (entry.field == "medicine" and one.key in values):
            why = ". Taken together, they" if entry.field == "medicine" else ", which"
            return f"{why} {caution.why} ({caution.reference})"
    return None


def names_of(entry: Entry) -> frozenset[Key]:
    """The names under which an entry is looked up: its name, and the names of its family."""
    value = comparison_key(entry.value)
    parts = range(len(value))
    within = {value[start : end + 1] for start in parts for end in parts if start <= end}
    if entry.field == "allergy":
        related = (one.members for one in families().values() if one.shared)
        known = [members for members in related if members & within]
        return frozenset([value]).union(*known)
    if entry.field == "condition":
        return frozenset(one.key for one in longest_mentions(entry.value, condition_names()))
    return frozenset(within) if entry.field in ("medicine", "pregnancy") else frozenset()


def _allergy_reason(entry: Entry, one: Mention) -> str:
    """Why an allergy applies to a medicine: the same substance, or one of the same family."""
    if one.key == comparison_key(entry.value):
        return ""
    for family in families().values():
        if family.shared and one.key in family.members:
            return f", which is one of the {family.name} ({family.reference})"
    return ""


def _may_be_taken(statement: str, one: Mention) -> bool:
    """Whether the clause with a mention does not advise against taking it."""
    start, end = 0, len(statement)
    for border in _CLAUSE.finditer(statement):
        if border.end() <= one.start:
            start = border.end()
        elif border.start() >= one.end:
            end = border.start()
            break
    if condition := _IF.search(statement, one.end, end):
        end = condition.start()
    clause = statement[start:end]
    if _ALREADY.search(statement[max(0, one.start - 80) : one.start]):
        return False
    near = statement[max(start, one.start - 12) : min(end, one.end + 12)]
    return not (_AGAINST.search(_HELPS.sub(" ", clause)) or _ALLERGIC.search(near))


def says_so(statement: str, entry: Entry) -> bool:
    """Whether the statement itself warns such people."""
    if not (_AGAINST.search(statement) or re.search(r"\bask\b|\btell\b", statement)):
        return False
    if entry.field == "allergy":
        return bool(_ALLERGIC.search(statement))
    if entry.field == "age":
        return bool(_AGES.search(statement))
    if entry.field == "pregnancy":
        return bool(_GROUPS[entry.value].search(statement))
    value = comparison_key(entry.value)
    own = {value, value[-2:], value[-1:]} if entry.field == "condition" else {value}
    return bool(mentions(statement, frozenset(own)))


def warning_of(entry: Entry, name: str, why: str, asked: bool = False) -> Warned:
    """The text of the warning that an entry is a reason not to take a medicine.

    A statement is about the medicine or, if ``asked``, the question mentions it.
    """
    if not asked:
        about = f"; this statement is about {name}"
    else:
        about = f" and {name}" if entry.mentioned else f", and the question mentions {name}"
    return {
        "entry": entry.text,
        "medicine": name,
        "text": f"{_you(entry)}{about}{why}. Ask a doctor or pharmacist first.",
    }


def _you(entry: Entry) -> str:
    """The beginning of a warning: what is known of the user, or what the question mentions."""
    if entry.mentioned:
        noun = {
            "age": f"an age of {entry.value} year{'s' * (entry.value != '1')}",
            "allergy": f"an allergy to {entry.value}",
        }.get(entry.field, entry.value)
        return f"The question mentions {_NOUNS.get(entry.field, {}).get(entry.value, noun)}"
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
