"""MedQuAD: questions with passages, and true or corrupted sentences with passages."""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamnesis.corpus.loading import read
from anamnesis.corpus.record import Record
from anamnesis.language.text import digest, sentences
from evaluation.planted import CONTRADICTING, corrupt
from evaluation.vocabulary import Vocabulary
from training.examples import Example
from training.messages import reworded_question
from training.mining import Miner

# Another question on the same topic: more than another topic, less than an answer.
_SAME_TOPIC = 0.35

_OPENS = re.compile(r"^(?:It|This condition|The condition|The disorder|This disorder)(?= [a-z])")
_ADVERB = re.compile(r"^(?:However|In addition|Also|Therefore|As a result|In fact|Usually), (\w)")
_ASIDE = re.compile(r" \([^()]{3,60}\)")
_TAIL = re.compile(r"^(.{40,}?)(?:;|, (?:which|and|but|although|where)) [^;]{20,}\.$")
_ALIKE = [
    (re.compile(rf"\b{one}\b"), other)
    for one, other in (
        ("physician", "doctor"), ("doctors", "physicians"), ("usually", "generally"),
        ("approximately", "about"), ("begin", "start"), ("begins", "starts"),
        ("People with", "Those with"), ("individuals", "people"), ("also known as", "also called"),
        ("such as", "like"), ("involves", "includes"), ("medications", "medicines"),
        ("because", "since"), ("often", "frequently"), ("children", "kids"),
    )
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, the passage to judge it by, and whether it is true.

    ``kind`` is that of the planted error, "neighbour" for a true sentence of another passage, or ""
    for a true one.
    """

    premise: str
    sentence: str
    kind: str

    @property
    def label(self) -> str:
        """The NLI label."""
        if not self.kind:
            return "entailment"
        return "contradiction" if self.kind in CONTRADICTING else "neutral"


def medquad(folder: Path) -> list[Record]:
    """The records of MedQuAD. Raises CorpusError if the file is not in the folder."""
    return list(read("medquad-jsonl", [folder / "medquad.jsonl.gz"]))


def claims(
    records: Sequence[Record],
    number: int,
    seed: int,
    reworded: bool,
    mirrored: bool = False,
    known: Container[str] = (),
) -> list[Claim]:
    """True sentences and as many false ones, each with a passage to judge it by.

    One in eight of the false ones is a true sentence of another, similar passage. With ``reworded``
    half of all sentences are first reworded slightly, so that a literal match with the passage does
    not imply truth, nor a change an error. With ``mirrored`` half of the errors are in the passage:
    then the changed sentence is supported and the true one is not, so that no wording is wrong by
    itself. Sentences whose digests (``text.digest``) are ``known`` are left out.
    """
    rng = random.Random(seed)
    vocabulary = Vocabulary.of((item.focus for item in records), (item.text for item in records))
    by_topic: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_topic[record.focus].append(record)
    made: list[Claim] = []
    seen: set[str] = set()
    while len(made) < number:
        record = rng.choice(records)
        spans = sentences(record.text)
        texts = ((item, record.text[item.start : item.end]) for item in spans)
        whole = [
            item for item, text in texts if _says_something(text) and digest(text) not in known
        ]
        if not whole:
            continue
        span = rng.choice(whole)
        sentence = record.text[span.start : span.end]
        # Errors in numbers are the most dangerous, and three sentences in four have no numbers.
        if sentence in seen or (rng.random() < 0.4 and not re.search(r"\d", sentence)):
            continue
        seen.add(sentence)
        at = spans.index(span)
        premise = _around(record.text, spans, at, rng)
        wording = (
            _reworded(sentence, record.focus, rng) if reworded and rng.random() < 0.5 else sentence
        )
        if mirrored and rng.random() < 0.5:
            planted = corrupt(sentence, premise, vocabulary, rng, record.focus)
            # 'May help' follows from 'helps', but not the reverse.
            if planted and planted.kind != "certainty":
                changed = premise.replace(sentence, planted.text)
                true = len(made) % 2 == 0
                made.append(
                    Claim(changed, *((planted.text, "") if true else (wording, planted.kind)))
                )
        elif len(made) % 2 == 0:
            made.append(Claim(premise, wording, ""))
        elif rng.random() < 0.125:
            other = rng.choice(by_topic[record.focus])
            outside = other.text if other is not record else record.text[: spans[at].start]
            if sentence not in outside and len(outside) > 80:
                made.append(Claim(outside[:900], wording, "neighbour"))
        else:
            planted = corrupt(wording, premise, vocabulary, rng, record.focus)
            if planted:
                made.append(Claim(premise, planted.text, planted.kind))
    return made


def _says_something(sentence: str) -> bool:
    """Whether it is a complete sentence of 6 to 45 words, not a heading or a list item."""
    return 6 <= len(sentence.split()) <= 45 and sentence[0].isupper() and sentence[-1] == "."


def _around(text: str, spans: Sequence[tuple[int, int]], at: int, rng: random.Random) -> str:
    """A passage of up to about 170 words around the sentence."""
    room = rng.choice((0, 40, 80, 120, 170))
    first = last = at
    while True:
        sides = [side for side in (-1, 1) if 0 <= (first if side < 0 else last) + side < len(spans)]
        if not sides:
            break
        side = rng.choice(sides)
        new = (first - 1, last) if side < 0 else (first, last + 1)
        if len(text[spans[new[0]][0] : spans[new[1]][1]].split()) > room:
            break
        first, last = new
    return text[spans[first][0] : spans[last][1]]


def _reworded(sentence: str, topic: str, rng: random.Random) -> str:
    """The sentence slightly reworded, or without one of its parts; equally true."""
    ways: list[Callable[[str], str]] = [
        lambda s: _OPENS.sub(lambda _: topic or "It", s, count=1),
        lambda s: _ADVERB.sub(lambda found: found[1].upper(), s),
        lambda s: _ASIDE.sub("", s),
        lambda s: _TAIL.sub(r"\1.", s),
        lambda s: s.rstrip("."),
    ]
    rng.shuffle(ways)
    changed = sentence
    for way in ways[: rng.randint(2, 5)]:
        changed = way(changed)
    for pattern, other in rng.sample(_ALIKE, 8):
        changed = pattern.sub(other, changed)
    return changed


def passages(records: Sequence[Record], number: int, seed: int) -> list[Example]:
    """Questions with passages: the answer, that of another question on the topic, other topics'.

    ``number`` questions; for each its own answer, one on the same topic if there is one, the
    nearest answer to the same kind of question on another topic, and the nearest on any other
    topic.
    """
    rng = random.Random(seed)
    by_topic: defaultdict[str, list[int]] = defaultdict(list)
    for place, record in enumerate(records):
        by_topic[record.focus.casefold()].append(place)
    found: list[Example] = []
    with Miner([f"{item.question} {item.text}" for item in records]) as miner:
        for place in rng.sample(range(len(records)), min(number, len(records))):
            record = records[place]
            kind = str(record.metadata.get("qtype", ""))
            question = record.question
            if rng.random() < 0.6:
                question = reworded_question(record.focus, kind, rng) or question
            same = by_topic[record.focus.casefold()]
            near = miner.near(question, 20, set(same))
            alike = [item for item in near if records[item].metadata.get("qtype") == kind]
            others = [
                item
                for item in same
                if item != place and records[item].metadata.get("qtype") != kind
            ]
            wrong = [*alike[:1], *(item for item in near[:8] if item not in alike[:1])][:2]
            found.append(Example(question, _passage(record, rng), relevance=1.0))
            if others:
                other = records[rng.choice(others)]
                found.append(Example(question, _passage(other, rng), relevance=_SAME_TOPIC))
            found += [
                Example(question, _passage(records[item], rng), relevance=0.0) for item in wrong
            ]
    return found


def _passage(record: Record, rng: random.Random) -> str:
    """About 100 words of the record from the start of a sentence, half of them with a heading."""
    spans = sentences(record.text)
    early = spans[: max(1, len(spans) // 2)]
    start = rng.choice(early).start if rng.random() < 0.4 else 0
    words = record.text[start:].split()[: rng.choice((40, 80, 120))]
    heading = record.question if rng.random() < 0.35 else record.focus if rng.random() < 0.4 else ""
    return " ".join([*([heading] if heading else []), *words])
