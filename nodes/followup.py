"""Make a follow-up question stand alone, by rules.

'How is it treated?' after a question about asthma becomes 'How is asthma treated?'. Where the
rules are not sure what a word points to, the topic is put in front and nothing is replaced.
"""

import re
from collections.abc import Sequence

from anamnesis.words import content_terms
from nodes.words import own_terms, stem

_REFERENCE = re.compile(
    r"\b((this|that|the) (condition|disease|disorder|illness|infection|medicine|medication|drug"
    r"|test|vaccine|problem)|it|its|they|them|their|this|that|these|those)\b",
    re.IGNORECASE,
)
_POSSESSIVE = {"its", "their"}
# An 'it' or 'that' that points to nothing: 'how long does it take for …', 'I think that …'.
_EXPLETIVE = re.compile(
    r"""\b(
        it[ ](take|mean|hurt|help|matter)s?
      | it[ ]called
      | (is|was)[ ]it[ ](\w+[ ])?
        (ok|okay|safe|normal|true|possible|bad|dangerous|necessary|important|better|good|common
        |healthy|too[ ]late)\b.{0,40}?\b(to|that|if|for|when)\b
      | they[ ](diagnose|test|treat|check|find|give|use|do|say|call)
      | (believe|think|know|said|says?|told[ ](me|us|him|her)|so|means?|shows?|fear|worried)[ ]that
      | that[ ](is|are|was|can|have|has)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LEAD_IN = re.compile(
    r"^\W*(and|but|or|so|also|then)?\W*((what|how) about|and|but|or)\b\W*", re.IGNORECASE
)
# Nobody's topic, however meaningful the word is.
_VAGUE = frozenset("see else more attack attacks worry worried thanks thank okay happen".split())
# 'How is this medicine taken?' after a question on asthma: asthma is no medicine.
_OTHER_KIND = re.compile(r"\b(medicine|medication|drug|test|vaccine)$", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[.?!;,]\s+|\s+and\s+(?=(?:how|what|why|is|are|can|does|do|should|will)\b)", re.IGNORECASE
)
_CONDITION = re.compile(r"^\W*(if|when|while|after|during|before)\b", re.IGNORECASE)
_POPULATION = re.compile(
    r"^(in|for|during|with|if|when|while)\b|\b(children|kids|babies|infants|toddlers|teen\w*|adults|elderly"
    r"|older (people|adults)|seniors|women|men|pregnan\w+|breastfeeding|dogs|cats)\b",
    re.IGNORECASE,
)


def topic_of(query: str, focuses: Sequence[str]) -> str:
    """What a question is about, for follow-ups to refer to.

    The first focus (best evidence first) that shares a word with the question, without its
    comment in brackets; else the question's own words.
    """
    own = {stem(term) for term in own_terms(query)}
    for focus in focuses:
        name = re.sub(r"\s*\(.*?\)", "", focus).strip()
        if own & {stem(term) for term in content_terms(name)}:
            return name
    return " ".join(own_terms(query))


def stand_alone(question: str, previous: str, topic: str) -> str:
    """The question with what it leaves to the turn before, put in.

    ``previous`` is the stand-alone form of the question before and ``topic`` what it was about;
    without either, and for a question with a topic of its own, the question comes back as it is.
    """
    question = question.strip()
    if not previous or not topic:
        return question
    own = _topics(question)
    lead = _LEAD_IN.match(question)
    if lead and not own:
        rest = question[lead.end() :].strip(" ?!.")
        if not rest:
            return question
        if _reference(question):
            return _replace(question, topic)
        if _POPULATION.search(rest) and len(rest.split()) <= 6:
            joined = (
                rest
                if re.match(r"(?i)(in|for|during|with|if|when|while)\b", rest)
                else f"for {rest}"
            )
            return f"{previous.rstrip(' ?.!')} {joined}?"
        return f"{rest[0].upper()}{rest[1:]}: {topic}?"
    if found := _reference(question):
        if _has_antecedent(question, found.start()):
            return question
        return _replace(question, topic) if not own else f"{topic}: {question}"
    if not own:
        return f"{topic}: {question}"
    return question


def _topics(text: str) -> list[str]:
    """The words of a text that it can be about."""
    return [term for term in own_terms(text) if term not in _VAGUE]


def _reference(question: str) -> re.Match[str] | None:
    """The first word that refers to something, at its place in the question."""
    return _REFERENCE.search(_EXPLETIVE.sub(lambda own: " " * len(own.group()), question))


def _has_antecedent(question: str, place: int) -> bool:
    """Whether a clause before the place names what is referred to: 'I have gout. Is it …?'."""
    clauses = _CLAUSE.split(question[:place])[:-1]
    return any(_topics(clause) and not _CONDITION.match(clause) for clause in clauses)


def _replace(question: str, topic: str) -> str:
    """The question with its first referring word replaced by the topic, or the topic before it."""
    found = _reference(question)
    if found is None or _OTHER_KIND.search(found.group()):
        return f"{topic}: {question}"
    name = f"{topic}'s" if found.group().lower() in _POSSESSIVE else topic
    return f"{question[: found.start()]}{name}{question[found.end() :]}"
