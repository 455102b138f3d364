"""Interchangeable names, collected from the documents."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from anamnesis.language.lexicon import any_of

SUFFIXED = re.compile(rf"\b[a-z]{{4,}}(?:{any_of('disease_ending', 'suffixed')})\b")
SYMBOL = re.compile(r"\b(?=[A-Z0-9]*[A-Z])[A-Z][A-Z0-9]{2,6}\b")


@dataclass(slots=True)
class Vocabulary:
    """Interchangeable names, collected from the documents."""

    topics: dict[str, list[str]] = field(default_factory=dict)
    symbols: list[str] = field(default_factory=list)
    suffixed: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, topics: Iterable[str], texts: Iterable[str]) -> Self:
        """Topics by their last word, gene symbols, and words by their medical suffix."""
        vocabulary = cls()
        for topic in sorted(set(topics)):
            if topic:
                vocabulary.topics.setdefault(topic.split()[-1].casefold(), []).append(topic)
        symbols, words = Counter[str](), Counter[str]()
        for text in texts:
            symbols.update(SYMBOL.findall(text))
            words.update(SUFFIXED.findall(text))
        vocabulary.symbols = sorted(symbol for symbol, count in symbols.items() if count > 2)
        for word in sorted(word for word, count in words.items() if count > 2):
            vocabulary.suffixed.setdefault(word[-4:], []).append(word)
        return vocabulary
