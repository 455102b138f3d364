"""Words of a question: which carry meaning, which name its topic, which are one word."""

import re
from collections.abc import Iterable

from anamnesis.text import tokenize
from anamnesis.words import STOP_WORDS, content_terms, stem

# What one asks of a topic. A question made of these alone has no topic of its own.
_ASPECTS = frozenset(
    (
        "treat treated treating treatment treatments symptom symptoms sign signs cause causes "
        "caused cure cured curable diagnose diagnosed diagnosis prevent prevented prevention "
        "risk risks factor factors complication complications outlook prognosis serious "
        "dangerous severe common rare long last lasts take taken taking work works working "
        "side effect effects dose doses dosage start stop stopping contagious spread catch "
        "inherited genetic hereditary different difference types type kind kinds stages test "
        "tests testing tested mean means happen happens need bad good worse better help helps "
        "avoid safe eat drink affect affects affected mild recover recovery heal there chance "
        "chances old older often many children child kids babies adults women men pregnancy "
        "pregnant elderly age condition disease disorder illness infection medicine "
        "medication drug vaccine problem early late main usual typical best food foods diet "
        "warning lower lowering reduce reduced raise increase control manage managed"
    ).split()
)


def is_aspect(term: str) -> bool:
    """Whether a word asks something of a topic rather than names one."""
    return term in _ASPECTS


def own_terms(question: str) -> list[str]:
    """The words of a question that name a topic of its own."""
    return [term for term in content_terms(question) if term not in _ASPECTS and len(term) > 2]


def overlap(one: str, other: str) -> float:
    """The share of the shorter text's meaning words that the other has too."""
    a, b = ({stem(word) for word in content_terms(text)} for text in (one, other))
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


# What is asked of a topic, in the words that ask for it and those that answer it.
_ASPECT_GROUPS = [
    frozenset(stem(word) for word in group.split())
    for group in (
        "sign symptom complain feel look",
        "treat treatment therapy therapies manage cure medicine medication drug surgery help",
        "cause lead trigger due reason result",
        "diagnose diagnosis diagnosed test detect exam screen",
        "prevent prevention avoid vaccine protect lower reduce",
        "inherit genetic hereditary pass run family families gene autosomal",
        "contagious spread catch transmit transmission infectious",
        "risk likely likelihood",
        "outlook prognosis recover survival survive heal last",
        "serious dangerous complication fatal deadly danger severe death emergency harm",
        "eat food diet drink nutrition meal",
        "side adverse reaction",
        "common rare frequent frequency affect occur prevalence incidence",
        "safe safety harm risk contraindicated contraindication",
    )
]


# 'What can be done about it?' asks for care, in no word of its own.
_WHAT_TO_DO = re.compile(
    r"\b(what (to|should|can|could|do) ((i|we|you|he|she|they|one) )?(do|be done))\b", re.IGNORECASE
)
_CARE = frozenset(
    stem(word)
    for word in (
        "treat treatment therapy medicine medication surgery care call give apply rinse rest seek "
        "remove cool wash stay move put hold turn lie sit lean press pinch"
    ).split()
)


# 'My father has it. Will I get it?' asks whether it is inherited.
_RELATIVE = re.compile(
    r"\b(mother|father|mum|mom|dad|parents?|brothers?|sisters?|siblings?|twins?|grand\w+|aunts?|uncles?"
    r"|cousins?|sons?|daughters?|child(ren)?|family)\b",
    re.IGNORECASE,
)
_WILL_I = re.compile(
    r"\b(will|would|can|could|might|may|am|are|is|do) (i|we|he|she|they|my \w+) (\w+ ){0,3}?"
    r"(get|have|develop|inherit|catch)\b",
    re.IGNORECASE,
)
_FAMILY = frozenset(
    stem(word)
    for word in (
        "inherit inherited genetic hereditary pass passed family families gene genes autosomal "
        "relative relatives parent parents sibling siblings"
    ).split()
)


