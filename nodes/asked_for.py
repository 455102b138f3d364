"""Names that a model lists, told with what announced them or with what was asked for."""

import re

from nodes.clauses import finite, plain_word
from nodes.units import stands_alone

_LONGEST = 8  # words of one name of a list
# A verb that no list has: 'strikes the big toe', 'usually begin'.
_SAYS = re.compile(r"\w(?:s|ed) (?:an?|the|your|their|his|her)\b|\b(?:often|usually|rarely) \w")
# 'and how is it treated' asks for something else as well.
_ONLY = r"(?!.*\b(?:how|what|when|where|which|who|whom|whose|why|is|are|can|do|does|should|will)\b)"
_FORMS = [
    (re.compile(rf"what are {_ONLY}(\w.*)", re.IGNORECASE), "{} include:"),
    (re.compile(rf"who is (at (?:\w+ )?risk (?:for|of) {_ONLY}\w.*)", re.IGNORECASE), "{} are:"),
]


def announced(lead: str, item: str) -> str:
    """An item behind the line that announces it; what is written as a name keeps its capital."""
    first = item.split()[0]
    name = any(letter.isupper() for letter in first[1:]) or first.endswith(("'s", "’s"))
    return f"{lead} {item if name else item[0].lower() + item[1:]}"


def completed(question: str, answer: str) -> str:
    """A list of names as a claim: 'The signs of gout include: fever.' for 'Fever.'

    Small models answer so. By themselves names claim nothing, and any passage that has them seems
    to bear them out. An answer with a verb, and one to a question of another form, is left as it
    is.
    """
    words = [plain_word(word) for word in answer.split()]
    longest = max((len(name.split()) for name in re.split(r"[,;]", answer)), default=0)
    if not words or ":" in answer or longest > _LONGEST:
        return answer
    if stands_alone(answer) or _SAYS.search(answer) or any(map(finite, words)):
        return answer
    if set(words) <= {plain_word(word) for word in question.split()}:
        return answer  # 'Gout.' names no sign of gout
    asked = question.strip().rstrip("?").strip()
    for form, lead in _FORMS:
        if found := form.fullmatch(asked):
            noun = lead.format(found[1])
            return announced(f"{noun[0].upper()}{noun[1:]}", answer)
    return answer
