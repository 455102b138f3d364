"""Planted errors: how many corrupted sentences does the critic pass?

    python -m benchmarks.planted [--data DIR] [--critic REF] [--second-critic REF] [--seed N]

500 sentences of MedQuAD, each with a passage, on topics that the project's model was not trained on
and that do not occur in its training topics; half of them have one change (see
``evaluation/planted.py``) or another passage. Printed: AUROC of the support; at each τ the share of
corrupted sentences that pass and of true ones that fail; by kind of error the share that passes at
the default τ; and the errors that were missed.

``--reworded`` first rewords half of all sentences slightly, so that a literal match with the
passage does not help.
"""

from collections import defaultdict

import numpy as np

from anamnesis.corpus.topics import is_held_out, trained_on
from benchmarks.command_line import command_line, critic_of
from evaluation.classification import auroc
from nodes.checking.checks import failed_checks
from nodes.settings.context import Context
from training.medquad import claims, medquad


def main() -> None:
    options = command_line(__doc__, "data", "critic")
    options.add_argument("--seed", type=int, default=2026)
    options.add_argument("--number", type=int, default=500)
    options.add_argument("--reworded", action="store_true")
    options.add_argument("--checks", action="store_true", help="with the checks of the graph too")
    chosen = options.parse_args()
    every = medquad(chosen.data)
    held_out = [item for item in every if is_held_out(item)]
    found = claims(held_out, chosen.number, chosen.seed, chosen.reworded, known=trained_on(every))
    critic = critic_of(chosen)
    judged = critic.judge([item.sentence for item in found], [[item.premise] for item in found])
    support = np.array([item.probability for [item] in judged])
    against = np.array([item.contradiction or 0.0 for [item] in judged])
    if chosen.checks:
        failed = [
            bool(failed_checks(item.sentence, item.premise[s.start : s.end], item.premise))
            for item, [s] in zip(found, judged, strict=True)
        ]
        support = np.where(failed, 0.0, support)
    true = np.array([not item.kind for item in found])
    print(f"{critic.name}: {true.sum()} true, {(~true).sum()} corrupted")
    print(f"AUROC {auroc(true, support):.4f}")
    shipped = Context.model_validate({}).verification.min_probability
    for threshold in sorted({0.3, 0.5, 0.6, 0.7, 0.8, 0.9, shipped}):
        passed = (support >= threshold) & (against <= support)
        mark = " (shipped)" if threshold == shipped else ""
        print(
            f"τ {threshold:.2f}: {passed[~true].mean():6.1%} of corrupted pass, "
            f"{(~passed[true]).mean():6.1%} of true fail{mark}"
        )
    kinds: defaultdict[str, list[bool]] = defaultdict(list)
    passed = (support >= shipped) & (against <= support)
    for item, through in zip(found, passed, strict=True):
        kinds[item.kind or "(true)"].append(bool(through))
    for kind, through in sorted(kinds.items()):
        print(f"{kind:12} {sum(through):3} of {len(through):3} pass")
    for item, through, value in zip(found, passed, support, strict=True):
        if through == bool(item.kind):
            print(f"  {item.kind or 'true, failed'} {value:.2f}: {item.sentence}")


if __name__ == "__main__":
    main()
