"""Packs the training on a GPU: ``python -m training.distil.pack --data … --out …``.

Questions with passages, claims with premises, the candidates that the product's own search of an
index of MedQuAD and the starter corpus finds for people's questions, what is held out for
measuring, and the weights that the training starts from. Nothing on a held-out topic and none of
the held-out messages is in the parts that are trained on.
"""

import argparse
import gzip
import json
import logging
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.corpus.starter import read_starter
from anamnesis.corpus.topics import is_held_out
from anamnesis.language.text import sentence_texts
from anamnesis.models.embedding import load_embedder
from anamnesis.models.reading import POLAR_OUTPUTS, URGENCY_LEVELS
from evaluation.liveqa import liveqa_pool
from evaluation.methods import hybrid
from nodes.settings.context import Context
from retrievers.opening import open_corpus
from training import claims, entailment, medquad, relevance, replies, second_critic, urgent
from training import question_passages as paired
from training.distil.questions import questions
from training.distil.texts import NONE, Claim, Reading
from training.examples import NLI, Example, at_most, check, records
from training.judged import Judged, judged_readings, read_judged
from training.question_passages import Neighbours, bare_passages, passages_of, readings
from training.read import shortest, summarised, urgencies

log = logging.getLogger("training")


_SEED = 71
_NEAR, _FAR = 8, 2
"""Candidates of a question: the first ones of the fused lists, and some of the later ones."""
_STATEMENTS = 18_000
"""The number of statements of replies and claims, and of sentences, that are judged elsewhere."""
_SHORT = 3
"""Passages of more sentences are also judged in part."""
_AMONG, _ELSEWHERE = 5, 2
"""The number of nearest passages of which a statement is paired with some, and of these."""


