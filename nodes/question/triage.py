"""Classify the urgency of a message with the reader, supported by patterns of red flags."""

import logging
from collections.abc import Callable

from anamnesis.errors import ModelError
from anamnesis.language.text import sentences
from anamnesis.models.first_aid_pages import NO_PAGE, page_probabilities
from anamnesis.models.reading import Triage
from nodes.question.urgency import red_flag
from nodes.state import Urgency

EMERGENCY = 0.17
"""Minimum probability of an emergency; low, because recall counts more than false alarms. Chosen on
1,121 emergencies and 3,268 routine messages that the triage did not learn from: the held-out ones
of ``given``, ``own``, ``short`` and ``typed`` (`python -m benchmarks.triage`), and the six files of
messages in ``benchmarks``. At .15, .948 of the emergencies are recognised, and .043 of the routine
messages are classified as one; at .17 these are .940 and .036, at .2 .931 and .028.
"""
CERTAIN = 0.8
"""Minimum probability at which the answer only says whom to call. Below it the answer begins with
whom to call, and the question is answered too.
"""
CERTAIN_WITH_RED_FLAG = 0.5
"""The same if a red flag other than self-harm matches. Of the messages in ``benchmarks`` with such
a red flag and a probability from ``EMERGENCY`` to .5, 4 are emergencies and 1 is not; with one from
.5 to .8, 4 are and none is not.
"""
WITH_RED_FLAG = 0.05
"""Minimum probability of a possible emergency if a red flag other than self-harm matches."""
SENTENCE = 0.7
"""Minimum probability of an emergency for a sentence that is read without its context."""
CRISIS_KIND = 0.1
"""Minimum probability of the kind self-harm at which the answer to a certain emergency names a
crisis line, whatever the score of self-harm: 130 of the 175 held-out messages about self-harm reach
it, and 76 of 644 other emergencies (`python -m benchmarks.triage`).
"""
CRISIS_LINE = 0.15
"""Minimum score of self-harm (``anamnesis.models.harm``) at which a crisis line is named, in an
emergency or before an answer; chosen by `python -m benchmarks.triage`.
"""
NO_DOSES = 0.4
"""Minimum score of self-harm at which no maximum dose is shown. It is higher than ``CRISIS_LINE``:
a crisis line before an answer costs little, but without the maximum dose the answer is lost.
"""
CERTAIN_SELF_HARM = 0.16
"""Minimum score of self-harm at which an emergency of this kind is certain even below ``CERTAIN``,
so that the answer only says whom to call. It is low, because a person in danger counts more than a
question without an answer (`python -m benchmarks.triage`).
"""
FEWEST_WORDS = 3
"""Minimum words of a message for the thresholds above, if no red flag matches. Two words may be
only a topic or a reply in a conversation: they are an emergency only if the probability reaches
``TWO_WORDS``, and then only a possible one, unless its kind is self-harm. One word is no emergency.
"""
TWO_WORDS = 0.7
"""Minimum probability of an emergency in a message of two words without a red flag."""
FIRST_AID_SHOWN = 0.4
"""Minimum probability of a page on first aid whose steps are shown in an emergency. Steps for
another emergency do harm, so the threshold was
chosen by how many of the shown pages are right (`python -m benchmarks.first_aid`).
"""
FIRST_AID = 0.6
"""Minimum probability of a page on first aid for its steps to answer a possible emergency. Of 1,212
messages that are none, 67 are taken for a possible one, and 13 of these get steps, two of
which fit (`python -m benchmarks.first_aid`, with whose messages it was chosen).
"""
URGENT = 0.45
"""Minimum probability that a message is urgent or an emergency. On the messages of ``EMERGENCY``,
.811 of the urgent ones reach it, and .058 of the routine ones; at .5 these are .790 and .053, at .4
.827 and .060."""

_log = logging.getLogger(__name__)
_ORDER = ("routine", "urgent", "emergency")


