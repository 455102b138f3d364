"""Put an answer option into its place in the question."""

import re
from collections.abc import Sequence

from anamnesis.language.clauses import (
    ARTICLES,
    AUXILIARIES,
    AUXILIARY,
    BASE_VERBS,
    BE,
    DO,
    HAVE,
    JOINTS,
    PREPOSITIONS,
    PRONOUNS,
    declared,
    finite,
    inflected,
    plain_word,
)
from anamnesis.language.lexicon import any_of

_ADVERBS = frozenset("best most likely also usually typically".split())
CHOICE = re.compile(
    r"\b(?:(?:which|what) (?:one )?of (?:the |these )?(?:following|these|below|options|above)\b"
    rf"(?: (?:options|statements?|ones?)(?= (?:{any_of('be')}|about|regarding)\b))?"
    r"|(?:all|each|any|none|one)(?: of)?(?: the)? (?:following|these|below)\b"
    rf"|^\W*all(?= (?:{any_of('be')}|can|may|have)\b)|which one|which|what)\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"how (?:many|much) (?P<noun>.+?) (?P<clause>"
    rf"(?:{any_of('be', 'do', 'have', 'modal', without='had')}|must|may)\b.+)$",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"(?P<word>where|when|how(?: (?:long|often|soon|late|early))?|why)\s+(?P<clause>.+)$",
    re.IGNORECASE,
)
_BLANK = re.compile(r"_{2,}|\.{4,}|…{2,}")
_OPEN_END = re.compile(
    rf"\b(?:{AUXILIARY}|{'|'.join(sorted(PREPOSITIONS))}|{any_of('article', 'open_end')})$",
    re.IGNORECASE,
)
ABOUT_WHAT = any_of("about_it")
"""How a question for the true or the false statement continues, as alternatives of a pattern."""
TRUE = f"{any_of('true_word')}|accurate|valid"
"""What a statement is that fits, as alternatives of a pattern."""
_TRUE = re.compile(
    rf"(?:^|\b(?:is|are|be|not)\s)\W*+(?:(?:{any_of('article')})\s+)?(?:{TRUE})"
    r"(?:\s+(?:statements?|option))?"
    rf"(?=\s*(?:$|[,:]|(?:is|are|{ABOUT_WHAT})\b))",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|with regards? to|with respect to|in relation to|related to|of"
    r"|for|on)\s+(?P<topic>.+?)(?:(?<!\s)\s+(?:is|are|which|all|that)\b.*)?(?<![\s,:])[\s,:]*$",
    re.IGNORECASE,
)


def fill_in(question: str, option: str) -> str:
    """The question as a statement with the option in its place."""
    if _BLANK.search(question):
        return _BLANK.sub(lambda _: option, question, count=1)
    if (filled := _of_topic(question, option)) is not None:
        return filled
    if (filled := _adverbial(question, option)) is not None:
        return filled
    who = re.match(r"(?:who|what|which)\s+(?P<rest>.+)$", question, re.IGNORECASE)
    word = CHOICE.search(question)
    if who and (word is None or word.end() <= who.start("rest")):
        filled = _of_what(who["rest"], option)
        if filled is not None:
            return filled
    if word is not None:
        before, rest = question[: word.start()], question[word.end() :].strip(" ,")
        if (filled := _in_place(before.strip(), rest, option)) is not None:
            return filled
    elif all_ := re.search(r"\ball(?: of the above| the above)?$", question, re.IGNORECASE):
        return f"{question[: all_.start()]}{option}"
    elif _OPEN_END.search(question):
        return f"{question} {_lower_initial(option)}"
    return f"{question}: {option}"


def _of_topic(question: str, option: str) -> str | None:
    """For 'which is true about X?': a statement of the option about X."""
    word = CHOICE.search(question)
    question = question[word.end() :] if word else question
    true = _TRUE.search(question)
    if true is None:
        return None
    about = _ABOUT.search(question, true.end()) or _ABOUT.search(question[: true.start()])
    if about is None:
        return option if len(option.split()) > 2 else None
    topic, first = about["topic"], plain_word(option.split()[0])
    if finite(first):
        return f"{topic} {option[0].lower()}{option[1:]}"
    if first.endswith("ed"):
        return f"{topic} {'are' if _plural(topic) else 'is'} {option[0].lower()}{option[1:]}"
    return f"{topic}: {option}"


def _adverbial(question: str, option: str) -> str | None:
    """For where, when, why, how, how many: the clause followed by the option."""
    if many := _HOW_MUCH.match(question):
        stated = declared(many["clause"])
        if stated is None:
            return None
        noun, has = many["noun"], option
        if plain_word(noun.split()[0]) not in option.lower():
            has = f"{option} {noun}"
        there = re.sub(
            rf"^there ({any_of('be')})\b", lambda found: f"{found.group()} {has}", stated
        )
        return there if there != stated else f"{stated} {has}"
    found = _WHERE.match(question)
    stated = declared(found["clause"]) if found else None
    if found is None or stated is None:
        return None
    word, first = found["word"].lower(), plain_word(option.split()[0])
    if word == "why":
        return f"{stated} {'' if first == 'because' else 'because '}{_lower_initial(option)}"
    if word == "where" and first not in PREPOSITIONS:
        return f"{stated} in {_lower_initial(option)}"
    if first in PREPOSITIONS or word.startswith("how "):
        return f"{stated} {_lower_initial(option)}"
    return f"{stated}: {option}"


def _of_what(rest: str, option: str) -> str | None:
    """For 'What is …', 'Who causes …': depends on what follows the question word."""
    words = rest.split()
    first = plain_word(words[0])
    if first in BE and len(words) > 1:
        second = plain_word(words[1])
        stated = declared(rest)
        if stated is not None and plain_word(words[-1]) in PREPOSITIONS:
            return f"{stated} {_lower_initial(option)}"  # 'what is metformin used for'
        named = (
            second in ARTICLES | {"this", "these"}
            or re.search(r"['’]s$", words[1])
            or len(words) <= 3
        )
        if named or second in {"most", "best"} or re.search(r"\bof\b", rest):
            return f"{' '.join(words[1:])} {first} {_lower_initial(option)}"
        return f"{option} {rest}"
    if first in DO:
        stated = declared(rest)
        return f"{stated} {_lower_initial(option)}" if stated and _takes_object(stated) else None
    if finite(first) or first.endswith("ed"):
        return f"{option} {rest}"
    return None


def _takes_object(verb: str) -> bool:
    """Whether the last word can take an object."""
    last = plain_word(verb.split()[-1])
    return last in PREPOSITIONS or finite(last) or last.endswith(("ed", "ing"))


def _in_place(before: str, rest: str, option: str) -> str | None:
    """The question with 'which …' and its noun replaced by the option."""
    words = rest.split()
    plain = [plain_word(word) for word in words]
    verb = next((at for at in range(len(plain)) if _is_verb(plain, at)), None)
    last = plain_word(before.split()[-1]) if before else ""
    if last in PREPOSITIONS and len(before.split(",")[-1].split()) == 1:
        # 'In which organ is X made?'
        stated = declared(" ".join(words[verb:])) if verb is not None else None
        head = before[: -len(last)].strip()
        return f"{head} {stated} {last} {_lower_initial(option)}".strip() if stated else None
    if before and not before.endswith((",", ":", ";")) and last not in JOINTS | {"then"}:
        tail = next((at for at, word in enumerate(plain) if _ends_noun(word)), len(words))
        return f"{before} {_lower_initial(option)} {' '.join(words[tail:])}"
    if verb is None:
        return None
    start = verb
    while start > 0 and plain[start - 1] in _ADVERBS:
        start -= 1
    following = plain[verb + 1] if verb + 1 < len(plain) else ""
    if _is_inverted(plain[verb], following, plain[-1]):
        stated = declared(" ".join(words[start:]))
        if stated is None or not _takes_object(stated):
            return None
        return f"{before} {stated} {_lower_initial(option)}".strip()
    predicate = [*_with_agreement(plain, verb, option, words[start : verb + 1]), *words[verb + 1 :]]
    return f"{before} {option} {' '.join(predicate)}".strip()


def _is_verb(plain: list[str], at: int) -> bool:
    """Whether a word is the verb in 'which NOUN VERB …'."""
    word = plain[at]
    if word in BASE_VERBS and (at == 0 or _plural(plain[at - 1])):
        return True
    return finite(word) and (word in AUXILIARIES or not _is_noun(plain, at))


def _ends_noun(word: str) -> bool:
    return word in PREPOSITIONS or word in AUXILIARIES or word.endswith("ed")


def _is_inverted(verb: str, following: str, last: str) -> bool:
    """Whether the subject follows the verb, as in 'which organ does it affect'."""
    article = following in ARTICLES | {"this"}
    if verb in DO or (article and last[-3:] == "ing"):
        return True
    return verb in AUXILIARIES and (following in PRONOUNS or (article and verb not in BE | HAVE))


def _with_agreement(plain: list[str], verb: int, option: str, words: Sequence[str]) -> list[str]:
    """The ``words`` up to the verb, which agrees with the option in number."""
    *adverbs, last_word = words
    if plain[verb] in {"are", "were"}:
        noun = next((at for at in range(verb, len(plain)) if plain[at] in PREPOSITIONS), len(plain))
        plural = _plural(plain[noun - 1]) and noun - verb > 1
        be = plain[verb] if _plural(option) else {"are": "is", "were": "was"}[plain[verb]]
        article = plain[verb + 1 : verb + 2]
        among = ["among", *([] if article and article[0] in ARTICLES else ["the"])]
        return [be, *adverbs, *(among if plural else [])]
    if plain[verb] in BASE_VERBS and not _plural(option):
        return [*adverbs, inflected(plain[verb], "does")]
    return [*adverbs, last_word]


def _is_noun(plain: list[str], at: int) -> bool:
    """Whether an apparent verb is a noun: 'forms of …', 'of rules', 'rules gives'."""
    before = plain[at - 1] if at else ""
    after = plain[at + 1] if at + 1 < len(plain) else ""
    governed = before in (PREPOSITIONS | ARTICLES) - {"below", "above"}
    return governed or after == "of" or finite(after)


def _plural(name: str) -> bool:
    """Whether a name looks like a plural, by the word before its first preposition."""
    words = [plain_word(word) for word in name.split()]
    end = next((at for at, word in enumerate(words) if at and word in PREPOSITIONS), len(words))
    return "and" in words[:end] or bool(re.search(r"[^su'’i]s$", words[end - 1]))


def _lower_initial(option: str) -> str:
    """The option for the middle of a sentence: only function words lose their capital."""
    first = option.split()[0] if option else ""
    is_function_word = first.lower() in ARTICLES | PREPOSITIONS | PRONOUNS - {"i"}
    small = first == "Because" or (is_function_word and first[1:] == first[1:].lower())
    return option[:1].lower() + option[1:] if small else option
