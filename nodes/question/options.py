"""The option that a chat model names, and the one that the evidence supports [K4, K5].

Nothing is guessed: if no option or more than one fits, the result is None.
"""

import re
from collections.abc import Mapping

from anamnesis.errors import SettingError
from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import negating
from anamnesis.language.text import without_thoughts
from nodes.fields.options import POLAR, folded, is_polar

_NEAR = 0.05  # two probabilities within this distance count as equal
_CONTESTED = 0.5  # minimum probability of the opposite at which yes or no is not decided
# Signs that distinguish options are kept: 'HER2+' and 'HER2-', '-1' and '1', '<5' and '>5'.
_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)+|[^\W_]+|(?<=\w)[+−-](?![\w-])|(?<![\w\s+−-])[+−](?=\d)|(?<!\S)[+−-](?=[\d.])|[<>≥≤=%]"
)
# 'Option: A' only lists an option; 'the correct option is A' names the answer.
_MARK = re.compile(
    r"""\b(?:(?:answer|choice)(?:[\ _]choice)?["'*_]*\s*[:=]\s*
        |(?:answer|choice|option)["'*_]*\s+(?:is|would\ be|must\ be|should\ be)\b:?\s*)
        (?:(?:most\ likely|probably|clearly|therefore)\s+)?""",
    re.IGNORECASE | re.VERBOSE,
)
_DENIAL = re.compile(rf"\b(?:{negating()}|{any_of('denying_option')})\b", re.IGNORECASE)
# 'There is no doubt that the answer is B' names it.
_DENIES_MARK = re.compile(
    rf"\b(?:{negating(without='no none nobody nothing without')}|unlikely|whether|if)\b"
    r"[^,.;:!?\n]{0,40}$",
    re.IGNORECASE,
)
_DENIED = re.compile(rf"[\W_]*(?:(?:{any_of('be')}) )?(?:not|incorrect|wrong|false)\b", re.I)
_ALSO = re.compile(r"[)\].*_`\s]*+(?:(?:,\s*)?(?:and|or)\b|[,/&+])\s*", re.IGNORECASE)
_LINE_END = re.compile(r"[\W_]*?(?:\n|\Z)")
_PAUSE = re.compile(r"[*_\"'`)}\s]*(?:[,.;:!—–]|\Z|\n|because\b|since\b|and\b|or\b)")
_OPENING = r"[\s\"'“”‘’*_`(\[{#>-]*(?:(?:option|choice|letter)\s+)?[\"'“‘*_`(\[]*"


def find_choice(text: str, options: Mapping[str, str]) -> str | None:
    """The key of the option that a chat model's reply names; None if none or several [K4].

    Tried in this order: text marked as the answer ('The answer is B', '"answer_choice": "B"'); a
    key or an option at the start of a line ('(B)', '**B) aspirin**', 'Yes, …'); an option's exact
    words anywhere, ignoring case and punctuation, if no other is named and nothing is denied. If
    one option contains another, the longest counts. A letter in running text is never a key.
    """
    reply = without_thoughts(text)
    marks = [m for m in _MARK.finditer(reply) if not _DENIES_MARK.search(reply[: m.start()])]
    marked = (_opens(reply[mark.end() :], options, marked=True) for mark in marks)
    if named := set[str]().union(*marked):
        return _only(named)
    if marks:  # options discussed before do not count
        reply = reply[marks[-1].end() :]
    words = set() if is_polar(options) else _mentioned(reply, options)
    lines = (_opens(line, options, marked=False) for line in reply.splitlines() if not marks)
    if named := set[str]().union(*lines):
        return _only(named | words) if len(words) == 1 else _only(named)
    rest = reply
    for key in words:
        rest = re.sub(re.escape(options[key]), " ", rest, flags=re.IGNORECASE)
    # 'Warfarin (A)', where A is aspirin, names two options.
    bracketed = {key for key in options if words and f"({key})" in rest}
    return None if _DENIAL.search(rest) else _only(words | bracketed)


def decide(
    supports: Mapping[str, tuple[float, float]],
    threshold: float,
    polar: bool,
    negated: bool = False,
) -> tuple[str | None, float]:
    """The option that the evidence supports [S3, S4].

    ``supports`` gives, by option key, the probabilities from 0 to 1 that the evidence entails and
    that it contradicts the option's hypothesis (see ``nodes.choosing.declarative``); ``threshold``
    is the minimum. Returns the key, or None to abstain, and its probability.

    - Multiple choice: the option with the highest entailment, if it reaches the threshold and no
      other that reaches it is within 0.05.
    - ``negated``, for an EXCEPT question: the one option that is contradicted; if none is, the
      only one that is not entailed, with the lowest probability of the others.
    - ``polar``: one entry under 'yes', the hypothesis for yes. The key is 'yes' or 'no', the more
      probable, if it reaches the threshold and the other is below 0.5; 'maybe' if both reach the
      threshold and 0.5, because the sources disagree.

    Raises SettingError for a polar question without the entry 'yes'.
    """
    if polar:
        if "yes" not in supports:
            raise SettingError(
                f"a yes/no question has supports for {', '.join(supports) or 'no option'}; give "
                "one entry under 'yes'"
            )
        return _polar(*supports["yes"], threshold)
    if len(supports) < 2:
        return None, 0.0
    if negated:
        return _exception(supports, threshold)
    best, *others = sorted(supports, key=lambda key: supports[key][0], reverse=True)
    top, second = supports[best][0], supports[others[0]][0]
    if not top >= threshold or (second >= threshold and top - second <= _NEAR):
        return None, top
    return best, top


