"""Where the subject of an English clause ends, by word classes: 'does X reduce Y', 'X reduces Y'.

This is not a parser. It uses lists of the verbs and adjectives of medical questions, word endings,
and the words that may precede and follow them. If these do not decide, the result is None.
"""

import re

from anamnesis.language.lexicon import listed
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
PREPOSITIONS = frozenset(listed("preposition", "within_time", without="while")) | frozenset(
    "about above across against along among around behind below between beyond despite following "
    "inside into like near off onto out over per regarding since than through throughout toward "
    "towards under until upon versus via vs within without".split()
)
JOINTS = frozenset("and or but nor both either plus".split())
CLAUSES = frozenset([*listed("question", "question_form", "subordinate"), "to", "whether"])
_DEGREES = frozenset(
    "actually all already also always as better both currently equally even ever just least less "
    "more most never no not now often only rarely really so sometimes still too truly usually "
    "very well yet".split()
)
_VERBS = frozenset(listed("effect", "state")) | frozenset(
    "absorb accelerate accept accompany account achieve activate add adhere adopt aggravate agree "
    "allow alter ameliorate apply arise arrest assess associate attend attenuate avoid be become "
    "begin behave believe belong benefit bias bind block breastfeed bring carry choose coincide "
    "come compare comply compromise confer confirm confound consider constitute constrict "
    "contribute converge correlate correspond counteract cross decline deliver depend derive "
    "describe detect deteriorate determine die differ differentiate digest dilate diminish "
    "discriminate distinguish drain drink drive eat eliminate enable encode encourage enhance "
    "ensure enter evolve exacerbate exhibit exist expect explain express extend face facilitate "
    "fail follow forget gain generate get go grow guarantee guide happen have heal identify "
    "inactivate include indicate induce infect influence inhibit innervate interact interfere "
    "justify keep know learn leave lengthen let live lose maintain mask mean mediate meet "
    "metabolise metabolize methylate mimic modify modulate obtain obviate offer omit outperform "
    "overestimate pass perform persist pose possess potentiate precede preclude predict "
    "predispose prefer prolong promote prove provide reach read receive recognize recommend "
    "reflect regulate relate rely remove replace resolve restore retain reveal rule secrete see "
    "seem sensitize serve share shorten should show sleep solve spare speak stimulate store "
    "strengthen suffer suggest supply suppress survive sustain swallow synthesize take tell think "
    "tolerate translate travel underestimate undergo underprescribe understand use utilize "
    "validate vary withstand".split()
)
# These are as often nouns: they count as verbs only if there is no other verb.
_NOUN_VERBS = frozenset(
    "access act add address advance aid alarm alert attempt care cause change charge "
    "control cost cover delay demand display ease fall feed feel fit form function harm "
    "hold impact increase lack limit look make match matter measure move need place play "
    "practice process program push question rank release report respond result return "
    "reverse risk run score screen set signal spread stand start stop support target test "
    "transfer trigger trust turn view want work worry".split()
)
# Predicates of the whole subject rather than of the noun before them.
_VERDICTS = frozenset(
    "acceptable accurate adequate advisable applicable appropriate beneficial better common "
    "comparable contraindicated cost-effective dangerous dead desirable different effective "
    "efficacious equivalent feasible harmful helpful important impossible indicated ineffective "
    "inferior justified mandatory necessary needed possible predictive preferable relevant "
    "reliable required safe similar sufficient suitable superior unnecessary unsafe useful valid "
    "warranted worse worth worthwhile".split()
)
_ADJECTIVES = _VERDICTS | frozenset(
    "able absent active adherent antimicrobial autosomal aware bad born clear close consistent "
    "contagious critical curable deficient dependent distinct dominant done drawn due early "
    "efficient equal essential evident exempt fatal found free frequent genetic given good "
    "greater grown held here hereditary heritable high higher independent infectious known late "
    "lethal likely long low lower made necessary new normal obese overused part present prevalent "
    "prognostic prone put rare ready real recessive representative resistant responsible "
    "reversible right safer seen sensitive shown significant specific stable subject taken "
    "transferable true typical unable unique unlikely unrelated up useful vital willing written "
    "wrong".split()
)
_STATIVE = frozenset(
    "affected associated caused correlated decreased improved increased indicated influenced "
    "involved justified linked needed reduced related required used".split()
)
_ADJECTIVAL = re.compile(r"\w{2,}(?:able|ible|ful|ive|ous|less)$")
_NO_ADJECTIVES = frozenset("additive adjective native relative table variable".split())
_IRREGULAR_PAST = {
    "be": "was", "become": "became", "begin": "began", "bring": "brought", "come": "came",
    "do": "did", "fall": "fell", "feel": "felt", "get": "got", "give": "gave", "go": "went",
    "have": "had", "hold": "held", "keep": "kept", "know": "knew", "lead": "led", "lose": "lost",
    "make": "made", "mean": "meant", "meet": "met", "run": "ran", "set": "set", "show": "showed",
    "spread": "spread", "stop": "stopped", "take": "took", "tell": "told", "think": "thought",
    "undergo": "underwent", "bind": "bound", "let": "let", "arise": "arose", "stand": "stood",
}  # fmt: skip


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
    barred = ARTICLES | PREPOSITIONS | JOINTS | CLAUSES
    places = [
        at
        for at in range(1, len(plain))
        if plain[at - 1] not in barred and not words[at - 1].endswith(("'s", "’s", "s'", "s’"))
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
            if plain[at] in ARTICLES and plain[at - 1] not in barred and plain[at - 1][-3:] != "ing"
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
    barred = ARTICLES | PREPOSITIONS | CLAUSES | JOINTS
    irregular = {"been", "become", "led", "had", "gone", "shown", "taken", "come", "made", "done"}
    for at in range(1, len(plain)):
        ends = re.fullmatch(r"\w*[^\We]ed", plain[at]) or plain[at] in irregular | {
            "a",
            "an",
            "any",
            "given",
        }
        if ends and plain[at - 1] not in barred:
            return at
    return None


def _predicate(plain: list[str], words: list[str]) -> int | None:
    """The position where the predicate of 'is', 'are', 'was' or 'were' begins."""
    barred = ARTICLES | PREPOSITIONS | CLAUSES | JOINTS
    going_on = PREPOSITIONS | JOINTS | CLAUSES
    participle = weak = None
    for going in ("being", "getting", "becoming"):
        if going in plain[1:]:
            return plain.index(going, 1)
    for at in range(1, len(plain)):
        word, before = plain[at], plain[at - 1]
        after = plain[at + 1] if at + 1 < len(plain) else "to"
        if before in barred | AUXILIARIES:  # 'women who are treated'
            continue
        if (word, after) == ("at", "risk"):
            return at
        if word in ARTICLES and before[-3:] != "ing" and not words[at - 1].endswith(","):
            own = at - 1 if at > 1 and before in _ADJECTIVES else at  # 'worth the effort'
            return own if participle is None else participle
        closes = after in going_on or words[at].endswith(",") or _is_adverb(after)
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
    if re.search(r"(al|ic|ary|ory|ant|ent|ar)$", plain[last]) and plain[last - 1] not in barred:
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
