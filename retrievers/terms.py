"""Everyday names in a question that no record lists, and the terms that the documents use.

Neither the reader nor the vectors know that cavities are tooth decay
(`python -m benchmarks.everyday_names`).
"""

import re
from collections.abc import Sequence
from functools import cache

from anamnesis.corpus.everyday_names import terms
from anamnesis.corpus.passage import ALIASES, Passage
from anamnesis.language.names import longest_names, name_key
from anamnesis.language.text import tokenize
from retrievers.corpus import Corpus

_WORD = re.compile(r"\w+")


@cache
def _most_words() -> int:
    return max(name.count(" ") + 1 for name in terms())


def everyday_names(question: str, corpus: Corpus) -> list[Passage]:
    """A passage for each everyday name in a question whose term the documents use.

    Its focus is the term, its alias the name as it is written in the question. A name of one word
    is left out if the documents use it more often than the term. Raises CorpusError if the table is
    damaged.
    """
    words = list(_WORD.finditer(question))
    keys = [name_key(item[0]) for item in words]
    found = []
    for first, after, name in longest_names(keys, terms(), _most_words()):
        written = question[words[first].start() : words[after - 1].end()]
        term = terms()[name]
        used = _most_used(term.spellings, corpus)
        if used and _is_not_rarer(used, written, corpus):
            about = {ALIASES: [written], "category": term.category}
            found.append(Passage(name, name, 0, 0, "", focus=used, metadata=about))
    return found


def _most_used(names: Sequence[str], corpus: Corpus) -> str | None:
    """The name whose rarest word is the most frequent, of those all of whose words a document has.

    None if there is no such name.
    """
    for name in sorted(names, key=lambda name: _rarity(name, corpus)):
        if any(True for _ in corpus.containing(*([word] for word in tokenize(name)), most=1)):
            return name
    return None


def _is_not_rarer(term: str, written: str, corpus: Corpus) -> bool:
    """Whether a name has several words, or the documents use it no more often than the term."""
    return len(tokenize(written)) > 1 or _rarity(term, corpus) <= _rarity(written, corpus)


def _rarity(name: str, corpus: Corpus) -> float:
    return max(corpus.idf(tokenize(name)))