def triage(
    message: str,
    classify: Callable[[str], Triage] | None,
    threshold: float = EMERGENCY,
    crisis_line: float = CRISIS_LINE,
) -> Urgency:
    """The level and kind of a message.

    ``classify`` gives the probabilities and the score of self-harm by the reader; if it is None,
    only the patterns decide. ``threshold`` is the minimum probability of an emergency,
    ``crisis_line`` the minimum score of self-harm at which a crisis line is named. One is also
    named if a red flag of self-harm matches. If a red flag matches but the probability is below
    ``threshold``, each sentence is read alone, and the most urgent one counts if it reaches
    ``SENTENCE``. With a medical red flag, a probability from ``WITH_RED_FLAG`` to ``threshold`` is
    a possible emergency. An emergency below ``CERTAIN`` is only ``possible``, with two exceptions:
    it is of the kind self-harm, and the score reaches ``CERTAIN_SELF_HARM``; or it is of another
    kind, a red flag matches, and the probability reaches ``CERTAIN_WITH_RED_FLAG``. For messages of
    two words see ``FEWEST_WORDS``.
    """
    flagged = red_flag(message)
    found: Urgency = {"level": "routine", "kind": "", "crisis": False, "why": "patterns only"}
    if classify is None:
        return {**found, "level": "emergency", "kind": flagged} if flagged else found
    number = len(message.split())
    if not flagged and number < 2:
        return {**found, "why": "too few words to classify"}
    few = not flagged and number < FEWEST_WORDS
    threshold = max(threshold, TWO_WORDS) if few else threshold
    read = classify(message)
    crisis = flagged == "self-harm" or read.harm >= crisis_line
    if flagged == "self-harm" or read.harm >= NO_DOSES:
        found["no_doses"] = True
    if flagged and read.levels["emergency"] < threshold:
        every = (message[start:end] for start, end in sentences(message))
        parts = [part for part in every if part != message]
        worst = max(map(classify, parts), key=lambda item: item.levels["emergency"], default=read)
        read = worst if worst.levels["emergency"] >= SENTENCE else read
    chance = read.levels["emergency"]
    found |= {"why": f"probability of an emergency {chance:.2f}", "crisis": crisis}
    if flagged:
        found["why"] += ", and a red flag matches"
    if chance >= threshold:
        least = crisis_line if chance >= CERTAIN else max(crisis_line, CERTAIN_SELF_HARM)
        harming = read.harm >= least
        found |= {"level": "emergency", "kind": _kind(read, flagged, harming)}
        found["why"] += f", at least {threshold:.2f}"
        harms = found["kind"] == "self-harm"
        certain = CERTAIN_WITH_RED_FLAG if flagged and not harms else CERTAIN
        if not (harms and harming) and (few or chance < certain):
            below = "in two words" if few else f"below {certain:.2f}"
            found["possible"] = True
            found["why"] += f", but {below}, so the question is answered too"
        else:
            found["crisis"] |= read.kinds.get("self-harm", 0.0) >= CRISIS_KIND
    elif flagged == "medical" and chance >= WITH_RED_FLAG:
        found |= {"level": "emergency", "kind": flagged, "possible": True}
        found["why"] += f", at least {WITH_RED_FLAG:.2f}, so the question is answered too"
    elif chance + read.levels["urgent"] >= URGENT:
        found |= {"level": "urgent", "why": f"{found['why']}, and it is urgent"}
    return found


def _kind(read: Triage, flagged: str | None, harming: bool) -> str:
    """The most probable kind of an emergency; self-harm only if its score or a red flag says so.

    Without this condition, more messages that are not about self-harm would get only a crisis line
    (`python -m benchmarks.triage`).
    """
    if flagged == "self-harm":
        return flagged
    kinds = [item for item in read.kinds if harming or item != "self-harm"]
    # The reader gives no kinds if an emergency is very improbable, which a low threshold permits.
    return max(kinds, key=lambda item: read.kinds[item], default="medical")


def needs_immediate_answer(urgent: Urgency) -> bool:
    """Whether a message is answered at once, without a search: an emergency, or a possible one with
    first-aid steps.
    """
    return bool(urgent["kind"]) and (not urgent.get("possible") or is_answered_by_first_aid(urgent))


def is_answered_by_first_aid(urgent: Urgency) -> bool:
    """Whether a possible emergency is answered by the steps of a page on first aid."""
    return bool(urgent.get("possible")) and urgent.get("first_aid_probability", 0.0) >= FIRST_AID


def with_first_aid(message: str, urgent: Urgency) -> Urgency:
    """The classification; of an emergency, with the page on first aid that fits it best.

    There is no page if none reaches ``FIRST_AID_SHOWN``, or if the emergency is self-harm. If the
    model that finds the page fails, no steps are shown, and a possible emergency is answered by a
    search.
    """
    if not urgent["kind"] or urgent["kind"] == "self-harm":
        return urgent
    try:
        chances = page_probabilities(message)
    except ModelError:
        _log.warning("no first-aid steps can be given", exc_info=True)
        return urgent
    best = max((name for name in chances if name != NO_PAGE), key=lambda name: chances[name])
    if chances[best] < FIRST_AID_SHOWN:
        return urgent
    found: Urgency = {**urgent, "first_aid": best, "first_aid_probability": chances[best]}
    if is_answered_by_first_aid(found):
        found["why"] += f"; first aid: {best}"
    return found


def more_urgent(one: Urgency, other: Urgency) -> Urgency:
    """The more urgent of two classifications of a message; an emergency precedes a possible one.

    A crisis line is named, and doses are withheld, if either classification says so.
    """
    worse = max(
        one, other, key=lambda item: (_ORDER.index(item["level"]), needs_immediate_answer(item))
    )
    more: Urgency = {**worse, "crisis": one["crisis"] or other["crisis"]}
    if one.get("no_doses") or other.get("no_doses"):
        more["no_doses"] = True
    return more
