"""What a question says about a person or a product, and whether the shown sources mention it.

Used for notes (``unmentioned``, ``unmentioned_contents``), for the yes that a product gets only if
all that it contains is mentioned, and, through ``groups_affirmed``, for warnings and for the rule
that a maximum dose is not shown if there is a reason against the medicine. Three groups are
recognised by word lists: pregnancy, breastfeeding, children. Medicines are recognised if the
question says that the person takes them and they are in the tables of ``anamnesis.corpus``.
"""

import re
from collections.abc import Sequence

from anamnesis.corpus.cautions import Key, comparison_key, families, medicine_names, mentions
from anamnesis.corpus.medicines import is_mentioned, maxima, products_in
from anamnesis.language.lexicon import any_of
from nodes.question.circumstances import denied, without_names

_GROUPS = {
    name: re.compile(rf"\b(?:{any_of(name, *others)})\b", re.IGNORECASE)
    for name, *others in (("pregnancy",), ("breastfeeding",), ("children", "adolescents"))
}
_TAKES = re.compile(
    r"\b(?:on|taking|takes|take|took|with|using) (?:my |her |his |the |daily |also )?"
    r"([a-z]{4,20})\b",
    re.IGNORECASE,
)


def groups_mentioned(text: str) -> set[str]:
    """The groups that a text mentions, even if it denies them."""
    return {name for name, words in _GROUPS.items() if words.search(text)}


def groups_affirmed(question: str) -> set[str]:
    """The groups that a question mentions and does not deny.

    Names of medicines are ignored: 'baby aspirin' is not about a baby.
    """
    text = without_names(question, medicine_names())
    return {
        name
        for name, words in _GROUPS.items()
        if any(not denied(text, found.start()) for found in words.finditer(text))
    }


def medicines(question: str) -> set[str]:
    """The medicines that a question says the person takes, if their names have one word.

    In lower case, under the name that the question uses (brand or generic).
    """
    known = {name for (name, *more) in medicine_names() if not more}
    words = map(str.lower, _TAKES.findall(question))
    return {word for word in words if word in maxima() or word in known}


def _equivalent_names(name: str) -> frozenset[Key]:
    """Names by which a source may mention a medicine.

    If it is in the table of maximum doses, its own names. Otherwise the members of the smallest
    family that lists it, or just this name if no family does.
    """
    if name in maxima():
        return frozenset(map(comparison_key, maxima()[name].names))
    key = comparison_key(name)
    families_of_name = [item.members for item in families().values() if key in item.members]
    return min(families_of_name, key=len, default=frozenset([key]))


def unmentioned(question: str, sources: Sequence[str]) -> list[str]:
    """What the question says about the person and no source mentions.

    Groups first, then medicines in alphabetical order.
    """
    there = set[str]().union(*map(groups_mentioned, sources))
    missing = [
        name
        for name in sorted(medicines(question))
        if not any(mentions(source, _equivalent_names(name)) for source in sources)
    ]
    return [item for item in _GROUPS if item in groups_affirmed(question) - there] + missing


def unmentioned_contents(question: str, texts: Sequence[str]) -> dict[str, list[str]]:
    """What each product in a question contains and no text mentions, by the product.

    A text that names the product alone is not enough: 'plain Tylenol, not Tylenol PM'.
    """
    missing = {
        product: [name for name in contents if not any(is_mentioned(name, one) for one in texts)]
        for product, contents in products_in(question, combined=True).items()
    }
    return {product: names for product, names in missing.items() if names}
