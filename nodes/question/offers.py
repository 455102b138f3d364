"""Interpret a 'yes' or a 'no' to an offer in the assistant's last message.

'Yes, please' to 'Would you like to know how gout is treated?' asks 'How is gout treated?'. Only
simple agreement counts: anything else the user says is a new question. Our own replies come with
their offers; those of a reply of another program are read from its text.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.negations import NOT
from anamnesis.language.text import sentences, straight, tokenize
from anamnesis.language.words import content_stems, stem
from nodes.fields.turns import Offer, Turn

_LIKE = "like|want|wish|prefer"
_LEAD = re.compile(
    rf"""^\W*((and|also|or|please)\b,?\s|if\ you(['’]d|\ would)?\ ({_LIKE}),?\s)*
    ( would\ you\ (also\ )?like(\ me)?(\ to)?
    | do\ you\ (also\ )?(want|wish)(\ me)?(\ to)?
    | want(\ me)?(\ to)?
    | (?P<topic>(are\ you|would\ you\ be)\ interested\ in)
    | (shall|should|may)\ I
    | let\ me\ know\ if\ you(['’]d|\ would)?\ (like|want)(\ me)?(\ to)?
    | (?P<able>(I|we)\ (can|could)|I(\ am|['’]m|\ would\ be|['’]d\ be)\ happy\ to)
    )\ (also\ )?""",
    re.IGNORECASE | re.VERBOSE,
)
_IF_LIKED = re.compile(
    r"(^\W*+|(?<![,\s])[,\s]++)"
    rf"if (you(['’]d| would)? ({_LIKE})( (me to|that))?|that helps)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?<![\s,])[\s,]++(as well|too|now|next|instead|for you|in more detail|please)$", re.IGNORECASE
)
# 'I can explain the diet. Would you like that?': the offer is in the preceding sentence.
_THAT = re.compile(
    r"^\W*(would you like (that|me to( do (so|that))?)|shall i( do (so|that))?"
    r"|do you want (that|me to( do (so|that))?))\W*$",
    re.IGNORECASE,
)
# An offer to continue with whatever the user names.
_OPEN = re.compile(
    r"\b((any|some)thing else|(other|more|another|further) questions?|another question)\b",
    re.IGNORECASE,
)
# Offers that no document can fulfil.
_IN_PERSON = re.compile(r"(help|support|someone|somebody|a (doctor|nurse))\b", re.IGNORECASE)
_EXPLAIN = re.compile(
    r"(explain|describe|outline|summari[sz]e|discuss|compare)\b(?! more)(\s+to you)?", re.IGNORECASE
)
_LIST = re.compile(r"(list|name)(\s+(you|for you))?\b", re.IGNORECASE)
_TELL = re.compile(
    rf"(?=\w)(({any_of('to_tell')}"
    r"|talk(?= about)|(get|have|see)(?= (more|some|further|information|details|a list)))\b\s*"
    r"(you\b\s*)?)?"
    rf"(({any_of('about_to_tell')})\b\s*)*((about|on|into|of|to)\b\s*)?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(rf"({any_of('question')}|whether|if)\b", re.IGNORECASE)
_DEGREE = re.compile(rf"({any_of('degree_asked')})\b")
_AUXILIARY = re.compile(rf"\b({any_of('be', 'modal', 'possibility')}|am|must|does|did)\b")
_SUBCLAUSE = re.compile(r"\b(who|which|that|if|when|while|because)\b")
_PRONOUN = re.compile(rf"(.*\s)?(I|we|{any_of('third')})$")
_DETERMINER = re.compile(rf"(the|an?|my|{any_of('third_possessive')})\b")

_AGREES = re.compile(
    rf"(?:\b(?:{any_of('agreement', 'thanks', 'emphasis', 'agreeing')})\b[\s,.!…–-]*)+"
)
_DECLINES = re.compile(
    rf"(?:\b(?:{any_of('refusal', 'thanks', 'emphasis')}|thank|no need"
    r"|not (?:now|really|today|yet|needed)|maybe later|later|(?:i am|i'm|im) (?:fine|good|ok|okay)"
    rf"|(?:that's|thats|that is) (?:all|enough|it)|(?:i )?do{NOT}(?: want (?:that|to|it))?"
    r"|(?:for )?now|ok|okay|please|all good)\b[\s,.!…–-]*)+"
)
_NO = re.compile(rf"\b({any_of('refusal')}|not|later|fine|good|all|enough|do{NOT}|it)\b")
_ONLY_THANKS = re.compile(rf"(?:\b(?:{any_of('thanks', 'emphasis')}|thank)\b[\s,.!]*)+")
_PLACES = {
    "first": 0, "former": 0, "1": 0, "second": 1, "2": 1, "third": 2, "3": 2,
    "latter": -1, "last": -1,
}  # fmt: skip
# Greetings and thanks: they are not searched for.
_COURTESIES = re.compile(
    rf"\W*(({any_of('agreement', 'refusal', 'greeting', 'thanks', 'emphasis')}|sure|great|good|fine"
    r"|please|bye|goodbye|got it|i see)\b\W*)+",
    re.IGNORECASE,
)


class Offered(NamedTuple):
    """What a reply offers at its end; ``more`` is whether it asks 'Is there anything else?'."""

    offers: Sequence[Offer] = ()
    more: bool = False


def accepted_offer(message: str, offers: Sequence[Offer]) -> str | None:
    """The question that the user asks by agreeing to the offers at the end of the last message.

    If several things are offered, simple agreement asks for all of them; 'the second' or a name
    asks for one. None if nothing is offered, or if the user says anything else. Pronouns are kept:
    ``nodes.question.followup.stand_alone`` resolves them.
    """
    if not offers:
        return None
    text = _plain(message)
    if _AGREES.fullmatch(text) and not _ONLY_THANKS.fullmatch(text):
        return _question_on_all(offers)
    return _picked_offer(text, offers)


def asks_nothing(message: str, offered: Offered) -> bool:
    """Whether a message is only thanks, a greeting or a short answer, or declines an offer."""
    return bool(_COURTESIES.fullmatch(message)) or declined(message, offered)


def declined(message: str, offered: Offered) -> bool:
    """Whether the user only declines what the last message offers."""
    text = _plain(message)
    refuses = bool(_DECLINES.fullmatch(text) and _NO.search(text))
    return refuses and (bool(offered.offers) or offered.more)


def offered_by(turn: Turn) -> Offered:
    """What the reply of a turn offers; that of another program is read for it."""
    if turn.offers is not None:
        return Offered(turn.offers)
    ending = _ending(turn.reply)
    return Offered(_offers_in(ending), bool(_OPEN.search(ending)))


def _plain(message: str) -> str:
    return " ".join(straight(message.lower()).split()).strip(" .!…\"'")


def _ending(reply: str) -> str:
    """The last sentence of a reply, and the one before it if it only asks 'Shall I?'."""
    text = re.sub(r"\s{0,9}\[\d{1,9}\]", "", reply).strip()
    parts = [text[span.start : span.end] for span in sentences(text)]
    if len(parts) > 1 and _THAT.match(parts[-1]) and _LEAD.match(parts[-2]):
        return f"{parts[-2].rstrip('.!')} if you like."
    return parts[-1] if parts else ""


def _offers_in(ending: str) -> list[Offer]:
    """The things that a sentence offers; empty if none can be asked as a question."""
    lead = _LEAD.match(ending)
    if not lead or (lead["able"] and not _IF_LIKED.search(ending)):
        return []  # 'I can only tell what the documents say.' offers nothing.
    what = _IF_LIKED.sub("", ending[lead.end() :]).strip(" ?.!,")
    while tail := _TAIL.search(what):
        what = what[: tail.start()]
    every = re.split(r",?\s{1,9}or\s{1,9}", what)
    parts = [part for part in every if not _OPEN.search(part)]
    whole = what if parts == every else " or ".join(parts)
    if len(parts) > 1:
        parts = [*re.split(r",\s+", parts[0]), *parts[1:]]
    offers: list[Offer] = []
    kind = "Tell me about" if lead["topic"] else ""
    for place, part in enumerate(parts):
        verb, rest = _verb(part)
        if (not place and not verb and not kind) or _IN_PERSON.match(rest):
            return []  # An offer to do something else: 'Shall I call a doctor?'
        # 'Treated or prevented' within a clause is one thing.
        clause = bool(_CLAUSE.match(offers[-1].words)) if offers else False
        if clause and not verb and not _CLAUSE.match(rest):
            verb, rest = _verb(whole)
            return [_offer(verb or kind, rest)]
        kind = verb or kind
        offers.append(_offer(kind, rest or "it"))
    return _with_common_end(offers)


def _verb(part: str) -> tuple[str, str]:
    """The verb ('' if the part has none) and its object."""
    part = re.sub(r"^(to|also)\s+", "", part)
    if found := _EXPLAIN.match(part):
        return found[1].capitalize(), part[found.end() :].strip()
    if found := _LIST.match(part):
        return "What are", part[found.end() :].strip()
    found = _TELL.match(part)
    if found and found[0]:
        return "Tell me about", part[found.end() :].strip()
    return "", part


def _offer(kind: str, words: str) -> Offer:
    words = re.sub(r"\byour\b", "my", words)
    words = re.sub(r"\byou are\b", "I am", words)
    words = re.sub(rf"\byou(?= ({_AUXILIARY.pattern}|have|need|take|get|feel)\b)", "I", words)
    words = re.sub(r"\byou\b", "me", words)
    if _CLAUSE.match(words):
        return Offer(words, _direct(words), kind)
    return Offer(words, f"{kind} {words}" + ("?" if kind == "What are" else ""), kind)


def _direct(clause: str) -> str:
    """An indirect question made direct: 'how gout is treated' becomes 'How is gout treated?'.

    If its parts are unclear, it becomes a request: 'Explain how an attack begins'.
    """
    asker, _, rest = clause.partition(" ")
    asker = asker.lower()
    if rest.startswith("to "):
        return f"{asker.capitalize()} {rest}?"
    limit = _SUBCLAUSE.search(rest)
    found = _AUXILIARY.search(rest, 0, limit.start() if limit else len(rest))
    subject_first = asker in ("what", "which", "who")
    if not found:
        return f"{asker.capitalize()} {rest}?" if subject_first else f"Explain {clause}"
    subject, after = rest[: found.start()].strip(), rest[found.end() :]
    opening = asker.capitalize()
    if asker in ("whether", "if"):
        return f"{found[0].capitalize()} {subject}{after}?" if subject else f"Explain {clause}"
    if asker == "how" and (degree := _DEGREE.match(subject)):
        opening, subject = f"{opening} {degree[0]}", subject[degree.end() :].strip()
    if subject_first and after.strip() and not _DETERMINER.match(subject):
        pronoun = _PRONOUN.match(subject)
        if not pronoun:
            return f"{opening} {rest}?"
        opening, subject = f"{opening} {pronoun[1] or ''}".strip(), pronoun[2]
    return f"{opening} {found[0]} {subject}".strip() + f"{after}?"


def _with_common_end(offers: list[Offer]) -> list[Offer]:
    """Complete coordinated parts: 'the symptoms or the treatment of gout' are both of gout."""
    end = re.search(r" (of|for|in) .+$", offers[-1].words) if len(offers) > 1 else None
    if not end or any(_CLAUSE.match(offer.words) for offer in offers):
        return offers
    return [
        offer
        if re.search(r" (of|for|in|with) ", offer.words)
        else _offer(offer.kind, offer.words + end[0])
        for offer in offers
    ]


def _question_on_all(offers: Sequence[Offer]) -> str:
    first, *others = offers
    endings = {offer.question.removeprefix(offer.words) for offer in offers}
    if len(endings) == 1 and first.question.startswith(first.words):
        return " and ".join(offer.words for offer in offers) + endings.pop()
    same = {offer.kind for offer in offers} == {first.kind}
    if same and not any(_CLAUSE.match(offer.words) for offer in offers):
        return _offer(first.kind, " and ".join(offer.words for offer in offers)).question
    asked = [first.question.rstrip("?")]
    asked += [f"{offer.question[0].lower()}{offer.question[1:].rstrip('?')}" for offer in others]
    return " and ".join(asked) + ("?" if offers[-1].question.endswith("?") else "")


def _picked_offer(text: str, offers: Sequence[Offer]) -> str | None:
    """The thing that the user picks by its position or its name."""
    words = tokenize(text)
    if len(offers) < 2 or len(words) > 8 or text.endswith("?") or _CLAUSE.match(text):
        return None
    if {*listed("negation"), "t"} & set(words):
        return None
    named = content_stems(text)
    places = [_PLACES[word] for word in words if word in _PLACES]
    if len(places) == 1 and named <= {stem(word) for word in _PLACES}:
        return offers[places[0]].question if places[0] < len(offers) else None
    fits = [offer for offer in offers if named <= {stem(word) for word in tokenize(offer.words)}]
    return fits[0].question if named and len(fits) == 1 else None
