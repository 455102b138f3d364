"""How the critic's two readings of a passage are combined: the choice of the weight.

    python -m benchmarks.readings [--data DIR] [--own] [--halves 20]

An entailment critic reads a passage as a whole, and its sentences nearest to the statement alone;
``anamnesis.models.entailment.HIGHER`` is the weight of the higher of the two log-odds. Measured on
the replies of ``benchmarks.checks``, on topics not used for training: each faithful one and the
same with one error, with the checks, at the default minimum probability.

Printed for each weight: the shares of faithful and of wrong replies that are supported, and the
AUROC. Then both shares if the weight is chosen on one half of the replies (the one that keeps the
most faithful ones while at most ``MOST`` of the wrong ones pass) and measured on the other, in both
directions, over random halves.
"""

import random
from collections.abc import Mapping, Sequence

import numpy as np

from anamnesis.models import entailment
from anamnesis.models.classifier import Scores
from anamnesis.models.entailment import EntailmentCritic
from anamnesis.models.reference import parse
from benchmarks.checks import Found, found_of, replies
from benchmarks.command_line import command_line
from nodes.settings.context import Context
from training.probe import auroc

WEIGHTS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MOST = 0.05
"""Maximum share of wrong replies that may be supported, for a weight to be chosen."""

Supported = list[tuple[bool, bool]]
"""For each faithful reply: whether it is supported, and whether the one with an error is."""


class Remembering(EntailmentCritic):
    """The critic, whose model reads each pair once, whatever the weight."""

    def __init__(self, reference: str) -> None:
        super().__init__(parse(reference))
        self._known: dict[tuple[str, str], Scores] = {}

    def _probabilities(self, pairs: list[tuple[str, str]]) -> Scores:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        self._known.update(zip(new, super()._probabilities(new), strict=True))
        if not pairs:
            return super()._probabilities(pairs)
        return np.stack([self._known[pair] for pair in pairs])


def supported(found: Sequence[Found]) -> Supported:
    """The findings of faithful and wrong replies in turn, in pairs."""
    passed = [item.supported and not item.codes for item in found]
    return list(zip(passed[::2], passed[1::2], strict=True))


def shares(rows: Supported) -> tuple[float, float]:
    """The shares of faithful and of wrong replies that are supported."""
    return sum(kept for kept, _ in rows) / len(rows), sum(wrong for _, wrong in rows) / len(rows)


def choose(by_weight: Mapping[float, Supported], rows: Sequence[int]) -> float:
    """The weight to use according to these rows; the lowest one if too many pass with each."""
    found = {weight: shares([shown[row] for row in rows]) for weight, shown in by_weight.items()}
    fit = [weight for weight, (_, wrong) in found.items() if wrong <= MOST]
    return max(fit, key=lambda weight: found[weight][0]) if fit else min(found)


def crossed(by_weight: Mapping[float, Supported], halves: int) -> tuple[float, float]:
    """Both shares on halves that were not used for the choice: means over random halves."""
    number = len(next(iter(by_weight.values())))
    found = []
    for seed in range(halves):
        mixed = random.Random(seed).sample(range(number), number)
        parts = mixed[: number // 2], mixed[number // 2 :]
        for one, other in (parts, parts[::-1]):
            shown = by_weight[choose(by_weight, one)]
            found.append(shares([shown[row] for row in other]))
    kept, wrong = np.mean(found, axis=0)
    return float(kept), float(wrong)


def main() -> None:
    """Run the command."""
    options = command_line(__doc__, "data")
    options.add_argument("--own", action="store_true", help="the project's own replies")
    options.add_argument("--halves", type=int, default=20, help="number of random halvings")
    chosen = options.parse_args()
    claims = list(replies(chosen.data, held_out=True, own=chosen.own))
    least = Context.model_validate({}).verification.min_probability
    critic = Remembering("own")
    by_weight: dict[float, Supported] = {}
    print(f"{len(claims) // 2} replies, supported from {least} on")
    for weight in WEIGHTS:
        entailment.HIGHER = weight
        found = found_of(claims, critic, least)
        by_weight[weight] = supported(found)
        scores = [
            [-1.0 if item.codes else item.support for item in found if item.true == kind]
            for kind in (True, False)
        ]
        kept, wrong = shares(by_weight[weight])
        print(f"weight {weight}: kept {kept:.3f}, passed {wrong:.3f}, AUROC {auroc(*scores):.3f}")
    kept, wrong = crossed(by_weight, chosen.halves)
    print(f"chosen on one half, measured on the other: kept {kept:.3f}, passed {wrong:.3f}")


if __name__ == "__main__":
    main()
