"""Facts that link an entity in the question with an entity in an option [K3, K7]."""

import re
from collections.abc import Iterable, Mapping, Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.wording import only_states_kind
from anamnesis.language.names import name_key
from anamnesis.language.negations import negating
from retrievers.names import keys

Links = dict[str, list[Passage]]
"""The facts that link each option with the question, by option key."""

_AGAINST = re.compile(r"contra-?indicat|should not be given|to be avoided", re.IGNORECASE)
_FOR = re.compile(
    r"\b(?:treat|therap|relie[fv]|prevent|manage|cure|drugs? of choice"
    r"|(?:given|used) (?:for|in|to)\b)",
    re.IGNORECASE,
)
_TURNED = re.compile(
    rf"\b(?:{negating()}|stop|avoid|discontinu\w*|withhold|absence)\b", re.IGNORECASE
)


def linking(question: str, options: Mapping[str, str], facts: Iterable[Passage]) -> Links:
    """The facts with one entity named, by name or alias, in the question, one in an option.

    Two sorts of facts do not count: those that only say of which kind something is, because the
    other options are often of the same kind; and those about a treatment if the question is about a
    contraindication, or the reverse. An option with a negation is linked with nothing.
    """
    fitting = [
        item
        for item in facts
        if len(item.names) == 2 and not only_states_kind(item.text) and _fits(question, item.text)
    ]
    return {
        name: [item for item in fitting if _linked_entity(item, question, text)]
        for name, text in options.items()
    }


def linked(question: str, options: Mapping[str, str], links: Links, negated: bool) -> list[str]:
    """The options that are linked with most of the entities in the question.

    For an EXCEPT question: the options that are linked with none. None if no option is linked.
    """
    counts = {name: _number(question, options[name], facts) for name, facts in links.items()}
    most = max(counts.values(), default=0)
    if not most:
        return []
    return [name for name, count in counts.items() if count == (0 if negated else most)]


def _fits(question: str, fact: str) -> bool:
    """Whether a fact fits the question: about a treatment, a contraindication, or neither."""
    if _AGAINST.search(question) or _AGAINST.search(fact):
        return bool(_AGAINST.search(question) and _AGAINST.search(fact))
    return bool(_FOR.search(fact)) or not _FOR.search(question)


def _number(question: str, option: str, facts: Iterable[Passage]) -> int:
    """The number of linked entities in the question; nested names count once."""
    names = {_linked_entity(item, question, option) for item in facts}
    return sum(not any(f" {item} " in f" {other} " for other in names - {item}) for item in names)


def _linked_entity(fact: Passage, question: str, option: str) -> str:
    """The name in the question of one entity of a fact, if the option names the other entity."""
    if _TURNED.search(option):
        return ""
    head, tail = fact.names
    for one, other in ((head, tail), (tail, head)):
        if (name := _longest_name(question, one)) and _longest_name(option, other):
            return name
    return ""


def _longest_name(text: str, names: Sequence[str]) -> str:
    """The longest of the names that occurs in a text."""
    words = f" {name_key(text)} "
    return max(
        (item for name in names for item in keys(name) if f" {item} " in words), default="", key=len
    )
