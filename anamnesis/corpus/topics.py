"""The held-out topics, on which the project's own models were never trained."""

from collections.abc import Iterable
from hashlib import blake2b

from anamnesis.corpus.record import Record
from anamnesis.language.text import digest, sentence_texts


def is_held_out(record: Record) -> bool:
    """Whether the record's topic is one of the tenth that is never trained on."""
    return is_held_out_topic(record.focus or record.id)


def is_held_out_topic(topic: str) -> bool:
    """Whether a topic is one of the tenth that is never trained on."""
    return blake2b(topic.casefold().encode(), digest_size=4).digest()[0] % 10 == 0


def is_held_out_message(text: str) -> bool:
    """Whether a message is one of the sixth that the triage is never trained on."""
    return blake2b(text.casefold().encode(), digest_size=4).digest()[0] % 6 == 0


def trained_on(records: Iterable[Record]) -> frozenset[str]:
    """Digests (``text.digest``) of the texts and of the sentences of topics not held out.

    Publishers repeat sentences: a sentence of a held-out topic may also belong to another topic.
    """
    texts = [item.text for item in records if not is_held_out(item)]
    parts = (part for text in texts for part in sentence_texts(text))
    return frozenset(map(digest, [*texts, *parts]))