def aspects(question: str) -> list[frozenset[str]]:
    """What the question asks of its topic, each as the stems that an answer may have."""
    care = [_CARE] if _WHAT_TO_DO.search(question) else []
    family = [_FAMILY] if _RELATIVE.search(question) and _WILL_I.search(question) else []
    return care + family + _named(question, _ASPECT_GROUPS)


_BEFORE_CAUSE = (
    "is|are|was|were|can|could|may|might|usually|else|often|mostly|commonly|the|a|an|main|most"
    "|common|usual|likely|possible|known|really|actually|exactly|things|factors"
)
_ASKS_CAUSE = re.compile(
    rf"\bwhat(['’]s)?( ({_BEFORE_CAUSE}))* (causes?|triggers?|brings? on|leads? to)\b(?!\W*$)"
    r"|\bcaused by\W*$|^\W*(the )?causes? of\b",
    re.IGNORECASE,
)
_TELLS_CAUSE = re.compile(
    r"\b(caused by|causes? (of|for|is|are|include)|due to|because|trigger(s|ed)?|brought on|set off"
    r"|result(s|ed|ing)? (from|of|when|if)|responsible for|contribut\w+|risk factors?|reasons?"
    r"|(arises?|stems?|comes?|develops?|happens?|occurs?|begins?|starts?)"
    r" (from|when|after|if|because|as)|(linked|related|attributed|exposed|exposure) (to|with)"
    r"|associated with|lead(s|ing)? to|roles?|mutat\w+|genes?|inherited|infect\w+"
    r"|unknown|not (\w+ )?(known|clear|understood|sure))\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(r"\bcaus(?:e|es|ed|ing)\b", re.IGNORECASE)


def asks_cause(question: str) -> bool:
    """Whether a question asks what brings its topic about: 'What causes gout?'"""
    return bool(_ASKS_CAUSE.search(question))


def tells_cause(text: str, topic: Iterable[str]) -> bool:
    """Whether a text tells a cause: of 'gout causes pain' gout is none, of 'uric acid causes gout'
    it is. ``topic`` are the words of what is caused."""
    stems = {stem(word) for word in topic}
    return bool(_TELLS_CAUSE.search(text)) or any(
        stems & {stem(word) for word in tokenize(text[found.end() :])}
        for found in _CAUSE.finditer(text)
    )


# Whom a question is about: what holds for others is no answer.
_POPULATIONS = [
    frozenset(stem(word) for word in group.split())
    for group in (
        "pregnant pregnancy",
        "breastfeed breastfeeding breastfed nursing",
        "child children kid baby babies infant toddler teen teenager adolescent newborn young",
        "elderly older senior",
    )
]


def populations(question: str) -> list[frozenset[str]]:
    """Whom the question is about, each as the stems that an answer must have one of."""
    return _named(question, _POPULATIONS)


def _named(question: str, groups: list[frozenset[str]]) -> list[frozenset[str]]:
    stems = {stem(word) for word in tokenize(question)}
    return [group for group in groups if stems & group]


def other_subject(question: str, title: str) -> bool:
    """Whether a title names a sibling of what the question names.

    They share a word that each qualifies in its own way: 'skin cancer' and 'breast cancer',
    'type 2 diabetes' and 'type 1 diabetes', 'hepatitis C' and 'hepatitis B'.
    """
    asked, told = ([stem(word) for word in tokenize(text)] for text in (question, title))
    own = {stem(term) for term in own_terms(question)}
    for place, word in enumerate(asked):
        for other in [at for at, same in enumerate(told) if same == word and word in own]:
            before, there = asked[max(0, place - 1)], told[max(0, other - 1)]
            qualified = place > 0 and other > 0 and (before in own or before.isdigit())
            if qualified and before not in told and there not in asked and there not in STOP_WORDS:
                return True
            after, follows = asked[place + 1 : place + 2], told[other + 1 : other + 2]
            if after and follows and after != follows and len(after[0]) == len(follows[0]) == 1:
                return "s" not in (after[0], follows[0])
    return False
