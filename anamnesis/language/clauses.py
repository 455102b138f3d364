"""Where the subject of an English clause ends, by word classes: 'does X reduce Y', 'X reduces Y'.

This is not a parser. It uses lists of the verbs and adjectives of medical questions, word endings,
and the words that may precede and follow them. If these do not decide, the result is None.
"""

import re

from anamnesis.language.lexicon import forms, listed
from anamnesis.language.negations import NOT

BE = frozenset(listed("be"))
DO = frozenset(listed("do"))
MODALS = frozenset(listed("modal", "possibility", "obligation"))
HAVE = frozenset(listed("have"))
AUXILIARIES = BE | DO | MODALS | HAVE
AUXILIARY = "|".join(sorted(AUXILIARIES))
"""``AUXILIARIES`` as alternatives of a pattern."""
PRONOUNS = frozenset([*listed("third", "speaker", "demonstrative"), "i", "there", "one"])
ARTICLES = frozenset(
    [*listed("article", "third_possessive", "speaker_possessive"), "any", "another"]
)
PREPOSITIONS = frozenset(
    [*listed("preposition", "within_time", without="while"), *listed("further_preposition")]
)
JOINTS = frozenset(listed("joint"))
CLAUSES = frozenset([*listed("question", "question_form", "subordinate"), "to", "whether"])
_GOING_ON = PREPOSITIONS | JOINTS | CLAUSES
_BARRED = ARTICLES | _GOING_ON
_DEGREES = frozenset(listed("degree"))
_VERBS = frozenset(listed("effect", "state", "verb"))
# These are as often nouns: they count as verbs only if there is no other verb.
_NOUN_VERBS = frozenset(listed("noun_or_verb"))
# Predicates of the whole subject rather than of the noun before them.
_VERDICTS = frozenset(listed("predicate"))
_ADJECTIVES = _VERDICTS | frozenset(listed("adjective"))
_STATIVE = frozenset(listed("stative"))
_ADJECTIVAL = re.compile(r"\w{2,}(?:able|ible|ful|ive|ous|less)$")
_NO_ADJECTIVES = frozenset(listed("like_an_adjective"))
_IRREGULAR_PAST = forms("past")
_PARTICIPLES = frozenset([*listed("participle"), "a", "an", "any", "given"])


def finite(word: str) -> bool:
    """Whether a word in lower case is a third-person singular verb."""
    return word in AUXILIARIES or word in _THIRD


def declared(clause: str) -> str | None:
    """A clause that begins with an auxiliary, in statement order; None if that is uncertain.

    'does aspirin reduce pain' gives 'aspirin reduces pain'; the case of letters is unchanged.
    """
    aux, *words = clause.strip(' ?."”').split() or [""]
    aux = re.sub(rf"^(\w+?){NOT}$", r"\1", aux.lower())
    plain = [plain_word(word) for word in words]
    if aux not in AUXILIARIES or len(words) < 2:
        return None
    pronoun = plain[0] in PRONOUNS
    if aux in DO | MODALS:
        verb = _verb(plain, words, pronoun)
    elif aux in HAVE:
        verb = _participle(plain)
    else:
        verb = _predicate(plain, words)
    if pronoun and aux in BE | HAVE:
        verb = 1
    if verb is None:
        return None
    start = verb
    while start > 1 and _is_adverb(plain[start - 1]):
        start -= 1
    if aux not in DO or "not" in plain[start:verb]:
        rest = words[start:]
        if plain[start] == "any":  # 'is it any different': the word adds nothing there
            rest = [] if _ADJECTIVES.intersection(plain[start + 1 : start + 2]) else ["some"]
            rest += words[start + 1 :]
        return " ".join([*words[:start], aux, *rest])
    turned = list(words)
    if plain[verb + 1 : verb + 2] == ["any"]:
        turned[verb + 1] = "some"
    for place in [verb, *_joined_verbs(plain, verb)]:
        turned[place] = turned[place].replace(
            words[place].strip(",;"), inflected(plain[place], aux)
        )
    return " ".join(turned)


def _verb(plain: list[str], words: list[str], pronoun: bool) -> int | None:
    """The position of the base verb that belongs to an auxiliary."""
    if pronoun:
        return next((at for at in range(1, len(plain)) if not _is_adverb(plain[at])), None)
    places = [
        at
        for at in range(1, len(plain))
        if plain[at - 1] not in _BARRED and not words[at - 1].endswith(("'s", "’s", "s'", "s’"))
    ]
    sure = next((at for at in places if plain[at] in _VERBS), None)
    noun = next((at for at in places if plain[at] in _NOUN_VERBS), None)
    if noun is not None and sure is not None and noun < sure:
        # 'does a diet change the outcome': a word followed by an article is the verb.
        return noun if plain[noun + 1] in ARTICLES or CLAUSES & set(plain[noun:sure]) else sure
    if sure is not None or noun is not None:
        return noun if sure is None else sure
    ending = [at for at in places if re.search(r"\w{3}(?:ate|ise|ize|ify)$", plain[at])]
    if ending:
        return ending[-1]
    return next(
        (
            at - 1
            for at in range(2, len(plain))
            if plain[at] in ARTICLES
            and plain[at - 1] not in _BARRED
            and plain[at - 1][-3:] != "ing"
        ),
        None,
    )


