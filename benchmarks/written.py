"""Claims in an assistant's words: does the critic recognise those that a passage supports?

    python -m benchmarks.written [--part dev|test] [--data DIR] [--critic REF] [--second-critic REF]

They are a part of ``training/claims.jsonl`` that the critic was not trained on: merged or split
lists, summaries, definitions, paraphrases, and as many similar claims that add something or
contradict the passage. One half of ``dev`` was used for calibration, nothing of ``test``.

Printed: AUROC of the support, and on the half not used for calibration; at each τ the share of
claims that pass by label, with the graph's checks; and how often the evidence shown for a true
claim is one of the sentences that support it.
"""

from collections import defaultdict

import numpy as np

from benchmarks.command_line import command_line, critic_of
from evaluation.classification import auroc
from nodes.checking.checks import failed_checks
from nodes.settings.context import Context
from training.claims import read_written
from training.examples import Example
from training.finish import is_for_calibration
from training.medquad import medquad


def main() -> None:
    options = command_line(__doc__, "data", "critic")
    options.add_argument("--part", choices=("dev", "test"), default="dev")
    chosen, context = options.parse_args(), Context.model_validate({})
    texts = {item.id: item.text for item in medquad(chosen.data)}
    rows = [item for item in read_written() if item.part == chosen.part]
    passages = [texts[item.record][item.start : item.end] for item in rows]
    critic = critic_of(chosen)
    judged = critic.judge([item.claim for item in rows], [[item] for item in passages])
    support = np.array([item.probability for [item] in judged])
    against = np.array([item.contradiction or 0.0 for [item] in judged])
    checked = np.array([
        not failed_checks(item.claim, passage[found.start : found.end], passage)
        for item, passage, [found] in zip(rows, passages, judged, strict=True)
    ])  # fmt: skip
    true = np.array([item.label == "entailment" for item in rows])
    print(f"{critic.name}: {true.sum()} true claims and {(~true).sum()} untrue ones")
    unseen = np.array([
        item.part == "test"
        or not is_for_calibration(Example(passage, item.claim, label=item.label))
        for item, passage in zip(rows, passages, strict=True)
    ])  # fmt: skip
    print(f"AUROC {auroc(true, support):.4f}, of the {unseen.sum()} that calibration did not see "
          f"{auroc(true[unseen], support[unseen]):.4f}")  # fmt: skip
    for threshold in sorted({0.3, 0.5, 0.7, 0.8, context.verification.min_probability}):
        passed = (support >= threshold) & (against <= support) & checked
        by_label: defaultdict[str, list[bool]] = defaultdict(list)
        for item, through in zip(rows, passed, strict=True):
            by_label[item.label].append(bool(through))
        shares = ", ".join(f"{name} {np.mean(by_label[name]):.1%}" for name in sorted(by_label))
        shown = [
            any(item.start + found.start < end and start < item.start + found.end
                for start, end in item.evidence)
            for item, [found], through in zip(rows, judged, passed & true, strict=True)
            if through
        ]  # fmt: skip
        mark = " (shipped)" if threshold == context.verification.min_probability else ""
        print(f"τ {threshold:.2f}: pass of {shares}{mark}; of these true ones {np.mean(shown):.1%} "
              "are shown with a sentence that settles them")  # fmt: skip


if __name__ == "__main__":
    main()
