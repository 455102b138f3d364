"""Instructions in documents, and impossible doses: how many are stopped, rightly or wrongly.

    python -m benchmarks.poison [--data DIR] [--sentences N] [--missed]

``poison_sentences.jsonl`` has 150 sentences with instructions for a model or its user, of many
kinds and in 22 languages. The rules were developed on one half (``seen``); the other half
(``kept``) is only counted: ``--missed`` prints missed sentences of the first. Ordinary sentences
are drawn from MedQuAD, and from the snippets of BioASQ, which were not used in development. For
doses, every sentence of MedQuAD and the starter corpus with an amount is checked, and the stopped
ones are printed for inspection; likewise the pairs of sentences on one topic that are shown as
disagreeing.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from anamnesis.corpus.doses import context, doses, has_amount
from anamnesis.corpus.loading import read
from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.language.text import sentences
from benchmarks.command_line import command_line
from nodes.checking.disagreeing import disagreeing_evidence
from nodes.evidence.orders import gives_orders
from nodes.evidence.safety import ABOVE_MAXIMUM, unsafe

_FILE = Path(__file__).with_name("poison_sentences.jsonl")


def ordering(half: str) -> list[dict[str, Any]]:
    """The sentences of one half, ``seen`` or ``kept``, each with its kind and language."""
    rows = [json.loads(line) for line in _FILE.read_text("utf-8").splitlines()]
    return [row for row in rows if _half(row["text"]) == half]


def _half(text: str) -> str:
    return "kept" if blake2b(text.encode(), digest_size=1).digest()[0] % 2 else "seen"


def _sentences(records: Sequence[Record]) -> Iterator[tuple[Record, str, str]]:
    """Each record with its sentences, each with the preceding one."""
    for record in records:
        before = ""
        for span in sentences(record.text):
            text = record.text[span.start : span.end]
            yield record, before, text
            before = text


def _stopped(name: str, records: Sequence[Record], number: int) -> None:
    """How many of the ordinary sentences are classified as instructions; they are printed."""
    stopping = sorted({text for _, _, text in _sentences(records)})
    drawn = random.Random(2026).sample(stopping, min(number, len(stopping)))
    begun = time.process_time()
    wrong = [text for text in drawn if gives_orders(text)]
    each = (time.process_time() - begun) / len(drawn) * 1e6
    print(f"{name}: {len(wrong)} of {len(drawn)} ordinary sentences stopped; {each:.0f} µs each")
    for text in wrong:
        print(f"  {text}")


def _dosed(records: Sequence[Record]) -> None:
    found = [(record, before, text) for record, before, text in _sentences(records)
             if has_amount(text)]  # fmt: skip
    heading = [record.question or record.title for record, _, _ in found]
    read_as = sum(
        bool(doses(text, context(text, before, about)))
        for (_, before, text), about in zip(found, heading, strict=True)
    )
    print(f"doses: {len(found)} sentences have an amount, {read_as} a dose of a medicine")
    for (_, before, text), about in zip(found, heading, strict=True):
        if ABOVE_MAXIMUM in unsafe(text, context(text, before, about)):
            print(f"  stopped: {about} — {text}")


def _disagreements(records: Sequence[Record]) -> None:
    """The sentences on one topic that are shown as disagreeing on a dose or on stopping."""
    topics: dict[str, list[Passage]] = {}
    for record in records:
        passage = Passage(
            f"{record.id}#0", record.id, 0, len(record.text), record.text, record.title,
            record.question, focus=record.focus,
        )  # fmt: skip
        topics.setdefault(record.focus.casefold(), []).append(passage)
    shown = 0
    for topic, passages in topics.items():
        for passage in passages if topic else []:
            for span in sentences(passage.text):
                text = passage.text[span.start : span.end]
                if against := disagreeing_evidence(text, passage, passages):
                    [other] = [each for each in passages if each.id == against["document"]]
                    print(f"  {topic}: {text} — {other.text[against['start'] : against['end']]}")
                    shown += 1
    print(f"disagreeing: {shown} sentences of {len(records)} records")


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--sentences", type=int, default=3000, help="ordinary ones of each source")
    options.add_argument("--missed", action="store_true", help="print what is missed of `seen`")
    given = options.parse_args()
    for half in ("seen", "kept"):
        rows = ordering(half)
        missed = [row for row in rows if not gives_orders(row["text"])]
        print(f"{half}: {len(rows) - len(missed)} of {len(rows)} sentences that give orders caught")
        kinds = Counter(row["kind"] for row in rows)
        left = Counter(row["kind"] for row in missed)
        print(
            "  " + ", ".join(f"{kind} {kinds[kind] - left[kind]}/{kinds[kind]}" for kind in kinds)
        )
        if given.missed and half == "seen":
            print("\n".join(f"  missed: {row['text']}" for row in missed))
    folder = given.data
    medquad = list(read("medquad-jsonl", [folder / "medquad.jsonl.gz"]))
    starter = list(read("starter"))
    _stopped("MedQuAD", medquad, given.sentences)
    bioasq = list(read("bioasq-passages", [folder / "bioasq_passages.jsonl.gz"]))
    _stopped("BioASQ", bioasq, given.sentences)
    _dosed([*medquad, *starter])
    _disagreements([*medquad, *starter])


if __name__ == "__main__":
    main()
