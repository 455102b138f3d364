"""Words made to slow a pattern or a function down, and the time that they take."""

import gc
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

SHORT, LONG, LONGEST = 2_000, 20_000, 200_000
GROWTH = 40.0
"""How much longer ten times the text may take: 10 is linear, 100 quadratic.

A linear call was seen to take 32 times as long on a busy machine, whose caches hold the short text
and not the long one; a test that fails for that would tell nothing of the call.
"""
TRIES = 9
"""So often is what seems too slow measured: the machine may be busy with other things."""
STEP = 24
"""Characters by which the texts of one length differ: what is kept of one serves no other."""
NOISE = 0.004
"""Seconds of processor time below which nothing is compared."""
PATIENCE = 2.0
"""Seconds after which a call is given up, and counts as too slow."""
MOST = 90
"""Texts that a pattern is tried with at most."""
SCREEN = 3_000
"""Characters of the texts of which the hardest are then tried longer."""
HARDEST = 2
"""So many are tried with up to 20,000 characters, and the first of them with 200,000; with 100,000
if 20,000 take it longer than NOISE."""
COMMON = (" ", "\n", "a", "a ", "A", "1", "(", ".", ",", "-", "_", ". ")


class GivenUpError(Exception):
    """A call took longer than PATIENCE."""


@contextmanager
def patience(seconds: float = PATIENCE) -> Iterator[None]:
    """Give the block up after these seconds; the engine of patterns looks for signals itself."""

    def stop(*_: object) -> None:
        raise GivenUpError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def seconds_of(call: Callable[[str], object], text: str) -> float:
    """The processor time of the call; infinite where it is given up."""
    collecting = gc.isenabled()
    gc.disable()  # a collection walks the whole process, and a long text's objects ask for more
    try:
        with patience():
            start = time.thread_time()
            call(text)
            return time.thread_time() - start
    except GivenUpError:
        return float("inf")
    finally:
        if collecting:
            gc.enable()


def slow(call: Callable[[str], object], make: Callable[[int], str], most: int = LONGEST) -> str:
    """What the call takes longer for than its text is longer; '' where it does not.

    One long text is held against ten short ones, one after the other: together they take about
    as long, and meet as much of what else the machine does, and of its caches, as the long one.
    """
    long = 0.0
    for length in (SHORT, LONG):
        if length * 10 > most:
            break
        if long > NOISE:  # of a call that takes so long, half the length shows as much
            length //= 2
        long = short = float("inf")
        for tried in range(TRIES):
            long = min(long, seconds_of(call, make(length * 10 + STEP * tried)))
            if long < NOISE:
                break
            if long == float("inf"):
                return f"{make(24)!r}: given up at {length * 10:,}"
            ten = (seconds_of(call, make(text_length)) for text_length in _around(length, tried))
            first = list(islice(ten, 3))
            if long <= GROWTH * min(first):
                break
            short = min(short, sum(first) + sum(ten))
            if long <= GROWTH / 10 * short:
                break
        else:
            if _grows_on(call, make, length * 10):
                ten_of = f"{short:.4f} s for ten of {length:,}"
                return f"{make(24)!r}: {ten_of}, {long:.4f} s for one of all"
        if long > PATIENCE / 15:  # ten times that would be given up, however it grows
            break
    return ""


def _grows_on(call: Callable[[str], object], make: Callable[[int], str], length: int) -> bool:
    """Whether four times the text takes more than eight times as long, where 16 is quadratic.

    A machine that interrupts long calls and not short ones slows both of these alike.
    """
    whole = min(seconds_of(call, make(length + STEP * tried)) for tried in range(TRIES))
    for tried in range(TRIES):
        fourfold = seconds_of(call, make(length * 4 + STEP * tried))
        if fourfold == float("inf"):
            break
        if fourfold <= 8 * whole:
            return False
    return True


def _around(length: int, tried: int) -> list[int]:
    """Ten lengths about this one, others at each try."""
    return [length + STEP * (place * TRIES + tried - 5 * TRIES) for place in range(10)]


def slowest(call: Callable[[str], object], made: Iterable[tuple[str, str, str]]) -> str:
    """What a call is too slow for of the texts (head, piece, tail) that take it longest, or ''."""
    # What is the slowest of a short text is tried with a long one.
    order = sorted(made, key=lambda one: -seconds_of(call, repeated(*one)(SCREEN)))
    found = (
        slow(call, repeated(*one), LONG if place else LONGEST)
        for place, one in enumerate(order[:HARDEST])
    )
    return next(filter(None, found), "")


