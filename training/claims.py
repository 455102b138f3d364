"""Claims in an assistant's words on passages of MedQuAD, true of the passage or not.

The sentences of a passage with errors planted are near to their source. What a chat model writes
is not: it puts lists together, turns an item into a sentence, sums up, and adds what is not there.
``claims.jsonl`` holds such claims: 8,038 were written on the passage and judged by a second reader
who saw the passage and the claim alone, and those on which the two differed are not in it; the
other 286 SmolLM2-135M wrote when it was asked of the passage, and one reader judged them. No claim
of the parts ``dev`` and ``test`` is trained on, nor one on their records; sentences of their
passages are, with others of MedQuAD. The writers of 5,519 claims were asked for what a critic finds
hard: noun phrases for verbs, roles exchanged, generalities, one part added; ``test`` are those of a
twelfth of the records.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError
from anamnesis.language.text import sentences
from anamnesis.models.reranker import telling
from training.examples import NLI, Example
from training.medquad import medquad
from training.mining import Miner

FILE = Path(__file__).with_name("claims.jsonl")

Part = Literal["train", "dev", "test"]


@dataclass(frozen=True, slots=True)
class Written:
    """A claim on the characters ``start`` to ``end`` of a record's text.

    ``label`` is one of ``examples.NLI``. ``evidence`` are the spans, in the same text, of the
    sentences that settle it: none where it is neutral.
    """

    record: str
    start: int
    end: int
    claim: str
    label: str
    evidence: tuple[tuple[int, int], ...]
    part: Part


def read_written(file: Path = FILE) -> Iterator[Written]:
    """The claims of a file. Raises CorpusError, naming file and line, for what is none."""
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            spans = tuple((int(start), int(end)) for start, end in row["evidence"])
            own = Written(**row | {"evidence": spans})
            if own.label not in NLI or own.part not in get_args(Part):
                raise ValueError(f"label {own.label!r}, part {own.part!r}")
            yield own
        except (ValueError, TypeError, KeyError) as error:
            raise CorpusError(f"{file}, line {number}: not a claim ({error})") from error


def examples(claims: Iterable[Written], records: Mapping[str, Record]) -> Iterator[Example]:
    """Each claim with its whole passage, and once more with the sentences that matter.

    These are its evidence where that is one stretch, and for a neutral claim the two sentences
    that share most words with it: the critic asks for both. ``records`` are MedQuAD's by id.

    Raises CorpusError for a claim on a record that is not there.
    """
    for own in claims:
        text = _text(own, records)
        passage = text[own.start : own.end]
        yield Example(passage, own.claim, label=own.label)
        near = _near(own, text)
        if near and near != passage:
            yield Example(near, own.claim, label=own.label)


def elsewhere(claims: Sequence[Written], records: Mapping[str, Record]) -> Iterator[Example]:
    """True claims, each with the nearest passage on another topic by words, as neutral."""
    passages = list(dict.fromkeys((own.record, own.start, own.end) for own in claims))
    texts = [records[record].text[start:end] for record, start, end in passages]
    topics = [records[record].focus.casefold() for record, *_ in passages]
    with Miner(texts) as miner:
        for own in claims:
            topic = records[own.record].focus.casefold()
            same = {place for place, other in enumerate(topics) if other == topic}
            if own.label == "entailment":
                for place in miner.near(own.claim, 1, same):
                    yield Example(texts[place], own.claim, label="neutral")


def dev(folder: Path) -> list[Example]:
    """The claims that are never trained on, each with its whole passage.

    Raises CorpusError for a claim on a record that is not there.
    """
    records = {own.id: own for own in medquad(folder)}
    return [
        Example(_text(own, records)[own.start : own.end], own.claim, label=own.label)
        for own in read_written()
        if own.part == "dev"
    ]


def _text(own: Written, records: Mapping[str, Record]) -> str:
    if own.record not in records:
        raise CorpusError(f"{FILE.name}: there is no record {own.record!r} in MedQuAD")
    return records[own.record].text


def _near(own: Written, text: str) -> str | None:
    if own.evidence:
        stretch = text[own.evidence[0][0] : own.evidence[-1][1]]
        return stretch if len(sentences(stretch)) == len(own.evidence) else None
    passage = text[own.start : own.end]
    said = [passage[span.start : span.end] for span in sentences(passage)]
    [nearest] = telling(own.claim, [said], 2)
    return " ".join(nearest)
