"""Embedding of passages and questions, compared with SentenceTransformer.encode by default.

    python -m benchmarks.embedding [--data DIR] [--passages 2400] [--rounds 6]

Passages are MedQuAD's, split as for indexing. Both process them in turn, batch by batch, so that
other load on the machine affects both. Printed: passages per second of each batch and the ratio,
the minimum and mean cosine between the two, and the time of one question.
"""

import random
import statistics

import numpy as np

from anamnesis.corpus.loading import read
from anamnesis.corpus.passage import split_all
from anamnesis.models import cpu
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.folders import folder_of
from anamnesis.models.reference import parse
from benchmarks.command_line import command_line
from benchmarks.sparse import timed


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--passages", type=int, default=2400)
    options.add_argument("--rounds", type=int, default=6)
    chosen = options.parse_args()
    from sentence_transformers import SentenceTransformer  # takes seconds

    embedder = load_embedder(DEFAULT_EMBEDDER)
    theirs = SentenceTransformer(str(folder_of(parse(DEFAULT_EMBEDDER))), device="cpu")
    records = read("medquad-jsonl", [chosen.data / "medquad.jsonl.gz"])
    passages = list(split_all(records, embedder.count_tokens, embedder.window))
    texts = [passage.embedded for passage in passages]
    random.Random(1).shuffle(texts)
    texts = texts[: chosen.passages]
    tokens = statistics.mean(embedder.count_tokens(texts)) + 2
    print(f"{len(passages)} passages, {len(texts)} of them measured, {tokens:.0f} tokens each")
    print(f"{cpu.workers()} threads, {cpu.document_precision(cpu.features())} for documents")

    embedder.embed_documents(texts[:32])  # both warm
    theirs.encode(texts[:32])
    size = -(-len(texts) // chosen.rounds)
    ratios, cosines, times = [], [], [0.0, 0.0]
    for turn, start in enumerate(range(0, len(texts), size)):
        part = texts[start : start + size]
        runs = [lambda p=part: theirs.encode(p), lambda p=part: embedder.embed_documents(p)]
        order = (0, 1) if turn % 2 == 0 else (1, 0)
        found = {which: timed(runs[which]) for which in order}
        (slow, expected), (quick, vectors) = found[0], found[1]
        cosines.append((expected * vectors).sum(axis=1))
        ratios.append(slow / quick)
        times = [times[0] + slow, times[1] + quick]
        print(f"part {turn + 1}: {_rates(len(part), slow, quick)}, ratio {slow / quick:.2f}")
    every = np.concatenate(cosines)
    print(
        f"all: {_rates(len(texts), *times)}, ratio {times[0] / times[1]:.2f} "
        f"(parts: {min(ratios):.2f} to {max(ratios):.2f})"
    )
    print(f"cosine: least {every.min():.4f}, mean {every.mean():.4f}")

    questions = list({passage.question: None for passage in passages})[:200]
    for name, ask in (
        ("ours", lambda q: embedder.embed_queries([q])),
        ("encode", lambda q: theirs.encode(q)),
    ):
        spent = [timed(lambda q=q, ask=ask: ask(q))[0] for q in questions]
        print(f"one question, {name}: p50 {statistics.median(spent):.1f} ms")


def _rates(number: int, slow: float, quick: float) -> str:
    """Texts per second of both, from their milliseconds."""
    return f"encode {1000 * number / slow:.1f}/s, ours {1000 * number / quick:.1f}/s"


if __name__ == "__main__":
    main()
