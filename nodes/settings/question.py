"""How a message is read."""

from anamnesis.documented import Documented


class QuestionSettings(Documented):
    """How a message is read before anything is searched."""

    spelling: bool = True
    """Replace misspelt words by words of the index; a note says so."""
    names: bool = True
    """Replace a brand name or an everyday name by the name that the documents use for the same
    thing; a note says so."""
    conversation: bool = True
    """Read a message as part of a conversation: a follow-up question is rewritten so that it can be
    understood alone, *yes* to an offer is read as a request for what was offered, and a message
    without a question, such as a greeting, starts no search. If false, every message except an
    emergency is searched for unchanged."""
    summarise: bool = False
    """If a chat model is set, it rewrites a message of more than 40 words as the questions it asks,
    one per line, and these are searched for. If a line contains a number, a negation or a rare word
    that the message does not, the original message is used."""
    premises: bool = True
    """Check the assumptions in a question against the documents."""
    split: bool = True
    """If a message asks several questions, answer each of them separately."""
