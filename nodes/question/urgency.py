"""Detect words that describe an emergency, before a question is processed further.

This is a list of red flags, with the rule that they must be about a person and the present. It is a
safety net, not triage; a question that only asks *about* an emergency ('What are the signs of a
stroke?') is answered like any other.
"""

import re
from typing import Literal

from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import NOT
from anamnesis.language.quantities import old
from anamnesis.language.text import straight
from anamnesis.language.words import SELF

RedFlag = Literal["medical", "self-harm"]

_RELATIVE = any_of("family", "near", "grandparent", "child")
_SELF_HARM = re.compile(
    rf"""\b(
        (kill(ing)?|hang(ing)?|shoot(ing)?)[ ](myself|himself|herself|themselves)
      | (end(ing)?|tak(e|ing))[ ](my|his|her|their)[ ](own[ ])?life
      | suicidal | commit(ting)?[ ]suicide
      | (think|thought|plan|consider|want)\w*[ ](of[ ]|about[ ]|to[ ])?(suicide|ending[ ]it)
      | end(ing)?[ ]it[ ]all | better[ ]off[ ]dead | no[ ]reason[ ]to[ ]live
      | (want|wants|wish|wishes|plan\w*|ready)[ ]to[ ]die
      | do(es)?{NOT}[ ]want[ ]to[ ](live|be[ ](alive|here))(?![ ](in|with)\b)
      | ({any_of("thinking_of")})\w*[ ].{{0,25}}
        (hurt|harm|cut)(t?ing)?[ ]myself
      | (hurt|harm|cut|injure)(t?ing)?[ ]myself[ ](on[ ]purpose|deliberately|again)
      | use[ ]it[ ]on[ ]myself
    )\b""",
    re.VERBOSE,
)
# Heart and breath; brain and consciousness; blood, poison and injury; pregnancy and infants.
_RED_FLAG = re.compile(
    rf"""\b(
        chest[ ](pain|hurts|pressure|tightness|(is|feels)[ ](\w+[ ])?(tight|heavy))
      | (pain|pressure|tightness|tight)[ ](in|on|across)[ ](my|his|her|the)[ ]chest
      | (can{NOT}|can[ ]barely|barely|struggling[ ]to|unable[ ]to|not[ ]able[ ]to)
        [ ](breathe?|get[ ](my|his|her)[ ]breath)
      | (trouble|difficulty|hard|struggling)[ ](breathing|to[ ]breathe|for[ ]breath)
        (?![ ].{{0,12}}(nose|night|run|exerci|climb))
      | (stopped|not|is{NOT})[ ]breathing | gasping[ ]for[ ](air|breath) | choking | no[ ]pulse
      | turn(s|ed|ing)?[ ]blue | drown(ed|ing)
      | (lips|{_RELATIVE}|he|she)
        [ ](is|are|went|has[ ]gone|looks?)[ ](\w+[ ])?blue
      | (am|is|are|be|i'?m|he'?s|she'?s|was[ ]just)[ ]having[ ]an?[ ](\w+[ ])?
        (seizure|fit|stroke|heart[ ]attack|asthma[ ]attack|allergic[ ]reaction)
        (?![ ](risk|test|screen))
      | (seizure|fit|convuls\w+)[ ](for|lasting)[ ].{{0,12}}minutes
      | (seizure|fit)[ ](and[ ]it[ ])?(wo|will|has){NOT}[ ]stop\w*
      | (face|mouth|smile)[ ](is[ ])?(droop\w*|hanging)
      | (slurr\w+|can{NOT})[ ](speech|speak\w*|talk\w*)(?![ ](to|with|about)\b)
      | slurring | speech[ ]is[ ]slurred
      | (one[ ]side|left[ ]side|right[ ]side|left[ ]arm|right[ ]arm|arm|leg)s?
        [ ].{{0,30}}(numb|weak|paraly\w+)
      | (numb|weak)(ness)?[ ](on|of|in|down)[ ](one|the|my|his|her)[ ]((left|right|whole)[ ])?side
      | can{NOT}[ ](move|feel|lift)[ ].{{0,12}}(side|arms?|legs?|face)
        (?![ ](above|over|behind|past|higher))
      | (sudden|worst)[ ].{{0,20}}headache
      | sudden(ly)?[ ].{{0,20}}
        (can{NOT}[ ]see|(loss[ ]of|lost|losing)[ ].{{0,8}}(vision|sight)|blind)
      | sudden(ly)?[ ](\w+[ ])?confus\w+ | confused[ ]and[ ](very[ ])?(hot|sweat\w*|drows\w*)
      | blood[ ]sugar[ ].{{0,25}}confus\w+ | confus\w+[ ].{{0,25}}blood[ ]sugar
      | unconscious | unresponsive | passed[ ]out | (is{NOT}|not|stopped)[ ](responding|moving)
      | (i|he|she|{_RELATIVE})
        [ ](has[ ]|have[ ]|just[ ]|suddenly[ ]){{0,2}}collapsed
      | (wo|will|can){NOT}[ ]wake[ ](up|him|her)
      | bleeding[ ](heavily|a[ ]lot|badly) | spurting | gushing
      | (bleeding|blood)[ ].{{0,20}}(not|(wo|does){NOT})[ ]stop\w*
      | can{NOT}[ ]stop[ ].{{0,12}}bleeding
      | (vomiting|throwing[ ]up|coughing[ ]up|coughing|spitting)[ ].{{0,12}}blood
      | (black|tarry)[ ](stools?|poop?)[ ].{{0,30}}(faint|dizzy|weak)
      | (stools?|poop?)[ ](is|are)[ ](black|tarry).{{0,30}}(faint|dizzy|weak)
      | (throat|tongue|lips|face)[ ].{{0,20}}(swell\w*|swollen|closing)
      | overdos\w+
      | (took|taken|{any_of("swallowed", without="drunk")})[ ]
        (too[ ](many|much)|an?[ ]whole|the[ ]whole|all[ ](of[ ])?(my|his|her|the)|bleach|poison
        |an?[ ](handful|bottle|pack)|([89]|[1-9]\d+)[ ](?!m?c?g\b|ml\b)(\w+[ ])?(pills|tablets)
        |a[ ](battery|magnet)|batteries)
      | ({any_of("swallowed")})[ ].{{0,25}}
        ({any_of("poisonous", without="clean")})
      | bit(ten)?[ ]by[ ](an?[ ])?(\w+[ ])?(snake|viper|cobra) | snake[ ](has[ ])?bit(ten)?
      | electrocut\w+ | electric(al)?[ ]shock
      | (burn(ed|t)[ ](badly|severely)|(badly|severely)[ ]burn(ed|t))
      | (was|been|got)[ ](stabbed|shot)
      | (accident|crash|fell|fall)\b.{{0,60}}(numb|can{NOT}[ ](move|feel))
      | testic\w+[ ].{{0,20}}(sudden|severe)\w*[ ].{{0,12}}pain\w*
      | (sudden|severe)\w*[ ].{{0,20}}pain\w*[ ].{{0,20}}testic\w+
      | stiff[ ]neck[ ].{{0,40}}(fever|rash) | (fever|rash)[ ].{{0,40}}stiff[ ]neck
      | rash[ ].{{0,40}}(not|(wo|does){NOT})[ ](fade|blanch)
      | pregnan\w+[ ](and|with|but)[ ](i'?m[ ]|i[ ]am[ ]|am[ ]|i[ ]have[ ]|have[ ])?
        (bleeding|heavy|severe)
      | (vaginal[ ]bleeding|severe[ ](\w+[ ])?pain)[ ].{{0,12}}pregnant
      | waters?[ ](just[ ])?(has[ ]|have[ ])?bro(ke|ken) | cord[ ](is[ ])?(coming|hanging)[ ]out
      | (newborn|([123]|one|two|three)[ -]{old("month")}
        |(\d+|one|two|three)[ -]{old("day", "week")})
        \b.{{0,30}}(fever|floppy|limp|(wo|will){NOT}[ ]feed|not[ ]feeding)
    )\b""",
    re.VERBOSE,
)
_PERSON = re.compile(
    rf"\b({SELF}|we|he'?s|she'?s|someone|somebody|kid"
    rf"|{any_of('third', 'third_object', 'third_possessive', without='it its them their')}"
    rf"|{any_of('speaker_object', 'speaker_possessive', without='us your')}|{_RELATIVE})\b"
)
# Descriptions of oneself without a pronoun: 'can't breathe', 'sudden loss of vision'.
_BARE = re.compile(
    rf"^\W*(help|can{NOT}|sudden(ly)?|(want|wants|ready|do{NOT} want) to)\b"
    rf"|^\W*(very |really )?({any_of('describing_an_emergency')}"
    r"|(face|facial) droop\w*|no pulse|not breathing|stopped breathing"
    r"|turn(ing|ed) blue|(unresponsive|unconscious|choking|gasping)(?=\W*$|,| and| on))\b"
    r"|^\W*chest (pain|pressure|tightness)(,| and| with| plus).{0,20}"
    rf"\b({any_of('with_chest_pain')}|(left )?arm)"
    r"|\b(spreading|radiating) (to|down|into)\b"
)
_KEYWORDS = re.compile(r"\b(causes?|symptoms?|signs?|treatments?|meaning|definition|risks?)\b")
_PAST = re.compile(
    rf"\b(({any_of('period', without='second minute hour day')})s? ago|{any_of('past_event')})\b"
)
_ABOUT = re.compile(rf"^\W*({any_of('about_an_emergency')})\b(?!')")
_PRESENT = re.compile(rf"\b({any_of('present_event')})\b")
_TOOK = f"took|{any_of('swallowed', without='drunk eaten')}"
_MINE = re.compile(
    rf"\b(i'?m|i am|i have|i'?ve|just|i ({_TOOK}|can{NOT})"
    rf"|(he|she|my \w+) (is|are|has|(wo|will|can){NOT}|hurts?|{_TOOK}|collapsed"
    r"|passed|overdosed))\b"
)


def red_flag(question: str) -> RedFlag | None:
    """The kind of emergency that, according to the question, is happening now, if any.

    Words about a person's self-harm always count. Other red flags count if they are about a person
    and are neither about the past nor a general question.
    """
    text = " ".join(straight(question.lower()).split())
    bare = _BARE.search(text) and not _ABOUT.search(text) and not _KEYWORDS.search(text)
    if not _PERSON.search(text) and not bare:
        return None
    if _SELF_HARM.search(text):
        return "self-harm"
    if not _RED_FLAG.search(text):
        return None
    if _PRESENT.search(text):
        return "medical"
    if _PAST.search(text):
        return None
    if _ABOUT.search(text) and not _MINE.search(text):
        return None
    return "medical"