def repeated(head: str, piece: str, tail: str) -> Callable[[int], str]:
    """A text of any length: the piece again and again between a head and a tail."""
    return lambda length: head + piece * (length // len(piece)) + tail


def hostile(pattern: "re.Pattern[Any]") -> list[tuple[str, str, str]]:
    """Heads, pieces and tails to try a pattern with, made of its own parts."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    texts = list(dict.fromkeys(_pieces(tree)))
    single = list(dict.fromkeys([*COMMON, *texts[:20]]))
    starts = list(dict.fromkeys(_starts(tree)))[:12]
    made = [("", piece, "\x00") for piece in single]
    made += [("", start, "\x00") for start in starts[:6]]
    made += [(start, piece, "\x00") for start in starts[:6] for piece in (" ", "a", ".", "\n")]
    classes = [one for one in texts if len(one) == 1][:6]
    made += [
        ("", a + b, "\x00") for a in dict.fromkeys([*texts[:8], *classes]) for b in (" ", "a", "(")
    ]
    made += [("", a + b, "\x00") for a in classes for b in classes if a != b]
    made += [("", start, "\x00") for start in starts]
    made += [("", start + " ", "\x00") for start in starts]
    made += [(start, piece, "\x00") for start in starts for piece in (*COMMON[:6], *classes)]
    return [one for one in dict.fromkeys(made) if one[1]][:MOST]


def _sample(items: Any) -> str:
    """A character that a class takes."""
    taken = [chr(c) for c in (32, 10, 45, 97, 65, 49, 40, 46, 44, 95, 34, 8217)]
    for code, value in items:
        if code is codes.LITERAL:
            taken.append(chr(value))
        elif code is codes.RANGE:
            taken.append(chr(value[0]))
    negated = bool(items) and items[0][0] is codes.NEGATE
    for char in [*taken[12:], *taken[:12]]:
        if any(_takes(item, char) for item in items) != negated:
            return char
    return "~"


def _takes(item: Any, char: str) -> bool:
    code, value = item
    if code is codes.LITERAL:
        return ord(char) == value
    if code is codes.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    if code is codes.CATEGORY:
        kind = str(value)
        held = (
            char.isspace()
            if "SPACE" in kind
            else char.isdigit()
            if "DIGIT" in kind
            else char.isalnum() or char == "_"
        )
        return held != ("NOT" in kind)
    return False


def _within(code: Any, value: Any) -> list[Any]:
    """The patterns within one part of a pattern."""
    if code is codes.BRANCH:
        return list(value[1])
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [value[2]]
    if code is codes.SUBPATTERN:
        return [value[3]]
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [value[1]]
    if code is codes.ATOMIC_GROUP:
        return [value]
    return []


def _pieces(tree: Any) -> Iterator[str]:
    """Characters of its classes, runs of its letters, and what each repeated part takes."""
    run = ""
    for code, value in tree:
        if code is codes.LITERAL:
            run += chr(value)
            continue
        if run:
            yield run
        run = ""
        if code is codes.IN:
            yield _sample(value)
        elif code is codes.NOT_LITERAL:
            yield _sample([(codes.NEGATE, None), (codes.LITERAL, value)])
        inner = _within(code, value)
        repeats = code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
        if repeats and (example := _example(value[2], 1)):
            yield example
        for one in inner:
            yield from _pieces(one)
    if run:
        yield run


def _example(tree: Any, more: int, branch: int = 0) -> str:
    """A text that the pattern takes, or nearly; ``more`` times what it may leave out."""
    out = ""
    for code, value in tree:
        if code is codes.LITERAL:
            out += chr(value)
        elif code is codes.IN:
            out += _sample(value)
        elif code in (codes.ANY, codes.NOT_LITERAL):
            out += "a"
        elif code is codes.BRANCH:
            out += _example(value[1][min(branch, len(value[1]) - 1)], more, branch)
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, inner = value
            out += _example(inner, more, branch) * max(least, min(more, int(most)))
        elif code is codes.SUBPATTERN:
            out += _example(value[3], more, branch)
        elif code is codes.ATOMIC_GROUP:
            out += _example(value, more, branch)
    return out


def _starts(tree: Any) -> Iterator[str]:
    """Beginnings of a match: every part but the last, the last two, and so on."""
    parts = list(tree)
    for branch in (0, 1):
        for end in range(len(parts), 0, -1):
            for more in (0, 1):
                if text := _example(parts[:end], more, branch):
                    yield text
    for code, value in parts:
        if code is codes.BRANCH:
            for one in value[1]:
                inner = list(one)
                for end in range(len(inner), 0, -1):
                    if text := _example(inner[:end], 1):
                        yield text
