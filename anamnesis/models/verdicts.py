"""The question to a chat model that judges statements, and the reading of its replies [S5]."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.language.text import without_thoughts

_WORD = r"(entailment|support(?:s|ed)?|neutral|contradict(?:ion|s|ed)?)"
# A reason may follow if it has none of these words: 'entailment 90: it says so.' The repeats before
# it are possessive, because a long one would otherwise be tried at each position.
_REASON = r"(?:[\s*`\"'%.():;,-]*+(?<!\d)(?=[^\W\d])(?:(?!entail|support|neutral|contradict).)*)?"
_WORDS = rf"{_WORD}[\s*`\"',:()]+(\d{{1,3}}|[01]?\.\d+)[\s*`\"'%.)]*+{_REASON}"
_FORM = re.compile(rf"[\s*`\"'(]*{_WORDS}", re.IGNORECASE | re.DOTALL)
_LINE = re.compile(rf"[\s*`\"'(-]*(\d{{1,3}})[\s*`\"'.:)]+{_WORDS}", re.IGNORECASE)


class Verdict(NamedTuple):
    """A chat model's judgement of one pair: the probabilities, 0..1, of support and of
    contradiction."""

    probability: float
    contradiction: float


NOTHING = Verdict(0.0, 0.0)
"""The verdict on a statement without a readable reply: it is not supported."""


def question(statements: Sequence[str], passage: str) -> str:
    """The question about a passage: one statement, or several that are numbered from 1.

    If there are several, each is on one line, so that none is mistaken for two.
    """
    if len(statements) == 1:
        return f"Passage:\n{passage}\n\nStatement:\n{statements[0]}"
    lines = [f"{n}. {_line(item)}" for n, item in enumerate(statements, 1)]
    return (
        f"Passage:\n{passage}\n\nStatements:\n" + "\n".join(lines) + "\n\n"
        f"Judge each statement by itself. Reply with {len(lines)} lines, one for each statement in "
        "its order: its number, a colon, the word, and how sure you are."
    )


def form(statements: int) -> str:
    """The required form of a reply, for a model that did not follow it."""
    one = "entailment, neutral or contradiction, a space, and a whole number from 0 to 100"
    if statements == 1:
        return f"Reply with {one}."
    return f"Reply with {statements} lines, each with the statement's number, a colon, {one}."


def without_statements(reply: str, statements: Sequence[str]) -> str:
    """The reply without the statements that its lines repeat in front of their verdicts."""
    for number, item in enumerate(statements, 1):
        before = rf"\W*({number}\W)\W*" if len(statements) > 1 else r"\W*()"
        reply = re.sub(rf"(?m)^{before}{re.escape(_line(item))}[\s*:]*", r"\1", reply)
    return reply


def read_verdict(reply: str) -> Verdict | None:
    """The verdict of a reply, or None if the reply is not one word and one number.

    The number is whole and from 0 to 100, or has a decimal point and is from 0 to 1.

    'support' is read as entailment and 'contradict' as contradiction, because models use these
    words too. Marked thoughts before and after it are ignored, and so is a reason after it that has
    no such word. No other form is read, because 'not entailment 90' means the opposite of its
    words.
    """
    found = _FORM.fullmatch(without_thoughts(reply))
    return None if found is None else _verdict(found[1], found[2])


def read_verdicts(reply: str, statements: int) -> dict[int, Verdict]:
    """The verdicts of a reply on several statements, by their place from 0; empty if it is
    unreadable.

    Every line is the statement's number, a word, a number, and perhaps a reason. If the statements'
    numbers do not rise, or do not end with that of the last statement, the whole reply is
    unreadable: the model may have left out or merged statements, so a verdict may belong to another
    one.
    """
    if statements == 1:
        only = read_verdict(reply)
        return {} if only is None else {0: only}
    found: dict[int, Verdict] = {}
    last = 0
    for line in without_thoughts(reply).splitlines():
        if not line.strip(" \t`*"):
            continue
        parts = _LINE.fullmatch(line)
        verdict = None if parts is None else _verdict(parts[2], parts[3])
        if parts is None or verdict is None or not last < int(parts[1]) <= statements:
            return {}
        last = int(parts[1])
        found[last - 1] = verdict
    return found if last == statements else {}


def _line(statement: str) -> str:
    """The statement as one line."""
    return " ".join(statement.split())


def _verdict(word: str, number: str) -> Verdict | None:
    sure = float(number) if "." in number else int(number) / 100
    if sure > 1:
        return None
    word = word.lower()
    supports, denies = word.startswith(("entail", "support")), word.startswith("contradict")
    return Verdict(sure if supports else 0.0, sure if denies else 0.0)
