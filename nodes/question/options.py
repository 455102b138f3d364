"""The option that a chat model names, and the one that the evidence supports [K4, K5].

Nothing is guessed: if no option fits, or several fit equally well, none is chosen.
"""

import re
from collections.abc import Mapping

from anamnesis.errors import SettingError
from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import negating
from anamnesis.language.text import without_thoughts
from nodes.fields.options import YES_NO, folded, is_yes_no

_NEAR = 0.05  # two probabilities within this distance count as equal
_CONTESTED = 0.5  # if the opposite has at least this probability, neither yes nor no is chosen
_LONGEST_OPTION = 200  # words; a longer option is not recognised at the beginning of a text
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
_DENIAL_ANYWHERE = re.compile(
    rf"\b(?:{negating()}|{any_of('denying_option', 'false_word')})\b", re.IGNORECASE
)
# 'I don't think the answer is B', but not 'no': 'There is no doubt that the answer is B' names B.
_DENIED_BEFORE = re.compile(
    rf"\b(?:{negating(without='no none nobody nothing without')}|unlikely|whether|if)\b"
    r"[^,.;:!?\n]{0,40}$",
    re.IGNORECASE,
)
# 'B is wrong'
_DENIED_AFTER = re.compile(
    rf"[\W_]*(?:(?:{any_of('be')}) )?(?:not|{any_of('false_word')})\b", re.IGNORECASE
)
# Joins a further option to the first: 'A and C'.
_ALSO = re.compile(r"[)\].*_`\s]*+(?:(?:,\s*)?(?:and|or)\b|[,/&+])\s*", re.IGNORECASE)
_LINE_END = re.compile(r"[\W_]*?(?:\n|\Z)")
# Follows a yes or a no that is a reply: 'Yes, it does'.
_PAUSE = re.compile(r"[*_\"'`)}\s]*(?:[,.;:!—–]|\Z|\n|because\b|since\b|and\b|or\b)")
# May precede a key or an option: quotation marks, brackets, 'Option'.
_OPENING = r"[\s\"'“”‘’*_`(\[{#>-]*(?:(?:option|choice|letter)\s+)?[\"'“‘*_`(\[]*"


def find_choice(text: str, options: Mapping[str, str]) -> str | None:
    """The key of the option that a chat model's reply names; None if none or several [K4].

    Tried in this order:

    - What follows a mark ('The answer is B', '"answer_choice": "B"'), unless the mark is denied.
    - If there is no mark: a key or an option at the start of a line ('(B)', '**B) aspirin**',
      'Yes, …'). If the reply has the words of exactly one option, it must be this one.
    - The words of an option anywhere (after the last mark), but not for a yes/no question. Nothing
      may be denied there, and no other option may be named by its words or by its key in brackets.

    Case and punctuation of an option's words are ignored. If one option contains another, the
    longest counts. Any other letter in running text is not read as a key.
    """
    reply = without_thoughts(text)
    marks = [m for m in _MARK.finditer(reply) if not _DENIED_BEFORE.search(reply[: m.start()])]
    after_marks = (_keys_at_start(reply[mark.end() :], options, marked=True) for mark in marks)
    if named := set[str]().union(*after_marks):
        return _only(named)
    if marks:  # options discussed before do not count
        reply = reply[marks[-1].end() :]
    mentioned = set() if is_yes_no(options) else _mentioned(reply, options)
    lines = [] if marks else reply.splitlines()
    at_line_starts = (_keys_at_start(line, options, marked=False) for line in lines)
    if named := set[str]().union(*at_line_starts):
        # 'B) because heparin is worse', where C is heparin, names two options.
        return _only(named | mentioned) if len(mentioned) == 1 else _only(named)
    rest = reply
    for key in mentioned:
        rest = re.sub(re.escape(options[key]), " ", rest, flags=re.IGNORECASE)
    # 'Warfarin (A)', where A is aspirin, names two options.
    bracketed = {key for key in options if mentioned and f"({key})" in rest}
    return None if _DENIAL_ANYWHERE.search(rest) else _only(mentioned | bracketed)


