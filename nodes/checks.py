"""Deterministic checks beside the critic: numbers, units, negations, opposites and names.

A model of meaning takes '5 mg' for '50 mg', 'an effect' for 'no effect' and one drug for another
too easily. These checks can only turn a supported statement down, never an unsupported one up.
"""

import re

from anamnesis.text import tokenize
from anamnesis.words import stem

_NUMBER = re.compile(
    r"""
    (?<![\w.]) ((?<![^\s(])[-−])? (\d+(?:,\d{3})+|\d+|(?=\.\d)) (\.\d+)? \s* (?:-\s*)?
    (
        % | percent | per[ ]cent | [µμ]g | mcg | micrograms? | mg(?:/(?:dl|kg|ml))?
      | milligrams? | kg | kilograms? | g | grams? | ml | millilit(?:re|er)s? | l
      | lit(?:re|er)s? | mmhg
      | mmol(?:/l)? | iu | units? | °c | °f | degrees? | seconds? | minutes? | hours? | days?
      | weeks? | months? | years? | times? | doses? | tablets? | cm | mm | inch(?:es)? | pounds?
      | ounces? | cups? | calories
    )?
    (?!\w)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DIGITS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_WORD_NUMBERS = {word: str(value) for value, word in enumerate(_DIGITS)} | {
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "half": "0.5",
}  # fmt: skip
# 'one' and 'half' are too often no number ('one of the', 'no one') to be asked for.
_ASKED_WORDS = set(_WORD_NUMBERS) - {"one", "half", "zero"}
_UNITS = {
    "percent": "%", "per cent": "%", "µg": "mcg", "μg": "mcg", "microgram": "mcg",
    "milligram": "mg", "kilogram": "kg", "gram": "g", "millilitre": "ml", "milliliter": "ml",
    "litre": "l", "liter": "l", "inche": "inch",
}  # fmt: skip
_NEGATION = re.compile(
    r"\b(no|not|never|none|nobody|nothing|hardly|rarely|seldom|neither|nor|without|cannot"
    r"|\w+n't|unable|absence|lacks?|lacking|fail(?:s|ed)? to)\b",
    re.IGNORECASE,
)
# How generic drug names end (WHO stems among them). A word that merely looks like one is asked for
# as well: it costs little to ask that it stand in the evidence.
_DRUG = re.compile(
    r"""^(?:\w{2,}
    (?: cillin | m[yi]cin | cycline | floxacin | azole | vir | statin | pril | sartan | olol
      | dipine | thiazide | semide | azepam | azolam | zodone | triptyline | oxetine | pramine
      | setron | triptan | gliptin | gliflozin | glutide | glitazone | formin | prazole | tidine
      | parin | xaban | gatran | grel | mab | nib | limus | sone | solone | nide | terol | profen
      | oxicam | coxib | fenac | caine | codone | morphone | codeine | fentanyl | adol | phylline
      | dronate | lukast )
    | warfarin | aspirin | insulin | digoxin | lithium | paracetamol | acetaminophen | morphine
    | codeine | heparin | colchicine | methotrexate | levothyroxine )$""",
    re.VERBOSE,
)
# How names of diseases end, and common ones that end otherwise.
_DISEASE = re.compile(
    r"""^(?:\w{3,}(?: itis | osis | iasis | emia | aemia | oma | pathy | plegia | rrhea | algia )
    | asthma | gout | diabetes | measles | mumps | rubella | flu | influenza | cancer | stroke
    | malaria | epilepsy | migraine | eczema | acne | copd | hiv | aids | covid | cholera | dementia
    | pneumonia | autism | lupus | shingles | chickenpox | scurvy | rabies | herpes | depression
    | schizophrenia )$""",
    re.VERBOSE,
)
# Where one text has the one and the other text the other, they do not say the same.
_OPPOSITES = [
    (re.compile(rf"\b({one})\b", re.IGNORECASE), re.compile(rf"\b({other})\b", re.IGNORECASE))
    for one, other in (
        (r"rais(e|es|ed|ing)|increas\w*|higher", r"lower(s|ed|ing)?|decreas\w*|reduc\w*"),
        (r"high", r"low"),
        (r"more|most", r"less|fewer|few"),
        (r"most|majority", r"half|third|quarter|minority"),
        (r"half", r"third|quarter"),
        (r"third", r"quarter"),
        (r"at least|minimum", r"at most|maximum|up to"),
        (r"above|over", r"below|under"),
        (r"before", r"after"),
        (r"better|improv\w*", r"worse\w*"),
        (r"gain\w*", r"loss|los(e|es|ing)"),
        (r"safe|safely", r"dangerous|harmful"),
        (r"benign", r"malignant|cancerous"),
        (r"acute", r"chronic"),
        (r"mild", r"severe"),
        (r"common|commonly", r"rare"),
        (r"start(s|ed|ing)?", r"stop(s|ped|ping)?"),
        (r"always|all|every|everyone", r"sometimes|some|few|rare|rarely|seldom"),
        (r"avoid\w*", r"take|use|eat|drink|give|try"),
        (r"men|boys|males?", r"women|girls|females?"),
        (r"adults?", r"child|children|infants?|babies"),
        (r"once (a|daily|every|per)", r"twice|three times"),
        (r"twice", r"three times"),
    )
]
_NON = re.compile(r"\bnon-(?=\w)", re.IGNORECASE)  # 'non-syndromic' is one word
_PREFIXES = ("un", "in", "im", "non", "ir", "dis")
_LETTERED = re.compile(r"\b([Vv]itamin|[Hh]epatitis|[Tt]ype|[Ii]nfluenza|[Gg]roup) ([A-Z])\b")
# What looks like a citation or a link of the writer's own.
_REFERENCE = re.compile(r"\[[^\[\]]+\]|【[^【】]+】|https?:\S+|www\.\S+", re.IGNORECASE)
# Behind a label a sentence begins ('Fever: This is …'): a word that opens one names nothing.
_CAPITAL = re.compile(
    r"(?<=[a-z,;] )[A-Z][\w-]{2,}"
    r"|(?<=: )(?!(?:The|This|That|These|Those|They|Some|Many|Most|All|Any|Each|People|There|Its"
    r"|His|Her|Your|You|When|While|For|Not|Other|Such)\b)[A-Z][\w-]{2,}"
)
_SCOPE = 6
_WEAK = frozenset(
    (
        "a an the of to in on at by for and or be been is are was were do does did have has "
        "had can could may might will would should any it its this that these those with as "
        "from"
    ).split()
)


def _numbers(text: str) -> list[tuple[str, str, str]]:
    """(as written, value, unit or '') of every number in figures."""
    found = []
    for match in _NUMBER.finditer(text):
        sign, whole, fraction, unit = match.groups()
        value = (whole.replace(",", "") or "0") + (fraction or "")
        value = value.rstrip("0").rstrip(".") if "." in value else value
        value = f"-{value}" if sign else value
        unit = (unit or "").lower()
        if len(unit) > 2 and unit.endswith("s"):
            unit = unit[:-1]
        found.append((match.group().strip(), value, _UNITS.get(unit, unit)))
    return found


_SCOPE_CHARACTERS = 400  # behind a negation in which its words are looked for


def _negated(text: str) -> list[set[str]]:
    """The stems in the scope of each negation: the few words that follow it."""
    text = text.replace("’", "'")
    return [
        {
            stem(word)
            for word in [
                w
                for w in tokenize(text[match.end() : match.end() + _SCOPE_CHARACTERS])
                if w not in _WEAK
            ][:_SCOPE]
        }
        for match in _NEGATION.finditer(text)
    ]


def _names(statement: str) -> list[str]:
    """The words of a statement that name something: capitals in a sentence, drugs, diseases."""
    own = [word for word in tokenize(statement) if _DRUG.match(word) or _DISEASE.match(word)]
    return list(dict.fromkeys([name.lower() for name in _CAPITAL.findall(statement)] + own))


def failed_checks(statement: str, evidence: str, passage: str = "") -> list[str]:
    """What in the statement its evidence does not bear out; empty if nothing is found.

    - Every number in figures must occur in the evidence, with its unit where it has one; number
      words from two on likewise.
    - A name (a drug's, a disease's, or a word with a capital within a sentence) must occur in the
      evidence, or elsewhere in its ``passage``. A drug is not found elsewhere if the evidence
      itself speaks of another one.
    - A bracketed reference or a link must occur in the evidence.
    - A negation needs one in the evidence over a word they share, and what the evidence negates
      the statement must not affirm.
    - Neither may have the opposite of what the other has (raise and lower, safe and unsafe).
    """
    known = {stem(word) for word in tokenize(f"{evidence} {passage}")}
    return [
        *(f"the number {number}" for number in _unknown_numbers(statement, evidence)),
        *(f"the name {name}" for name in _unknown_names(statement, evidence, known)),
        *(
            f"the reference {written}"
            for written in _REFERENCE.findall(statement)
            if written.lower() not in evidence.lower()
        ),
        *_unlike_negations(statement, evidence),
        *_opposites(statement, evidence),
    ]


def is_drug(word: str) -> bool:
    """Whether a word in lower case looks like the generic name of a medicine."""
    return _DRUG.match(word) is not None


def negated(text: str) -> bool:
    """Whether a text has a negation."""
    return _NEGATION.search(text.replace("’", "'")) is not None


def without_negations(text: str) -> str:
    """The text without its words of negation."""
    return _NEGATION.sub(" ", text.replace("’", "'"))


def measures(text: str) -> dict[str, set[str]]:
    """The numbers in figures that have a unit, by it."""
    found: dict[str, set[str]] = {}
    for _, value, unit in _numbers(text):
        if unit:
            found.setdefault(unit, set()).add(value)
    return found


def _unknown_names(statement: str, evidence: str, known: set[str]) -> list[str]:
    """The names of the statement that are not those of its evidence."""
    there = set(tokenize(evidence))
    drugs = {word for word in there if _DRUG.match(word)}
    said = set(tokenize(statement))
    letters: dict[str, set[str]] = {}
    for kind, letter in _LETTERED.findall(evidence):
        letters.setdefault(kind.lower(), set()).add(letter)
    unknown = [
        name
        for name in _names(statement)
        if not {stem(word) for word in tokenize(name)} <= known
        or (_DRUG.match(name) and name not in there and drugs - said)
    ]
    return unknown + [
        f"{kind} {letter}".lower()
        for kind, letter in _LETTERED.findall(statement)
        if kind.lower() in letters and not re.search(rf"\b{letter}\b", evidence)
    ]


def _opposites(statement: str, evidence: str) -> list[str]:
    """Words of which one text has the one, and the other text only its opposite."""
    found = []
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            swapped = one.search(statement) and not other.search(statement)
            against = other.search(evidence)
            if swapped and against and not one.search(evidence):
                found.append(f"the opposite of {against[0].lower()}")
    said, there = (set(tokenize(_NON.sub("non", text))) for text in (statement, evidence))
    for mine, theirs in ((said, there), (there, said)):
        for word in mine - theirs:
            bare = [word.removeprefix(own) for own in _PREFIXES if word.startswith(own)]
            under = [f"hypo{word[5:]}"] if word.startswith("hyper") else []
            found += [
                f"the opposite of {own}"
                for own in [*bare, *under]
                if own in theirs and own not in mine and len(own) > 3
            ]
    return found


def _unknown_numbers(statement: str, evidence: str) -> list[str]:
    """The numbers of the statement that the evidence does not have, as written."""
    there = _numbers(evidence)
    words = {_WORD_NUMBERS[word] for word in tokenize(evidence) if word in _WORD_NUMBERS}
    values = {value for _, value, _ in there} | words
    with_unit = {(value, unit) for _, value, unit in there if unit}
    measured = {value for value, _ in with_unit}
    unknown = [
        written
        for written, value, unit in _numbers(statement)
        # In 'between 5 and 10 mg' the 5 stands without its unit.
        if value not in values or (unit and value in measured and (value, unit) not in with_unit)
    ]
    return unknown + [
        word
        for word in tokenize(statement)
        if word in _ASKED_WORDS and _WORD_NUMBERS[word] not in values
    ]


def _unlike_negations(statement: str, evidence: str) -> list[str]:
    """What one of the two negates and the other does not."""
    said, shown = _negated(statement), _negated(evidence)
    # One at the end ('aspirin does not') has nothing in its scope: it needs one, whatever of.
    all_shown = set().union(*shown)
    if any(not (shown and (not scope or scope & all_shown)) for scope in said):
        return ["a negation that the evidence does not have"]
    stems = {stem(word) for word in tokenize(statement)}
    if not said and any(scope and len(scope & stems) >= max(1, len(scope) // 2) for scope in shown):
        return ["a negation that the evidence has"]
    return []
