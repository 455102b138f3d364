"""Claims in an assistant's words about passages of MedQuAD, true or not.

Sentences with planted errors are close to their source. What a chat model writes is not: it
combines list items, turns an item into a sentence, summarises, and adds things. ``claims.jsonl``
has such claims: 8,038 were written about the passage and judged by a second reader who saw only the
passage and the claim, and claims on which the two disagreed were removed; SmolLM2-135M wrote the
other 286 when asked about the passage, and one reader judged them. Claims of the parts ``dev`` and
``test`` and their records are not used for training; sentences of their passages are, with others
of MedQuAD. The writers of 5,519 claims were asked for difficult ones: noun phrases for verbs,
exchanged roles, generalisations, one part added; ``test`` are those of a twelfth of the records.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError
from anamnesis.language.text import sentence_texts
from anamnesis.models.reranker import most_relevant_sentences
from training.examples import NLI, Example
from training.medquad import medquad
from training.mining import Miner

FILE = Path(__file__).with_name("claims.jsonl")

Part = Literal["train", "dev", "test"]


@dataclass(frozen=True, slots=True)
class WrittenClaim:
    """A claim about the characters ``start`` to ``end`` of a record's text.

    ``label`` is one of ``examples.NLI``. ``evidence`` are the spans, in the same text, of the
    sentences that support or contradict it; empty if it is neutral.
    """

    record: str
    start: int
    end: int
    claim: str
    label: str
    evidence: tuple[tuple[int, int], ...]
    part: Part


def read_written(file: Path = FILE) -> Iterator[WrittenClaim]:
    """The claims of a file. Raises CorpusError, with file and line, for an invalid one."""
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            spans = tuple((int(start), int(end)) for start, end in row["evidence"])
            claim = WrittenClaim(**row | {"evidence": spans})
            if claim.label not in NLI or claim.part not in get_args(Part):
                raise ValueError(f"label {claim.label!r}, part {claim.part!r}")
            yield claim
        except (ValueError, TypeError, KeyError) as error:
            raise CorpusError(f"{file}, line {number}: not a claim ({error})") from error


def examples(claims: Iterable[WrittenClaim], records: Mapping[str, Record]) -> Iterator[Example]:
    """Each claim with its whole passage, and again with the relevant sentences.

    These are its evidence if that is contiguous, and for a neutral claim the two sentences that
    share most words with it: the critic is used with both. ``records`` are MedQuAD's by id.

    Raises CorpusError if a claim's record is missing.
    """
    for item in claims:
        text = _text(item, records)
        passage = text[item.start : item.end]
        yield Example(passage, item.claim, label=item.label)
        near = _near(item, text)
        if near and near != passage:
            yield Example(near, item.claim, label=item.label)


def claims_with_other_passages(
    claims: Sequence[WrittenClaim], records: Mapping[str, Record]
) -> Iterator[Example]:
    """True claims, each with the nearest passage on another topic by words, as neutral."""
    passages = list(dict.fromkeys((item.record, item.start, item.end) for item in claims))
    texts = [records[record].text[start:end] for record, start, end in passages]
    topics = [records[record].focus.casefold() for record, *_ in passages]
    with Miner(texts) as miner:
        for item in claims:
            topic = records[item.record].focus.casefold()
            same = {place for place, other in enumerate(topics) if other == topic}
            if item.label == "entailment":
                for place in miner.near(item.claim, 1, same):
                    yield Example(texts[place], item.claim, label="neutral")


def dev(folder: Path) -> list[Example]:
    """The claims that are never used for training, each with its whole passage.

    Raises CorpusError if a claim's record is missing.
    """
    records = {item.id: item for item in medquad(folder)}
    return [
        Example(_text(item, records)[item.start : item.end], item.claim, label=item.label)
        for item in read_written()
        if item.part == "dev"
    ]


def _text(claim: WrittenClaim, records: Mapping[str, Record]) -> str:
    if claim.record not in records:
        raise CorpusError(f"{FILE.name}: there is no record {claim.record!r} in MedQuAD")
    return records[claim.record].text


def _near(claim: WrittenClaim, text: str) -> str | None:
    if claim.evidence:
        stretch = text[claim.evidence[0][0] : claim.evidence[-1][1]]
        return stretch if len(sentence_texts(stretch)) == len(claim.evidence) else None
    passage = text[claim.start : claim.end]
    [nearest] = most_relevant_sentences(claim.claim, [sentence_texts(passage)], 2)
    return " ".join(nearest)