def supported_option(
    judgements: Mapping[str, tuple[float, float]],
    threshold: float,
    yes_no: bool,
    negated: bool = False,
) -> tuple[str | None, float]:
    """The option that the evidence supports [S3, S4].

    ``judgements`` gives, by option key, the probabilities from 0 to 1 that the evidence entails and
    that it contradicts the option's hypothesis (see ``nodes.choosing.declarative``); ``threshold``
    is the minimum. Returns the key, or None to abstain, and its probability.

    - Multiple choice: the option with the highest entailment, if it reaches the threshold and no
      other option does so with an entailment at most 0.05 lower.
    - ``negated``, for an EXCEPT question: the only option that is contradicted; if none is, the
      only one that is not entailed (the probability is then the lowest entailment of the others).
    - ``yes_no``, for a yes/no question: ``judgements`` has one entry, 'yes', for the hypothesis
      that the answer is yes. The key is 'yes' or 'no', the more probable, if it reaches the
      threshold and the other is below 0.5; 'maybe' if both reach the threshold and 0.5, because the
      sources disagree.

    Raises SettingError for a yes/no question without the entry 'yes'.
    """
    if yes_no:
        if "yes" not in judgements:
            raise SettingError(
                f"a yes/no question has judgements of {', '.join(judgements) or 'no option'}; give "
                "one entry under 'yes'"
            )
        return _yes_no_option(*judgements["yes"], threshold)
    if len(judgements) < 2:
        return None, 0.0
    if negated:
        return _except_option(judgements, threshold)
    best, *others = sorted(judgements, key=lambda key: judgements[key][0], reverse=True)
    top, second = judgements[best][0], judgements[others[0]][0]
    if top < threshold or (second >= threshold and top - second <= _NEAR):
        return None, top
    return best, top


def _yes_no_option(yes: float, no: float, threshold: float) -> tuple[str | None, float]:
    lower, higher = sorted((yes, no))
    if lower >= _CONTESTED:
        return ("maybe", lower) if lower >= threshold else (None, higher)
    if higher < threshold or yes == no:
        return None, higher
    return ("yes" if yes > no else "no"), higher


def _except_option(
    judgements: Mapping[str, tuple[float, float]], threshold: float
) -> tuple[str | None, float]:
    contradicted = [
        key
        for key, (entailed, against) in judgements.items()
        if against >= threshold and against > entailed
    ]
    if contradicted:
        [key, *others] = contradicted
        return (None, 0.0) if others else (key, judgements[key][1])
    unsupported = [key for key, (entailed, _) in judgements.items() if entailed < threshold]
    if len(unsupported) != 1:
        return None, 0.0
    [key] = unsupported
    return key, min(entailed for other, (entailed, _) in judgements.items() if other != key)


def _only(keys: set[str]) -> str | None:
    return next(iter(keys)) if len(keys) == 1 else None


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold())


def _keys_at_start(text: str, options: Mapping[str, str], *, marked: bool) -> set[str]:
    """The keys of the options that a text begins with; it may give the key, the words or both.

    Several if others are joined to the first ('A and C'), or if key and words disagree. ``marked``
    is whether the text follows a mark ('the answer is').
    """
    found: set[str] = set()
    rest = text
    while True:
        named, end = _first_option(rest, options, marked=marked)
        found |= named
        joint = _ALSO.match(rest, end) if named else None
        if joint is None:
            return found
        rest, marked = rest[joint.end() :], False


def _first_option(text: str, options: Mapping[str, str], *, marked: bool) -> tuple[set[str], int]:
    """The keys of the first option that the text gives, and the offset where it ends.

    Empty if the text does not begin with an option, or denies it there ('B is wrong').
    """
    opening = re.match(_OPENING, text, re.IGNORECASE)
    start = opening.end() if opening else 0
    found, end = _words_at(text, start, options)
    found = {key for key in found if _is_reply(text[end:], options[key], marked=marked)}
    for key in options:
        at = text[start : start + len(key)]
        # A lower-case 'a' is an article, not a key.
        if at != key and (len(key) == 1 or at.casefold() != key.casefold()):
            continue
        after = start + len(key)
        own_option = {key: options[key]}
        spelled_out, spelled_end = _words_at(text, _past_punctuation(text, after), own_option)
        if spelled_out:
            found.add(key)
            end = max(end, spelled_end)
        elif _is_key(text[after:], marked=marked):
            found.add(key)
            end = max(end, after)
    return (set(), start) if _DENIED_AFTER.match(text, end) else (found, end)


def _is_reply(after: str, option: str, *, marked: bool) -> bool:
    """Whether what follows the words of an option shows that they are a reply, and not the
    beginning of a sentence.

    'Yes, it does' is a reply; 'No evidence was found' and 'Aspirin is often named' are not.
    """
    if folded(option) in YES_NO:
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


def _past_punctuation(text: str, at: int) -> int:
    """The offset of the first character from ``at`` that is no punctuation and no blank."""
    found = re.compile(r"[\s).:\]*_`\"'“‘–—-]*").match(text, at)
    return found.end() if found else at


def _words_at(text: str, at: int, options: Mapping[str, str]) -> tuple[set[str], int]:
    """The longest of the options whose words occur at this offset, and where they end."""
    tokens = list(_TOKEN.finditer(text.casefold(), at))[:_LONGEST_OPTION]
    found: tuple[set[str], int] = set(), at
    most = 0
    for key, option in options.items():
        words = _tokens(option)
        if len(words) > most and [token.group() for token in tokens[: len(words)]] == words:
            found, most = ({key}, tokens[len(words) - 1].end()), len(words)
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
