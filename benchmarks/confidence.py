"""Are the confidences of answers calibrated?

    python -m benchmarks.confidence [--data DIR] [--critic REF] [--second-critic REF]
                                    [--number N] [--seed N]

Answers of one to four statements are made from sentences of MedQuAD, half of them paraphrased, a
quarter with a planted error, on topics that the project's model was not trained on and that do not
occur in its training topics; each sentence's passage is among the evidence. The graph's critic and
checks judge them, unsupported statements are left out, and the answer's confidence is the
probability that all remaining ones are true. Printed: how many answers are entirely true, expected
calibration error and Brier score, the reliability of each range of confidence, and the share of
statements left out by their truth.
"""

import random
from itertools import pairwise

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.topics import is_held_out, trained_on
from benchmarks.command_line import command_line, critic_of
from evaluation.classification import brier, calibration_error
from nodes.checking.judge import judge
from nodes.context import Context
from nodes.writing.assessment import confidence
from nodes.writing.draft import statement
from training.medquad import Claim, claims, medquad

RANGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.999, 1.0)


def answers(found: list[Claim], number: int, rng: random.Random) -> list[list[Claim]]:
    """Answers of one to four statements, each untrue with probability 1/4."""
    true = [item for item in found if not item.kind]
    false = [item for item in found if item.kind]
    return [
        [rng.choice(false if rng.random() < 0.25 else true) for _ in range(rng.randint(1, 4))]
        for _ in range(number)
    ]


def main() -> None:
    options = command_line(__doc__, "data", "critic")
    options.add_argument("--number", type=int, default=600, help="answers")
    options.add_argument("--seed", type=int, default=2026)
    chosen = options.parse_args()
    every = medquad(chosen.data)
    held_out = [entry for entry in every if is_held_out(entry)]
    found = claims(held_out, 1_200, chosen.seed, reworded=True, known=trained_on(every))
    critic, threshold = (
        critic_of(chosen),
        Context.model_validate({}).verification.min_probability,
    )
    results: list[tuple[float, bool]] = []
    left_out: dict[bool, list[bool]] = {True: [], False: []}
    for answer in answers(found, chosen.number, random.Random(chosen.seed)):
        passages = [
            Passage(f"{place}#0", str(place), 0, 0, entry.premise, title="")
            for place, entry in enumerate(answer)
        ]
        said = [statement(entry.sentence, []) for entry in answer]
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
    print(
        f"mean confidence {sure_.mean():.3f}, ECE {calibration_error(sure_, right):.3f}, "
        f"Brier {brier(right, sure_):.3f}"
    )
    for low, high in pairwise(RANGES):
        within = (sure_ >= low) & (sure_ < high if high < 1 else sure_ <= high)
        if within.any():
            print(
                f"  {low:.3f}–{high:.3f}: {within.sum():4d} answers, mean confidence "
                f"{sure_[within].mean():.3f}, wholly true {right[within].mean():.3f}"
            )
    for truth, name in ((True, "true"), (False, "untrue")):
        share = np.mean(left_out[truth])
        print(f"{name} statements left out: {share:.1%} of {len(left_out[truth])}")


if __name__ == "__main__":
    main()
