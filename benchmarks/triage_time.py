"""The time of the triage per message, and of its parts.

    python -m benchmarks.triage_time [--number 200]

Messages of ``benchmarks/short_messages.jsonl``, a random sample, each new to the program. Printed
for the parts and for the whole triage of a message (``nodes.question.triage``): median and p95 of
the time that passed, and of the processor time of all threads, which other programs on the machine
disturb less. ``self-harm`` reads the sentences whose words make it possible. The whole is measured
with other messages.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anamnesis.models.harm import texts_to_read
from anamnesis.models.reader import OwnReader
from anamnesis.models.reranker import load_reranker
from anamnesis.models.wording import combined
from benchmarks.command_line import command_line
from evaluation.urgency import read_messages
from nodes.question.triage import triage
from nodes.question.urgency import red_flag

MESSAGES = Path(__file__).with_name("short_messages.jsonl")
_FIRST = "is it safe to run with a cold"


class Times(NamedTuple):
    """The milliseconds that passed, and those of the processor, for each message (n,)."""

    passed: np.ndarray
    processor: np.ndarray


def measured(part: Callable[[str], object], messages: Sequence[str]) -> Times:
    """The times of a part for each message."""
    found = []
    for message in messages:
        begun = time.perf_counter(), time.process_time()
        part(message)
        ended = time.perf_counter(), time.process_time()
        found.append([1e3 * (b - a) for a, b in zip(begun, ended, strict=True)])
    return Times(*np.array(found).reshape(-1, 2).T)


def parts(reader: OwnReader) -> Mapping[str, Callable[[str], object]]:
    """The parts of the triage of a message, by name, in their order."""
    nothing = np.zeros(3, np.float32)
    return {
        "patterns": red_flag,
        "reader": reader.message,
        "words": lambda message: combined(message, nothing, nothing),
        "self-harm": lambda message: [reader.harm(text) for text in [*texts_to_read(message)][1:]],
    }


def table(times: Mapping[str, Times]) -> Iterator[str]:
    """A line for each part."""
    for name, found in times.items():
        passed, used = (
            f"median {np.median(item):.1f} ms, p95 {np.quantile(item, 0.95):.1f} ms"
            for item in found
        )
        yield f"{name}: {passed}; processor {used}"


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--number", type=int, default=200, help="messages for each of both")
    number = parser.parse_args().number
    texts = [item.text for item in read_messages(MESSAGES)]
    random.Random(7).shuffle(texts)
    whole, single = texts[:number], texts[number : 2 * number]
    reader = load_reranker("own")
    assert isinstance(reader, OwnReader)
    triage(_FIRST, reader.triage)  # what is loaded once is not counted
    times: dict[str, list[Times]] = {}
    classifiers = {"whole": (lambda text: triage(text, reader.triage))}
    for messages, steps in ((single, parts(reader)), (whole, classifiers)):
        for message in messages:
            for name, part in steps.items():
                times.setdefault(name, []).append(measured(part, [message]))
    joined = {
        name: Times(*(np.concatenate(item) for item in zip(*found, strict=True)))
        for name, found in times.items()
    }
    for line in table(joined):
        print(line)


if __name__ == "__main__":
    main()
