"""Words of real messages that are not in MedQuAD, and how they are corrected.

    python -m benchmarks.spelling [--data DIR]

``misspellings.tsv`` has 633 such words: 400 from messages to a health library (MeQSum) and to
LiveQA-Med, drawn at random, and all from the questions on medicines of MedInfo 2019. They were
judged by hand: the right word (empty: it is right, or unknown), and other harmless corrections,
such as another form of the word. The thresholds were chosen on the first part (``chosen on``); the
guard against opposites was added after reading the part on medicines. Printed for each part: how
many misspelt words whose right form is in MedQuAD are corrected rightly, how many words were
changed without harm, and how many with harm; then the processor time per message of MeQSum.
"""

import csv
import gzip
import json
import time
from collections import Counter
from pathlib import Path

from anamnesis.language.text import tokenize
from benchmarks.command_line import command_line
from benchmarks.sparse import spread
from retrievers.spelling import LEAST_COUNT, Speller, right_words

JUDGED = Path(__file__).with_name("misspellings.tsv")


def judged() -> list[dict[str, str]]:
    """The rows: ``word``, ``right`` and ``harmless`` (comma-separated), ``part``."""
    with JUDGED.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def main() -> None:
    options = command_line(__doc__, "data")
    data = options.parse_args().data

    counts: Counter[str] = Counter()
    with gzip.open(data / "medquad.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            counts.update(set(tokenize(f"{row['question']} {row['answer']}")))
    speller = Speller(counts)
    begun = time.perf_counter()
    right_words()
    print(f"{len(counts):,} words; the right ones read in {time.perf_counter() - begun:.2f} s")

    rows = judged()
    for part in dict.fromkeys(row["part"] for row in rows):
        of_part = [row for row in rows if row["part"] == part]
        repaired, harmless, harmed, can = 0, 0, [], 0
        for row in of_part:
            right = row["right"].split(",")
            can += any(counts[word] >= LEAST_COUNT for word in right)
            became = speller.nearest(row["word"])
            if became is None:
                continue
            if became in right:
                repaired += 1
            elif became in row["harmless"].split(","):
                harmless += 1
            else:
                harmed.append(f"{row['word']} → {became}")
        print(f"{part}: {len(of_part)} words, {repaired} of {can} misspelt ones repaired rightly")
        print(f"  {harmless} changed without harm, {len(harmed)} with: {', '.join(harmed)}")

    with gzip.open(data / "meqsum.jsonl.gz", "rt", encoding="utf-8") as lines:
        messages = [json.loads(line)["message"] for line in lines]
    times = []
    for message in messages:
        begun = time.thread_time()
        speller.repair(message)
        times.append((time.thread_time() - begun) * 1000)
    print(f"a message: {spread(times)}, longest {max(times):.1f} ms")


if __name__ == "__main__":
    main()