def _joined_verbs(plain: list[str], verb: int) -> list[int]:
    """The positions of verbs that are coordinated with the first by 'and' or 'or'."""
    found = []
    for at in range(verb + 2, len(plain)):
        if plain[at - 1] in CLAUSES:
            break
        before = plain[at - 2] if _is_adverb(plain[at - 1]) else plain[at - 1]
        if (
            before in {"and", "or", "but"}
            and plain[at] in _VERBS
            and plain[at + 1 : at + 2] != ["of"]
        ):
            found.append(at)
    return found


def _participle(plain: list[str]) -> int | None:
    for at in range(1, len(plain)):
        ends = re.fullmatch(r"\w*[^\We]ed", plain[at]) or plain[at] in _PARTICIPLES
        if ends and plain[at - 1] not in _BARRED:
            return at
    return None


def _predicate(plain: list[str], words: list[str]) -> int | None:
    """The position where the predicate of 'is', 'are', 'was' or 'were' begins."""
    participle = weak = None
    for going in ("being", "getting", "becoming"):
        if going in plain[1:]:
            return plain.index(going, 1)
    for at in range(1, len(plain)):
        word, before = plain[at], plain[at - 1]
        after = plain[at + 1] if at + 1 < len(plain) else "to"
        if before in _BARRED | AUXILIARIES:  # 'women who are treated'
            continue
        if (word, after) == ("at", "risk"):
            return at
        if word in ARTICLES and before[-3:] != "ing" and not words[at - 1].endswith(","):
            start = at - 1 if at > 1 and before in _ADJECTIVES else at  # 'worth the effort'
            return start if participle is None else participle
        closes = after in _GOING_ON or words[at].endswith(",") or _is_adverb(after)
        closes = closes or after in {"early", "late", "again"}
        closes = closes or (word.endswith("ing") and after in ARTICLES)
        if not (closes or (word.endswith("ed") and after in _VERDICTS)):
            continue
        adjective = word in _ADJECTIVES or (_ADJECTIVAL.match(word) and word not in _NO_ADJECTIVES)
        if participle is not None:
            if word in _VERDICTS:
                return at
        elif adjective or word in _STATIVE:
            return at
        elif re.search(r"[^e]ed$", word) and len(word) > 4:
            participle = at
        elif word.endswith("ing") and weak is None:
            weak = at
    if participle is not None or weak is not None:
        return participle or weak
    last = len(plain) - 1
    if re.search(r"(al|ic|ary|ory|ant|ent|ar)$", plain[last]) and plain[last - 1] not in _BARRED:
        return last
    preposition = next((at for at in range(1, last) if plain[at] in PREPOSITIONS), None)
    if preposition and preposition > 1 and plain[preposition] in {"of", "for"}:
        return preposition - 1  # 'are statins inhibitors of …'
    return preposition or (last if last < 4 else None)


def _is_adverb(word: str) -> bool:
    return word in _DEGREES or (
        word.endswith("ly") and word not in {"family", "anomaly", "early", "assembly", "elderly"}
    )


def inflected(verb: str, aux: str) -> str:
    """A base verb inflected for 'does', 'do' or 'did', which are removed."""
    if aux == "do":
        return verb
    consonant_y = verb.endswith("y") and verb[-2] not in "aeiou"
    if aux == "did":
        past = f"{verb[:-1]}ied" if consonant_y else verb + ("d" if verb.endswith("e") else "ed")
        return _IRREGULAR_PAST.get(verb, past)
    if verb in {"have", "be"}:
        return {"have": "has", "be": "is"}[verb]
    if consonant_y:
        return f"{verb[:-1]}ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def plain_word(word: str) -> str:
    """A word in lower case without the punctuation around it."""
    return word.lower().strip("?,.;:()[]\"'“”‘’")


BASE_VERBS = _VERBS | _NOUN_VERBS
"""Verbs in their base form, as after 'do' or 'can'; many of them are also nouns."""
SURE_VERBS = _VERBS
"""Those of ``BASE_VERBS`` that are hardly ever nouns."""
_THIRD = frozenset(inflected(verb, "does") for verb in BASE_VERBS)
