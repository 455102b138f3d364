"""People's questions whose candidates nobody has judged, for a teacher to judge."""

import random
from collections.abc import Iterator
from pathlib import Path

from anamnesis.corpus.topics import is_held_out_topic
from training import question_passages, urgent
from training.examples import records


def questions(data: Path, seed: int) -> Iterator[str]:
    """What people ask, none of it held out, for candidates whose relevance nobody has judged."""
    rng = random.Random(seed)
    for row in records(data, "meqsum"):
        if not is_held_out_topic(row["id"]):
            yield f"{row['subject']} {row['message']}".strip()
            yield row["summary"]
    for row in records(data, "medication_qa"):
        if not is_held_out_topic(row["id"]):
            yield row["question"]
    pairs = list(records(data, "medical_question_pairs"))
    held = {row["question_1"] for row in pairs if is_held_out_topic(row["id"])}
    for row in pairs:
        if row["question_1"] not in held:
            yield row["question_1"]
            yield row["question_2"]
    known = [item for item in question_passages.read_question_passages(data) if not item.held_out]
    yield from (item.question for item in rng.sample(known, min(4_000, len(known))))
    written = [item for item in urgent.messages(data) if not urgent.is_dev(item.question)]
    yield from (item.question for item in rng.sample(written, 800))
    others = {row["question"] for row in records(data, "rqe") if row["split"] == "train"}
    yield from rng.sample(sorted(others), min(2_000, len(others)))
    alexa = records(data, "mediqa2019_qa")
    yield from (row["question"] for row in alexa if row["split"] == "train_alexa")
