"""Are the two confidences of answers calibrated?

    python -m benchmarks.confidence [--data DIR] [--critic REF] [--second-critic REF]
                                    [--number N] [--seed N]
    python -m benchmarks.confidence --relevance --index DIR [--data DIR]

``support``: Answers of one to four statements are made from sentences of MedQuAD, half of them
paraphrased, a quarter with a planted error, on topics that the project's model was not trained on
and that do not occur in its training topics; each sentence's passage is among the evidence. The
graph's critic and checks judge them, unsupported statements are left out, and the answer's
confidence is the probability that all remaining ones are true. Printed: how many answers are
entirely true, expected calibration error and Brier score, the reliability of each range of
confidence, and the share of statements left out by their truth.

``relevance``: held-out real messages whose passages were judged (``training/judged.jsonl.gz``) are
searched for and read as in the graph by default, in the index DIR of MedQuAD and the starter
corpus. The relevance of the best of the three selected passages is compared with whether its
record helps (grade 2 or 3; a record that was not judged counts as one that does not). Questions of
``asked`` on topics that the reader was not trained on are read with their own passage, which
answers three in four; the others are near misses. The same figures are printed for all of them,
and for those that would be answered.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.topics import is_held_out, trained_on
from anamnesis.models.reranker import load_reranker
from benchmarks.bounds import rows
from benchmarks.command_line import command_line, critic_of
from benchmarks.coverage import SELECTED
from evaluation.classification import brier, calibration_error
from nodes.checking.judge import judge
from nodes.checking.statements import unchecked_statement
from nodes.evidence.relevance import relevance
from nodes.settings.context import Context
from nodes.settings.derived import QUOTED_RELEVANCE
from nodes.writing.assessment import confidence
from retrievers.opening import open_corpus
from training.judged import read_judged
from training.medquad import Claim, claims, medquad
from training.question_passages import read_question_passages

RANGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.999, 1.0)
RELEVANCES = (0.0, 0.1, 0.2, QUOTED_RELEVANCE, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
Floats = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]


def answers(found: list[Claim], number: int, rng: random.Random) -> list[list[Claim]]:
    """Answers of one to four statements, each untrue with probability 1/4."""
    true = [item for item in found if not item.kind]
    false = [item for item in found if item.kind]
    return [
        [rng.choice(false if rng.random() < 0.25 else true) for _ in range(rng.randint(1, 4))]
        for _ in range(number)
    ]


def reliability(sure: Floats, right: Truths, ranges: Sequence[float]) -> Iterator[str]:
    """Calibration error and Brier score, then for each range its confidence and share right.

    ``sure`` are probabilities and ``right`` the outcomes, both of shape (n,).
    """
    yield (
        f"mean confidence {sure.mean():.3f}, right {right.mean():.3f}, "
        f"ECE {calibration_error(sure, right):.3f}, Brier {brier(right, sure):.3f}"
    )
    for low, high in pairwise(ranges):
        within = (sure >= low) & (sure < high if high < 1 else sure <= high)
        if within.any():
            yield (
                f"  {low:.3f}–{high:.3f}: {within.sum():4d}, mean confidence "
                f"{sure[within].mean():.3f}, right {right[within].mean():.3f}"
            )


def relevance_of_messages(chosen: argparse.Namespace) -> tuple[Floats, Truths]:
    """For each held-out message the best selected passage's relevance, and whether it helps."""
    asked = [(item.id, item.message) for item in read_judged(chosen.data) if item.held_out]
    sure, right = [], []
    for row in rows(open_corpus(chosen.index), asked):
        if row.ranked:
            best = max(row.ranked[:SELECTED], key=lambda item: item["relevance"])
            sure.append(best["relevance"])
            right.append(row.helps(best))
    return np.array(sure), np.array(right)


def relevance_of_questions(chosen: argparse.Namespace) -> tuple[Floats, Truths]:
    """For each held-out question its own passage's relevance, and whether that answers it."""
    reader, sure, right = load_reranker("own"), [], []
    for entry in read_question_passages(chosen.data):
        if entry.held_out:
            [reading] = reader.read(entry.question, [(entry.heading, " ".join(entry.sentences))])
            sure.append(relevance(reading, None))
            right.append(bool(entry.answers))
    return np.array(sure), np.array(right)


def print_relevance(chosen: argparse.Namespace) -> None:
    """Print the figures of the probability that what is shown answers."""
    for name, measure in (
        ("questions of asked, each with its own passage", relevance_of_questions),
        ("real messages", relevance_of_messages),
    ):
        sure, right = measure(chosen)
        shown = sure >= QUOTED_RELEVANCE
        print(f"{name}: {len(sure)}")
        for line in reliability(sure, right, RELEVANCES):
            print(line)
        print(f"{name}, {shown.sum()} with a relevance of at least {QUOTED_RELEVANCE}:")
        for line in reliability(sure[shown], right[shown], RELEVANCES):
            print(line)


def main() -> None:
    options = command_line(__doc__, "data", "index", "critic")
    options.add_argument("--relevance", action="store_true", help="of relevance, not of support")
    options.add_argument("--number", type=int, default=600, help="answers")
    options.add_argument("--seed", type=int, default=2026)
    chosen = options.parse_args()
    if chosen.relevance:
        print_relevance(chosen)
    else:
        print_support(chosen)


def print_support(chosen: argparse.Namespace) -> None:
    """Print the figures of the probability that the sources say what is shown."""
    every = medquad(chosen.data)
    held_out = [entry for entry in every if is_held_out(entry)]
    found = claims(held_out, 1_200, chosen.seed, reworded=True, known=trained_on(every))
    critic, threshold = critic_of(chosen), Context.model_validate({}).verification.min_probability
    results: list[tuple[float, bool]] = []
    left_out: dict[bool, list[bool]] = {True: [], False: []}
    for answer in answers(found, chosen.number, random.Random(chosen.seed)):
        passages = [
            Passage(f"{place}#0", str(place), 0, 0, entry.premise, title="")
            for place, entry in enumerate(answer)
        ]
        said = [unchecked_statement(entry.sentence, []) for entry in answer]
        judged = judge(said, passages, critic, threshold)
        kept = [
            (item, not entry.kind)
            for item, entry in zip(judged, answer, strict=True)
            if item["verdict"] == "supported"
        ]
        for item, entry in zip(judged, answer, strict=True):
            left_out[not entry.kind].append(item["verdict"] != "supported")
        sure = confidence([item for item, _ in kept])
        if sure is not None:
            results.append((sure, all(true for _, true in kept)))
    sure_, right = (np.array(column) for column in zip(*results, strict=True))
    print(f"{critic.name}, τ {threshold}: {len(results)} answers, {right.mean():.3f} wholly true")
    for line in reliability(sure_, right, RANGES):
        print(line)
    for truth, name in ((True, "true"), (False, "untrue")):
        share = np.mean(left_out[truth])
        print(f"{name} statements left out: {share:.1%} of {len(left_out[truth])}")


if __name__ == "__main__":
    main()