class Texts:
    """The numbers of all texts."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, text: str) -> int:
        """The number of a text."""
        tidy = " ".join(text.encode("utf-8", "replace").decode().split())
        return self.numbers.setdefault(tidy, len(self.numbers))

    def reading(self, reading: paired.Reading, weight: float = 1.0, group: int = -1) -> Reading:
        """A reading by the numbers of its texts."""
        return Reading(
            self.of(reading.question),
            tuple(self.of(piece) for piece in reading.pieces),
            -1.0 if reading.relevance is None else reading.relevance,
            None if reading.answers is None else tuple(sorted(reading.answers)),
            NONE if reading.polar is None else POLAR_OUTPUTS.index(reading.polar),
            NONE if reading.level is None else URGENCY_LEVELS.index(reading.level),
            group,
            weight,
        )

    def claim(self, example: Example) -> Claim:
        """A pair by the numbers of its texts."""
        label = NONE if example.label is None else NLI.index(example.label)
        known = -1.0 if example.relevance is None else example.relevance
        return Claim(self.of(example.first), self.of(example.second), label, known)


def trained_readings(data: Path, texts: Texts) -> Iterator[Reading]:
    """Questions with their passages, near misses, passages on other topics, judged ones, others."""
    rng = random.Random(_SEED)
    known = [item for item in paired.read_question_passages(data) if not item.held_out]
    topics = [item for item in medquad.medquad(data) if item.focus and not is_held_out(item)]
    pool = [*passages_of(known), *bare_passages(topics, 6_000, _SEED)]
    near = Neighbours(pool, load_embedder())
    judged = [item for item in read_judged(data) if not item.held_out]
    found: dict[paired.Reading, float] = {}
    for seed in (_SEED, _SEED + 1):
        right, wrong = readings(known, near, seed, others=1)
        found |= dict.fromkeys([*right, *wrong], 1.0)
        found |= {item: 1.0 for item in judged_readings(judged, seed) if item.pieces}
    for item in (
        *relevance.graded_answers(data, "train_alexa"),
        *at_most(relevance.collections(data, _SEED), 6_000, rng),
        *at_most(medquad.passages(topics, 900, _SEED), 3_000, rng),
        *at_most(relevance.questions(data), 3_000, rng),
    ):
        own_pieces = ("", *sentence_texts(item.second))
        found.setdefault(paired.Reading(item.first, own_pieces, relevance=item.relevance), 0.5)
    found |= {item: 0.5 for item in summarised(data, rng) if item.pieces}
    for own_reading, weight in found.items():
        yield texts.reading(own_reading, weight)


def levels(data: Path, texts: Texts) -> Iterator[Reading]:
    """Messages with their urgency, as in the last stages of ``training.read``."""
    for seed in (_SEED, _SEED + 1):
        for item in (*urgencies(data, seed), *shortest(data, seed)):
            if item.level:
                yield texts.reading(item)


def candidates(data: Path, index: Path, texts: Texts, known: set[str]) -> Iterator[Reading]:
    """Questions with the passages that the product's search finds; ``known`` questions are held
    out."""
    rng = random.Random(_SEED)
    context, corpus = Context.model_validate({}), open_corpus(index)
    held = {item.id for item in [*medquad.medquad(data), *read_starter()] if is_held_out(item)}
    chosen = [item for item in dict.fromkeys(questions(data, _SEED)) if item not in known]
    rng.shuffle(chosen)
    pieces: dict[str, tuple[int, ...]] = {}
    for number, question in enumerate(chosen):
        hits = [item for item in hybrid(corpus, question, context) if item["record_id"] not in held]
        later = hits[_NEAR:40]
        ids = [item["id"] for item in [*hits[:_NEAR], *rng.sample(later, min(_FAR, len(later)))]]
        missing = [key for key in ids if key not in pieces]
        for passage in corpus.passages(missing):
            pieces[passage.id] = _pieces(passage, texts)
        for key in ids:
            yield Reading(texts.of(question), pieces[key], group=number)
        if number % 1000 == 0:
            log.info("%d of %d questions searched", number, len(chosen))


def _pieces(passage: Passage, texts: Texts) -> tuple[int, ...]:
    heading = passage.question or passage.title
    return tuple(map(texts.of, (heading, *sentence_texts(passage.text))))


def trained_claims(data: Path, texts: Texts) -> Iterator[Claim]:
    """Pairs with a label: those of the second critic and more of each kind; and with a relevance,
    for the cross-encoder."""
    rng = random.Random(_SEED)
    every = {item.id: item for item in medquad.medquad(data)}
    written = [item for item in claims.read_written() if item.part == "train"]
    known = [item for item in every.values() if not is_held_out(item)]
    planted = medquad.claims(known, 12_000, _SEED, reworded=True, mirrored=True)
    found = [
        *replies.replies(data),
        *replies.replies(data, own=True),
        *claims.examples(written, every),
        *claims.claims_with_other_passages(written, every),
        *(Example(item.premise, item.sentence, label=item.label) for item in planted),
        *entailment.medical(data, ("nli_healthver", "nli_scifact", "nli_nli4ct", "nli_covidfact")),
        *entailment.unsettled(data, "nli_healthver"),
        *entailment.unsettled(data, "nli_scifact"),
        *rng.sample(entailment.general(data), 60_000),
        *at_most(relevance.collections(data, _SEED), 6_000, rng),
        *at_most(relevance.questions(data), 3_000, rng),
    ]
    for item in dict.fromkeys(found):
        yield texts.claim(item)


def unjudged_claims(data: Path, texts: Texts) -> Iterator[Claim]:
    """Statements with passages on which nobody has judged them: near ones of other records.

    Statements of replies and claims, and sentences of MedQuAD: what one source says, another one
    often says in other words.
    """
    rng = random.Random(_SEED)
    topics = [item for item in medquad.medquad(data) if item.focus and not is_held_out(item)]
    said = {item.second for own in (False, True) for item in replies.replies(data, own=own)}
    said |= {item.claim for item in claims.read_written() if item.part == "train"}
    chosen = at_most(sorted(said), _STATEMENTS, rng)
    for record in at_most(topics, _STATEMENTS, rng):
        sentences = [text for text in sentence_texts(record.text) if 50 < len(text) < 300]
        chosen += at_most(sentences, 1, rng)
    passages = [" ".join(item.sentences) for item in bare_passages(topics, 9_000, _SEED)]
    embedder = load_embedder()
    vectors = embedder.embed_documents(passages)
    for start in range(0, len(chosen), 1_000):
        part = chosen[start : start + 1_000]
        for text, cosines in zip(part, embedder.embed_queries(part) @ vectors.T, strict=True):
            near = (passages[int(at)] for at in cosines.argsort()[: -_AMONG - 1 : -1])
            for passage in at_most([item for item in near if text not in item], _ELSEWHERE, rng):
                yield Claim(texts.of(passage), texts.of(text))


def stretched(data: Path, texts: Texts) -> Iterator[Claim]:
    """Replies with a part of their passage, which may no longer say it all: nobody has judged."""
    rng = random.Random(_SEED)
    found = [*replies.replies(data), *replies.replies(data, own=True)]
    for premise, statement in sorted({(item.first, item.second) for item in found}):
        sentences = sentence_texts(premise)
        if len(sentences) > _SHORT:
            size = rng.randint(_SHORT - 1, len(sentences) - 1)
            first = rng.randint(0, len(sentences) - size)
            yield Claim(texts.of(" ".join(sentences[first : first + size])), texts.of(statement))


def held_out_readings(data: Path, texts: Texts) -> dict[str, list[Reading]]:
    """``asked``: questions on held-out topics; ``judged``: held-out messages, each with its
    passages; ``levels``: held-out messages with their urgency; and two sets of LiveQA-Med."""
    aside = [item for item in paired.read_question_passages(data) if item.held_out]
    messages = [item for item in urgent.messages(data) if urgent.is_dev(item.question)]
    judged = [item for item in read_judged(data) if item.held_out]
    return {
        "asked": [texts.reading(paired.whole_passage_reading(item)) for item in aside],
        "judged": list(_judged(judged, texts)),
        "levels": [texts.reading(item) for item in messages],
        **{name: list(_liveqa(data, name, texts)) for name in ("message", "summary")},
    }


def _judged(found: Iterable[Judged], texts: Texts) -> Iterator[Reading]:
    group = 0
    for item in found:
        for question in filter(None, dict.fromkeys((item.message, item.summary))):
            group += 1
            for passage in item.passages:
                reading = paired.Reading(
                    question, passage.pieces, passage.grade / 3, passage.answers
                )
                yield texts.reading(reading, group=group)


def _liveqa(data: Path, name: str, texts: Texts) -> Iterator[Reading]:
    pool = {item.id: item for item in liveqa_pool(data / "liveqa_med_answers.jsonl.gz")}
    for group, row in enumerate(records(data, "liveqa_med_qrels")):
        question = row[name] or row["summary"]
        for each in row["judgments"]:
            record: Record = pool[each["answer_id"]]
            reading = paired.Reading(
                question, (record.question, *sentence_texts(record.text)),
                (min(each["grades"]) - 1) / 3,
            )  # fmt: skip
            yield texts.reading(reading, group=group)


def write(rows: Iterable[Any], file: Path) -> int:
    """Write rows as JSON, compressed; returns their number."""
    number = 0
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=9) as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
            number += 1
    log.info("%s: %d rows, %d kB", file.name, number, file.stat().st_size // 1000)
    return number


def pack_texts(data: Path, index: Path | None, out: Path) -> Texts:
    """Write all texts and what refers to them by number; what a reader needs only with an index."""
    texts = Texts()
    texts.of("")
    aside = held_out_readings(data, texts) if index else {}
    asking = {item.question for rows in aside.values() for item in rows}
    held = {text for text, number in texts.numbers.items() if number in asking}
    for name, rows in aside.items():
        write(rows, out / f"held_{name}.jsonl.gz")
    for name, pairs in second_critic.held_out(data).items():
        write(map(texts.claim, pairs), out / f"heldclaims_{name}.jsonl.gz")
    every = (*trained_claims(data, texts), *unjudged_claims(data, texts), *stretched(data, texts))
    write(dict.fromkeys(every), out / "claims.jsonl.gz")
    if index:
        write(trained_readings(data, texts), out / "readings.jsonl.gz")
        write(levels(data, texts), out / "levels.jsonl.gz")
        write(candidates(data, index, texts, held), out / "candidates.jsonl.gz")
    write(texts.numbers, out / "texts.jsonl.gz")
    return texts


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m training.distil.pack", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--index", type=Path, help="MedQuAD and starter corpus, for a reader")
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    check(chosen.data)
    chosen.out.mkdir(parents=True, exist_ok=True)
    pack_texts(chosen.data, chosen.index, chosen.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
