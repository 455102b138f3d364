"""Spot the words of an emergency, before anything else is done with a question.

Deliberately simple and readable: a list of red flags, and the rule that they must be about a
person and about the present. It is a safety net and no triage; a question that only asks *about*
an emergency ('What are the signs of a stroke?') is answered like any other.
"""

import re
from typing import Literal

Urgency = Literal["medical", "self-harm"]

_SELF_HARM = re.compile(
    r"\b(kill(ing)? myself|end(ing)? my (own )?life|(take|taking) my own life|suicidal"
    r"|(want|wish|going|plan\w*) to die|hurt(ing)? myself|harm(ing)? myself"
    r"|commit(ting)? suicide|don'?t want to (live|be alive)|no reason to live)\b"
)
_RED_FLAG = re.compile(
    r"""\b(
        chest[ ](pain|hurts|pressure|tightness)
      | (pain|pressure|tightness|tight)[ ](in|on|across)[ ](my|his|her|the)[ ]chest
      | (can'?t|cannot|can[ ]not|can[ ]barely|barely|struggling[ ]to|unable[ ]to|not[ ]able[ ]to)
        [ ](breathe?|get[ ](my|his|her)[ ]breath)
      | (stopped|not|isn'?t)[ ]breathing | gasping[ ]for[ ](air|breath) | turning[ ]blue | choking
      | (face|mouth|smile)[ ](is[ ])?(droop\w*|hanging)
      | (slurr\w+|can'?t)[ ](speech|speak\w*|talk\w*) | slurring
      | (one[ ]side|left[ ]side|right[ ]side|left[ ]arm|right[ ]arm|arm|leg)
        [ ].{0,30}(numb|weak|paraly\w+)
      | (sudden|worst)[ ].{0,20}headache
      | unconscious | unresponsive | passed[ ]out
      | (won'?t|can'?t|cannot)[ ]wake[ ](up|him|her)
      | (is|am|was[ ]just)[ ]having[ ]a[ ](seizure|fit|stroke|heart[ ]attack)
      | (seizure|fit)[ ](won'?t|has[ ]not|hasn'?t)[ ]stop\w*
      | bleeding[ ](heavily|a[ ]lot|badly)
      | (bleeding|blood)[ ].{0,20}(won'?t|not|doesn'?t)[ ]stop\w*
      | (vomiting|throwing[ ]up|coughing[ ]up|spitting)[ ].{0,12}blood
      | (throat|tongue|lips|face)[ ].{0,20}(swell\w*|swollen|closing)
      | overdos\w+
      | (took|taken|swallowed|drank|ate|eaten)[ ]
        (too[ ](many|much)|an?[ ]whole|the[ ]whole|all[ ](of[ ])?(my|his|her|the)|bleach|poison
        |a[ ](battery|magnet)|batteries)
      | (drank|drunk|swallowed)[ ].{0,25}(bleach|antifreeze|detergent|cleaner|battery|pesticide)
      | stiff[ ]neck[ ].{0,40}(fever|rash) | (fever|rash)[ ].{0,40}stiff[ ]neck
    )\b""",
    re.VERBOSE,
)
_PERSON = re.compile(
    r"\b(i|i'?m|i'?ve|my|me|we|our|he|she|his|her|him|someone|somebody|they|son|daughter|baby"
    r"|husband|wife|mother|father|mum|mom|dad|child|kid|friend|partner)\b"
)
_PAST = re.compile(
    r"\b((years?|months?|weeks?) ago|last (year|month|summer|winter)|used to|history of"
    r"|since childhood|as a child|in the past|previously|survived|recovered)\b"
)
_ABOUT = re.compile(
    r"^\W*(what (is|are|causes?|does)|which|can|could|does|do|how (is|are|do|does|can|common|long)"
    r"|who|why (is|are|do|does)|when should|should|is it|are there)\b"
)
_PRESENT = re.compile(r"\b(right now|just now|now|today|since (this|last|yesterday)|help|urgent)\b")
_MINE = re.compile(
    r"\b(i'?m|i am|i have|i'?ve|my \w+ (is|are|has|won'?t|hurts?)|(he|she) (is|has)|just)\b"
)


def urgency(question: str) -> Urgency | None:
    """Whether the question describes an emergency that is happening, and of which kind.

    Words of self-harm in the first person always count. Other red flags count when they are
    about a person and neither about the past nor a plain question of knowledge.
    """
    text = question.lower().replace("’", "'")
    if _SELF_HARM.search(text) and re.search(r"\b(i|i'?m|myself|my)\b", text):
        return "self-harm"
    if not _RED_FLAG.search(text) or not _PERSON.search(text):
        return None
    if _PRESENT.search(text):
        return "medical"
    if _PAST.search(text):
        return None
    if _ABOUT.search(text) and not _MINE.search(text):
        return None
    return "medical"
