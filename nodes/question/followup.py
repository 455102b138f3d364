"""Rewrite a follow-up question to stand alone, by rules.

'How is it treated?' after a question about asthma becomes 'How is asthma treated?'. If it is not
certain what a word refers to, the topic is put before the question and nothing is replaced.
"""

import re
from collections.abc import Sequence

from anamnesis.language.borders import ASKING
from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.words import content_stems, stem, topic_terms

_REFERENCE = re.compile(
    rf"\b((this|that|the) ({any_of('illness', 'remedy')})|it|its|they|them|their"
    rf"|{any_of('demonstrative')})\b",
    re.IGNORECASE,
)
_POSSESSIVE = {"its", "their"}
# 'It' or 'that' without a reference: 'how long does it take for …', 'I think that …'.
_EXPLETIVE = re.compile(
    rf"""\b(
        it[ ](take|mean|hurt|help|matter)s?
      | it[ ]called
      | (is|was)[ ]it[ ](\w+[ ])?
        ({any_of("verdict")}|common|healthy|too[ ]late)\b.{{0,40}}?\b(to|that|if|for|when)\b
      | they[ ]({any_of("they_do")})
      | why[ ]is[ ](it|this|that)(?=\W*$)
      | ({any_of("says_that")})[ ]that
      | that[ ](is|are|was|can|have|has)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LEAD_IN = re.compile(
    rf"^\W*+(?:({any_of('leading')})\W*+)?((what|how) about|and|but|or)\b\W*", re.IGNORECASE
)
_COURTESY = re.compile(
    rf"^\W*(({any_of('thanks', 'agreement')}|great|i see|right|sure)\b[\s,.!…–-]*)+(?=\w)",
    re.IGNORECASE,
)
# Content words that are never a topic, and negated verbs without their apostrophe ('doesnt').
_VAGUE = frozenset(
    f"{verb}{end}"
    for verb in (*listed("be", "do", "have", "modal"), "ca", "wo")
    for end in ("n", "nt")
) | frozenset(listed("agreement", "thanks", "vague"))
# 'The pain' belongs to the topic; 'pain' alone can be a topic.
_DEFINITE = re.compile(rf"\bthe ({any_of('complaint')}|itch|inhaler)\b", re.IGNORECASE)
# 'How is this medicine taken?' after a question on asthma: asthma is not a medicine.
_OTHER_KIND = re.compile(rf"\b({any_of('remedy')})$", re.IGNORECASE)
_CLAUSE = re.compile(rf"[.?!;,]\s+|(?<!\s)\s+and\s+(?=(?:{ASKING})\b)", re.IGNORECASE)
_CONDITION = re.compile(rf"^\W*(if|when|{any_of('within_time')})\b", re.IGNORECASE)
_JOINS = re.compile(
    rf"(in|for|with|without|if|{any_of('within_time')}"
    rf"|when(?! ({any_of('be', 'do', 'modal', without='was were')})\b))\b",
    re.IGNORECASE,
)
_POPULATION = re.compile(
    rf"\b({any_of('children', 'adolescents', 'adults', 'elderly', 'pregnancy', 'breastfeeding')}"
    r"|women|men|dogs|cats)\b",
    re.IGNORECASE,
)

_VERB = re.compile(
    rf"\b({any_of('be', 'do', 'have', 'modal', 'question', without='were had where')}"
    r"|may|if|while)\b",
    re.IGNORECASE,
)
# One of a series: 'type 1' and 'type 2', 'hepatitis B' and 'hepatitis C'.
_SERIES = re.compile(rf"\b({any_of('series')}) (\d|i{{1,3}}v?|[a-e])\b", re.IGNORECASE)
# A disease has no side effects: its treatment does.
_SIDE_EFFECTS = re.compile(r"\bside effects?\b", re.IGNORECASE)
_REMEDY = re.compile(
    rf"\b({any_of('remedy', without='test')}|vaccination|treatment|surgery|operation|treated)s?\b",
    re.IGNORECASE,
)
# 'Does vitamin C help?' does not say what it helps with.
_ELLIPSIS = re.compile(
    r"^(\S+ ){1,5}helps?\W*$|^any( (?!is|are|do|does|can|should)\S+){1,5}$", re.IGNORECASE
)
# What 'they' refers to after a question that asks for it.
_MANY = re.compile(rf"\b({any_of('about_a_disease')})\b", re.IGNORECASE)
_THEY = re.compile(r"(they|them|these|those)$", re.IGNORECASE)
_BARE = re.compile(r"(this|that)$", re.IGNORECASE)


def topic_of(query: str, focuses: Sequence[str]) -> str:
    """What a question is about, for follow-ups to refer to.

    The first focus (best evidence first) that shares a word with the question, without its comment
    in brackets and, where the question has it, as it is written there; otherwise the question's
    topic words.
    """
    terms = _topics(query) or topic_terms(query)
    stems = {stem(term) for term in terms}
    for focus in focuses:
        name = re.sub(r"\s{0,9}\([^()]*\)", "", focus).strip()
        if stems & content_stems(name):
            found = re.search(rf"\b{re.escape(name)}\b", query, re.IGNORECASE)
            return found[0] if found else name
    return " ".join(_in_series(query, terms))


def _in_series(query: str, terms: Sequence[str]) -> list[str]:
    """The topic words with the number or letter of a series: 'type 2 diabetes', 'hepatitis b'."""
    found = _SERIES.search(query)
    if not found:
        return list(terms)
    name = found[0].lower()
    if found[1].lower() in terms:
        return [name if term == found[1].lower() else term for term in terms]
    before = sum(query.lower().find(term) < found.start() for term in terms)
    return [*terms[:before], name, *terms[before:]]


def stand_alone(question: str, previous: str, topic: str) -> str:
    """The question, completed with what it needs from the previous turn.

    ``previous`` is the stand-alone form of the previous question and ``topic`` its topic. Without
    either, and for a question that names its topic, the question is returned unchanged.
    """
    question = question.strip()
    if not previous or not topic:
        return question
    courtesy = _COURTESY.match(question)
    said = question[courtesy.end() :] if courtesy else question
    lead = _LEAD_IN.match(said)
    rest = said[lead.end() :].strip(" ?!.") if lead else ""
    if lead and not rest:
        return question
    topics = _topics(said)
    found = _REFERENCE.search(_EXPLETIVE.sub(lambda item: " " * len(item.group()), said))
    remedy = _REMEDY.search(previous)
    if remedy and _SIDE_EFFECTS.search(said) and not topics and not _REMEDY.search(said):
        return f"{topic} {remedy[0].lower().replace('treated', 'treatment')}: {said}"
    if lead and not found and (not topics or _JOINS.match(rest) or not _VERB.search(rest)):
        return _fragment(said, rest, previous, topic, topics)
    if found:
        if _has_antecedent(said, found.start()):
            return question
        return f"{topic}: {said}" if topics else _replace(said, found, previous, topic)
    if not topics or (_ELLIPSIS.search(said) and not _CLAUSE.search(said)):
        return f"{topic}: {said}"
    return question


def points_back(question: str) -> bool:
    """Whether a question needs the previous turn: it refers back, or names no topic."""
    return stand_alone(question, "…", "…") != question.strip()


def names_topic(text: str) -> bool:
    """Whether a text has a word that can be a topic: 'asthma', not 'children' or 'the pain'."""
    return bool(_topics(text))


def without_references(text: str) -> str:
    """The text without the words that refer to something named elsewhere: 'it', 'this drug'."""
    return _REFERENCE.sub(" ", text)


def _fragment(message: str, rest: str, previous: str, topic: str, words: Sequence[str]) -> str:
    """The question that 'and …?' or 'what about …?' asks; ``rest`` is what follows these words."""
    before = previous.rstrip(" ?.!")
    if (other := _other_of_kind(rest, before, topic)) is not None:
        return other
    words = [word for word in words if not _POPULATION.fullmatch(word)]
    if not words and not _JOINS.match(rest) and _POPULATION.search(rest):
        rest = f"for {rest}"
    joins = _JOINS.match(rest)
    if joins and len(rest.split()) <= 7:
        # 'And for colds?' replaces the 'for flu' that ends the previous question.
        tail = re.search(rf"\b{joins[0]} \w+( \w+){{0,2}}$", before, re.IGNORECASE)
        if tail:
            return f"{before[: tail.start()]}{rest}?"
        if not words or joins[0].lower() != "for":
            return f"{before} {rest}?"
    if words or _VERB.search(rest):
        return f"{topic}: {message}"
    return f"{rest[0].upper()}{rest[1:]}: {topic}?"


def _other_of_kind(rest: str, before: str, topic: str) -> str | None:
    """The previous question, asked about another topic of the same kind; None if that is unclear.

    'And type 1?' after type 2 diabetes; 'What about skin cancer?' after breast cancer.
    """
    one, other = _SERIES.search(before), _SERIES.fullmatch(rest)
    if one and other and one[1].lower() == other[1].lower():
        return f"{before[: one.start()]}{rest}{before[one.end() :]}?"
    name, last = re.search(rf"\b{re.escape(topic)}\b", before, re.IGNORECASE), topic.split()[-1:]
    words = rest.lower().split()
    if name and 1 < len(words) <= 4 and words[-1:] == [word.lower() for word in last]:
        return f"{before[: name.start()]}{rest}{before[name.end() :]}?"
    return None


def _topics(text: str) -> list[str]:
    """The words of a text that can be its topic."""
    return [term for term in topic_terms(_DEFINITE.sub(" ", text)) if term not in _VAGUE]


def _has_antecedent(question: str, place: int) -> bool:
    """Whether an earlier clause names the thing referred to: 'I have gout. Is it …?'."""
    clauses = _CLAUSE.split(question[:place])[:-1]
    return any(_topics(clause) and not _CONDITION.match(clause) for clause in clauses)


def _replace(question: str, found: re.Match[str], previous: str, topic: str) -> str:
    """The question with the found referring word replaced, or with the topic in front."""
    # A bare 'that' may mean all that was said; asthma is not a medicine.
    if _BARE.match(found[0]) or _OTHER_KIND.search(found[0]):
        return f"{topic}: {question}"
    name = f"{topic}'s" if found[0].lower() in _POSSESSIVE else topic
    many = _MANY.search(previous)
    if many and re.search(r"\bwork", question, re.IGNORECASE):
        return f"{topic}: {question}"  # Symptoms do not 'work': the reference is unclear.
    if many and _THEY.match(found[0]) and not _MANY.search(question) and topic[-1:] != "s":
        name = f"the {many[0].lower()} of {topic}"
    return f"{question[: found.start()]}{name}{question[found.end() :]}"
