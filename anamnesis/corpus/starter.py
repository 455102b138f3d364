"""The starter corpus: short answers in the project's own words, shipped with the program.

Each JSON Lines file of ``anamnesis/corpus/starter`` holds records with the fields id, title,
question, text, focus, category, url, source, reviewed and asked_as. The url is the public page
against which the text can be checked, and source is its publisher, who did not write the text.
``reviewed`` is the day on which the text was last checked. ``asked_as`` lists questions that the
text answers, in the words of people who ask them. Other names of the focus, such as brands, are
from ``starter_names.tsv`` and, for a medicine, from the table of maximum doses
(``anamnesis.corpus.medicines``); both give their references.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

from anamnesis.corpus.medicines import maxima
from anamnesis.corpus.passage import ALIASES, ASKED_AS
from anamnesis.corpus.record import JSON, SHOWN, Record
from anamnesis.corpus.shipped import names_by_first
from anamnesis.errors import CorpusError
from anamnesis.language.text import tidy

# Those that each line must have; the metadata are columns of their own.
_FIELDS = ("id", *SHOWN, "text", "focus", "category", "reviewed")


def read_starter() -> Iterator[Record]:
    """All records of the starter corpus, file by file, ordered by file name.

    Raises:
        CorpusError: A line is not a valid record: the installation is damaged.
    """
    folder = files("anamnesis.corpus") / "starter"
    found = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".jsonl")), key=lambda f: f.name
    )
    if not found:
        raise CorpusError("The starter corpus is missing. Install Anamnesis again.")
    for file in found:
        content = file.read_bytes()
        checksum = hashlib.sha256(content).hexdigest()
        for number, line in enumerate(content.decode("utf-8").splitlines(), start=1):
            if line.strip():
                record = _record(line, f"starter/{file.name}, line {number}")
                yield replace(record, origin=f"starter/{file.name}", sha256=checksum)


def _record(line: str, where: str) -> Record:
    try:
        values = json.loads(line)
        named = {name: str(values[name]) for name in _FIELDS}
        asked_as = [str(item) for item in values[ASKED_AS]]
    except (ValueError, TypeError, KeyError) as error:
        raise CorpusError(f"{where}: not a record of the starter corpus ({error!r}).") from error
    labels = {name: named.pop(name) for name in ("category", "reviewed")}
    metadata: dict[str, JSON] = {**labels, "date": labels["reviewed"], ASKED_AS: asked_as}
    if aliases := _aliases(named["focus"], labels["category"]):
        metadata[ALIASES] = aliases
    # The words are the project's own: users must not take them for those of the named publisher.
    named["source"] = f"Anamnesis starter corpus; check against {named['source']}"
    return Record(
        **{**named, "text": tidy(named["text"])},
        kind="qa",
        metadata=metadata,
    )


def _aliases(focus: str, category: str) -> list[str]:
    known = maxima().get(focus.lower()) if category == "medicine" else None
    names = (*_names().get(focus, ()), *(known.names if known else ()))
    return [item for item in names if item != focus.lower()]


@cache
def _names() -> Mapping[str, tuple[str, ...]]:
    return names_by_first("starter_names.tsv")
