"""Each check separately: how many false claims it stops, and how many true ones it rejects.

    python -m benchmarks.checks [--data DIR] [--part held-out|others] [--own]
                                [--critic REF] [--second-critic REF]
    python -m benchmarks.checks --opposites tests/nodes/checking/data/opposites.tsv

The claims are the replies of ``asked.jsonl.gz`` and ``asked_starter.jsonl.gz``, or with ``--own``
those of ``training/asked.jsonl.gz``, whose writers were asked for other words than the passage's:
each faithful one, and the same with one error, with the passage that they were written from.
``held-out`` are the
topics that were used neither for training nor for tuning, ``others`` those for tuning. A reply
fails a check if one of its sentences does, compared with the sentence that the critic finds
nearest.

Printed, by check: the share of faithful replies that fail it (cost), of wrong ones (stopped), and
both shares of the replies that fail no other check; then the critic's results without and with the
checks. ``--opposites`` reads another file instead: sentences with a faithful claim and an opposite
one, tab-separated, under the names ``evidence``, ``faithful`` and ``wrong``. ``--costly`` prints
the faithful replies that fail a check.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from anamnesis.language.text import sentences
from anamnesis.models.critic import Critic
from benchmarks.command_line import command_line, critic_of
from nodes.checking.checks import CHECKS, failed_checks
from nodes.settings.context import Context
from training.probe import auroc
from training.question_passages import own_rows, question_passage_rows

_SUPPORTS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)


class Claim(NamedTuple):
    """A claim, its passage, and whether the passage supports it."""

    text: str
    heading: str
    passage: str
    true: bool


class Found(NamedTuple):
    """The findings on a claim: the codes of the checks it fails, and the critic's verdict.

    ``support`` is that of its least supported sentence.
    """

    true: bool
    codes: frozenset[str]
    supported: bool
    support: float


def replies(folder: Path, held_out: bool, own: bool = False) -> Iterator[Claim]:
    """The faithful and the wrong replies on held-out topics, or on the others."""
    for asked, row in (own_rows if own else question_passage_rows)(folder):
        if asked.held_out == held_out and row["reply"]:
            text = " ".join(asked.sentences)
            for key in ("reply", "wrong"):
                yield Claim(row[key], asked.heading, text, key == "reply")


def opposites(file: Path) -> Iterator[Claim]:
    """The claims of a file of sentences and their opposites."""
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            for key in ("faithful", "wrong"):
                yield Claim(row[key], "", row["evidence"], key == "faithful")


def found_of(claims: Sequence[Claim], critic: Critic, support: float) -> list[Found]:
    """The findings of the checks and the critic on each claim, sentence by sentence."""
    parts = [
        (place, item.text[start:end])
        for place, item in enumerate(claims)
        for start, end in sentences(item.text)
    ]
    judged = critic.judge(
        [text for _, text in parts], [[claims[item].passage] for item, _ in parts]
    )
    codes: list[set[str]] = [set() for _ in claims]
    supported = [True] * len(claims)
    least = [1.0] * len(claims)
    for (place, text), [item] in zip(parts, judged, strict=True):
        claim = claims[place]
        evidence = claim.passage[item.start : item.end]
        failed = failed_checks(text, evidence, f"{claim.heading} {claim.passage}".strip())
        codes[place] |= {item["code"] for item in failed}
        against = item.contradiction or 0.0
        least[place] = min(least[place], item.probability)
        supported[place] &= item.probability >= support and against <= item.probability
    return [
        Found(claim.true, frozenset(failed), known, lowest)
        for claim, failed, known, lowest in zip(claims, codes, supported, least, strict=True)
    ]


def share(found: Sequence[bool]) -> str:
    """The number of true values, and their share."""
    return f"{sum(found):5} ({sum(found) / max(1, len(found)):6.2%})"


def main() -> None:
    options = command_line(__doc__, "data", "critic")
    options.add_argument("--part", choices=("held-out", "others"), default="held-out")
    options.add_argument("--own", action="store_true", help="the project's own replies")
    options.add_argument("--opposites", type=Path, help="a file of sentences and opposites")
    options.add_argument("--number", type=int, help="so many claims at most")
    options.add_argument("--costly", action="store_true", help="print faithful ones that fail")
    chosen, context = options.parse_args(), Context.model_validate({})
    if chosen.opposites:
        claims = list(opposites(chosen.opposites))
    else:
        held_out = chosen.part == "held-out"
        claims = list(replies(chosen.data, held_out, chosen.own))
    claims = claims[: chosen.number]
    found = found_of(claims, critic_of(chosen), context.verification.min_probability)
    true, false = ([item for item in found if item.true == kind] for kind in (True, False))
    print(f"{len(true)} faithful claims, {len(false)} wrong ones")
    print(f"{'':22} {'cost':>15} {'stopped':>15} {'alone: cost':>15} {'stopped':>15}")
    for code in (code for code, check in CHECKS.items() if check.find):
        alone = frozenset({code})
        columns = [
            *(share([code in item.codes for item in some]) for some in (true, false)),
            *(share([item.codes == alone for item in some]) for some in (true, false)),
        ]
        print(f"{code:22} {' '.join(columns)}")
    for name, passed in (
        ("any check", [bool(item.codes) for item in found]),
        ("critic supports", [item.supported for item in found]),
        ("critic and checks", [item.supported and not item.codes for item in found]),
    ):
        by_kind = [
            [one for one, item in zip(passed, found, strict=True) if item.true == kind]
            for kind in (True, False)
        ]
        print(f"{name:22} {' '.join(map(share, by_kind))}")
    # A claim that fails a check has less support than any other.
    rows = [[-1.0 if item.codes else item.support for item in some] for some in (true, false)]
    print(f"AUROC of critic and checks {auroc(*rows):.3f}")
    for least in _SUPPORTS:
        shares = " ".join(share([value >= least for value in supports]) for supports in rows)
        print(f"critic and checks at τ = {least}: {shares}")
    if chosen.costly:
        for claim, item in zip(claims, found, strict=True):
            if item.true and item.codes:
                print(f"  {', '.join(sorted(item.codes))}: {claim.text}")


if __name__ == "__main__":
    main()