def _polar(entailed: float, denied: float, threshold: float) -> tuple[str | None, float]:
    if min(entailed, denied) >= max(threshold, _CONTESTED):
        return "maybe", min(entailed, denied)
    if min(entailed, denied) >= _CONTESTED:
        return None, max(entailed, denied)
    if entailed >= threshold and entailed > denied:
        return "yes", entailed
    if denied >= threshold and denied > entailed:
        return "no", denied
    return None, max(entailed, denied)


def _exception(
    supports: Mapping[str, tuple[float, float]], threshold: float
) -> tuple[str | None, float]:
    denied = [key for key, (yes, no) in supports.items() if no >= threshold and no > yes]
    if denied:
        return (denied[0], supports[denied[0]][1]) if len(denied) == 1 else (None, 0.0)
    missing = [key for key, (yes, _) in supports.items() if not yes >= threshold]
    if len(missing) != 1:
        return None, 0.0
    return missing[0], min(yes for key, (yes, _) in supports.items() if key != missing[0])


def _only(keys: set[str]) -> str | None:
    return next(iter(keys)) if len(keys) == 1 else None


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold())


def _opens(text: str, options: Mapping[str, str], *, marked: bool) -> set[str]:
    """The keys of the options at the start of a text, given as keys or words.

    Several if others are joined to the first ('A and C'), or if key and words disagree.
    """
    found: set[str] = set()
    rest = text
    while True:
        named, end = _first(rest, options, marked=marked)
        found |= named
        joint = _ALSO.match(rest, end) if named else None
        if joint is None:
            return found
        rest, marked = rest[joint.end() :], False


def _first(text: str, options: Mapping[str, str], *, marked: bool) -> tuple[set[str], int]:
    """The keys at the start of the text, and the offset where they end."""
    opening = re.match(_OPENING, text, re.IGNORECASE)
    start = opening.end() if opening else 0
    found, end = _words_at(text, start, options)
    found = {key for key in found if _closes(text[end:], options[key], marked=marked)}
    for key in options:
        at = text[start : start + len(key)]
        # A lower-case 'a' is an article, not a key.
        if at != key and (len(key) == 1 or at.casefold() != key.casefold()):
            continue
        after = start + len(key)
        own, own_end = _words_at(text, _past_marks(text, after), {key: options[key]})
        if own:
            found.add(key)
            end = max(end, own_end)
        elif _is_key(text[after:], marked=marked):
            found.add(key)
            end = max(end, after)
    return (set(), start) if _DENIED.match(text, end) else (found, end)


def _closes(after: str, option: str, *, marked: bool) -> bool:
    """Whether the words of an option are a reply, and not the beginning of a sentence.

    'Yes, it does' is a reply; 'No evidence was found' and 'Aspirin is often named' are not.
    """
    if folded(option) in POLAR:
        return bool(_PAUSE.match(after))
    return marked or bool(_LINE_END.match(after))


def _is_key(after: str, *, marked: bool) -> bool:
    """Whether what follows a letter shows that it is a key, not a word or an initial."""
    if re.match(r"[)\]}:\"'”’*_`]*+[^\S\n]*+[.,;!]?[)\]}\"'”’*_`]*+[^\S\n]*+(?:\n|\Z)", after):
        return True  # it stands alone on its line
    if re.match(r"[*_`]*[)\]:]", after):
        return True
    if re.match(r"[*_`]*\.\s+[A-Z]", after):
        return True  # 'C. Because …'; 'C. difficile' continues in lower case
    if marked:
        return bool(
            re.match(r"[\"'”’*_`]*(?:[,.;]|\s+(?:because|since|as|and|or|which|–|—|-)\s)", after)
        )
    return bool(re.match(r"\s+(?:and|or)\s+[A-Z]\b(?!\s+[a-z])", after))


def _past_marks(text: str, at: int) -> int:
    found = re.compile(r"[\s).:\]*_`\"'“‘–—-]*").match(text, at)
    return found.end() if found else at


def _words_at(text: str, at: int, options: Mapping[str, str]) -> tuple[set[str], int]:
    """The longest of the options whose words occur at this offset, and where they end."""
    tokens = list(_TOKEN.finditer(text.casefold(), at))[:200]
    found: tuple[set[str], int] = set(), at
    most = 0
    for key, option in options.items():
        own = _tokens(option)
        if len(own) > most and [token.group() for token in tokens[: len(own)]] == own:
            found, most = ({key}, tokens[len(own) - 1].end()), len(own)
    return found


def _mentioned(text: str, options: Mapping[str, str]) -> set[str]:
    """The options whose words occur anywhere, without those within a longer one's words."""
    tokens = _tokens(text)
    spans = [
        (start, start + len(item), key)
        for key, item in ((key, _tokens(option)) for key, option in options.items())
        for start in range(len(tokens) - len(item) + 1)
        if item and tokens[start : start + len(item)] == item
    ]
    return {
        key
        for start, end, key in spans
        if not any(a <= start and end <= b and b - a > end - start for a, b, _ in spans)
    }
