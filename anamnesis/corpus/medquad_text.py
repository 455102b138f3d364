"""Repair the layout that MedQuAD's answers lost, and tidy them.

MedQuAD took its answers from web pages and lost their layout. Some of it can be restored with
certainty, because the remaining text shows what was there:

- GARD's symptom tables ("Abnormality of the ear 90% Short stature -") become lists again. The
  sentences before and after each table that explain how to read it are left out: they say nothing
  about the disease, and 2,243 copies of them would hide sentences that do. A row that only names
  the disease itself, and a table without other rows, are left out too.
- NIHSeniorHealth repeats every list without its markers: the repetition is dropped, and the list
  with the markers gets one line per item.
- NIHSeniorHealth's headings run into the next sentence: they become paragraphs.
- NIHSeniorHealth's remarks on videos ("Watch the video …", "To enlarge the video, click the
  brackets …") are left out.
"""

import re

from anamnesis.language.layout import tidy
from anamnesis.language.lexicon import any_of, listed

_TABLE = re.compile(
    r"(?:If the information is available, the table below includes [^.]{0,500}\.\s+"
    r"You can use the MedlinePlus Medical Dictionary [^.]{0,500}\.\s+)?"
    r"(?P<head>Signs and Symptoms Approximate number of patients \(when available\))\s+"
    r"(?P<rows>(?:(?!Signs and Symptoms App).){0,50000}?)"
    r"The Human Phenotype Ontology \(HPO\) has collected .{0,2000}?"
    r"In these cases, the sign or symptom may be rare or common\.",
    re.DOTALL,
)
_ROW = re.compile(
    r"(?P<sign>\S.{0,200}?)(?<!\s)\s+(?P<share>\d+(?:\.\d+)?%|\d+/\d+|-)(?=\s|$)", re.DOTALL
)
# GARD's lists run into the next section: "… Developmental delay The Human Phenotype Ontology".
_SECTION = re.compile(r"(?<=[^.?!:\s])\s+(?=The Human Phenotype Ontology provides the following)")
_NO_ROWS = "\0"  # stands for a table without rows until both are removed
_EMPTY_TABLE = re.compile(
    r"(?:The Human Phenotype Ontology provides the following list [^.]{0,500}\.\s+)?" + _NO_ROWS
)
_VIDEO = re.compile(
    r"(?<!\s)\s*+\((?:Watch|To enlarge|To reduce)\b(?=[^()]*\bvideo)[^()]*(?:\([^()]*\)[^()]*)*\)"
)
_TOKEN = re.compile(r"\S+")
_LONGEST_LIST = 1500  # words
# Words that titles write without a capital.
_IN_LOWER_CASE = f"{any_of('article', 'preposition')}|and|into|is|it|or|vs"
_TITLE = re.compile(
    r"(?:\A|(?<=[.!?)]\s)|(?<=\n))"
    rf"(?P<heading>[A-Z0-9][\w'’-]{{0,40}},?(?: (?:[A-Z0-9][\w'’-]{{0,40}},?|{_IN_LOWER_CASE}))*?"
    rf" ?[A-Z0-9][\w'’-]{{0,40}})"
    r"\s+(?P<body>[A-Z][\w'’-]{0,40},? [a-z])"
)
# Words that begin the sentence after a heading.
_AFTER_HEADING = frozenset(word.capitalize() for word in listed("page_opener"))
# Words that end no heading: "Severe Symptoms | As Alzheimers develops".
_NOT_LAST_IN_HEADING = frozenset(
    entry.capitalize() for entry in listed("within_time", "preposition", without="from of on")
) | {"Although", "Because", "Despite", "If", "Since", "Until", "When"}


def mend(text: str, source: str = "", focus: str = "") -> str:
    """An answer of MedQuAD with its lists, tables and headings restored, and tidied.

    ``source`` is the website that it is from, ``focus`` the disease that it is about.
    """
    if source == "GARD":
        text = _TABLE.sub(lambda table: _list_rows(table, focus), text)
        text = _SECTION.sub("\n\n", _EMPTY_TABLE.sub("", text))
    if source == "NIHSeniorHealth":
        text = _separate_headings(_drop_repeats(_VIDEO.sub("", text)), focus)
    return tidy(text)


def _list_rows(table: re.Match[str], focus: str) -> str:
    rows, at = [], 0
    for row in _ROW.finditer(table["rows"]):
        share = "" if row["share"] == "-" else f": {row['share']}"
        at = row.end()
        if row["sign"].casefold() != focus.casefold():
            rows.append(f"\n- {row['sign']}{share}")
    rest = table["rows"][at:].strip()
    if rest:
        rows.append(f"\n- {rest}")
    return f"{table['head']}:{''.join(rows)}\n\n" if rows else _NO_ROWS


def _drop_repeats(text: str) -> str:
    """Remove the unmarked copy that directly follows a marked list."""
    tokens = [found.group() for found in _TOKEN.finditer(text)]
    if "-" not in tokens:
        return text
    spans = [found.span() for found in _TOKEN.finditer(text)]
    kept: list[str] = []
    i = 0
    at = 0  # the first character that is not yet kept or dropped
    while i < len(tokens):
        copy = _copy_of_list(tokens, i) if tokens[i] == "-" else None
        if copy is None:
            i += 1
            continue
        start, end = copy
        items = " ".join(tokens[i + 1 : start]).split(" - ")
        kept.append(text[at : spans[i][0]])
        kept.extend(f"\n- {item}" for item in items)
        kept.append("\n\n")
        i = end
        at = spans[end][0] if end < len(spans) else len(text)
    kept.append(text[at:])
    return "".join(kept)


def _copy_of_list(tokens: list[str], i: int) -> tuple[int, int] | None:
    """The start and end of the unmarked copy of the list whose first marker is at ``i``, or None.

    Both are places in ``tokens``.
    """
    words: list[str] = []
    for j in range(i + 1, min(i + _LONGEST_LIST, len(tokens))):
        n = len(words)
        if n >= 2 and tokens[j] == words[0] and tokens[j : j + n] == words:
            return j, j + n
        if tokens[j] != "-":
            words.append(tokens[j])
    return None


def _separate_headings(text: str, focus: str) -> str:
    """Make a paragraph of each heading that runs into the next sentence."""
    subject = focus.split()[0].casefold() if focus.split() else ""

    def separate(found: re.Match[str]) -> str:
        heading, body = found["heading"], found["body"]
        start, _, last = heading.rpartition(" ")
        if last in _NOT_LAST_IN_HEADING:  # the sentence begins with this word
            heading, body = start, f"{last} {body}"
        if _is_heading(heading, body.split()[0].rstrip(","), subject):
            return f"\n\n{heading}\n\n{body}"
        return found.group()

    return _TITLE.sub(separate, text)


def _is_heading(heading: str, first: str, subject: str) -> bool:
    """Whether ``heading`` is a heading, and not the beginning of the sentence that goes on with the
    word ``first``; ``subject`` is the first word of the focus.
    """
    title = [word.casefold() for word in heading.split()]
    if len(title) < 2:
        return False
    if first in _AFTER_HEADING or first.casefold() in title:
        return True
    if first.casefold()[:5] == title[0][:5]:
        return True  # "Maintain a Healthy Weight | Maintaining a"
    # "Affects Many Older People | Osteoarthritis is", but not "People in Original | Medicare may":
    # a heading of two or three words must have a capital in each.
    return first.casefold() == subject and (len(title) > 3 or heading.istitle())
