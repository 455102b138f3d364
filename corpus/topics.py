"""Which topics the project's own models were never trained on, so that they can be measured."""

from hashlib import blake2b

from corpus.record import Record


def is_held_out(record: Record) -> bool:
    """Whether the record's topic is one of the tenth that is never trained on."""
    topic = (record.focus or record.id).casefold()
    return blake2b(topic.encode(), digest_size=4).digest()[0] % 10 == 0
