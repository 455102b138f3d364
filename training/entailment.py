"""Premise and hypothesis pairs of the published NLI sets [S4]."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from training.examples import NLI, Example, plain, records, without

# Non-commercial licences (SICK, IMPPRES); ConTRoL's premises are longer than the window.
_LEFT_OUT = frozenset({"sick_train", "imppres_presupposition", "control_test"})

_HELD_OUT = ("nli_general_dev_sample", "nli_healthver", "nli_scifact", "nli_nli4ct")
"""Sets that are measured on their records whose ``split`` is not train."""


def general(folder: Path) -> list[Example]:
    """General-domain pairs, except held-out ones and those not licensed for published weights."""
    found = (
        _example(record)
        for record in records(folder, "nli_general_train")
        if record["source"] not in _LEFT_OUT
    )
    return without(found, held_out(folder))


def medical(folder: Path, names: Sequence[str]) -> list[Example]:
    """The training parts of medical sets, without held-out claims.

    The published parts of HealthVer and SciFact are split by claim: they share sentences of
    evidence, with different claims. COVID-Fact has no parts: every tenth claim is held out, see
    ``covidfact_dev``.
    """
    found: list[Example] = []
    for name in names:
        if name == "nli_covidfact":
            found += _covidfact(folder, dev=False)
        else:
            found += [_example(item) for item in records(folder, name) if item["split"] == "train"]
    claims = held_out(folder)
    return [item for item in found if plain(item.second) not in claims]


def unsettled(folder: Path, name: str) -> list[Example]:
    """Hard neutral pairs: evidence for other claims, from an abstract that is silent on this one.

    The annotators found nothing about the claim in the abstract, so the evidence for other claims
    in it is neutral although similar; a randomly drawn window is seldom similar. ``name`` is
    ``nli_healthver`` or ``nli_scifact``; training part, without held-out claims.
    """
    train = [item for item in records(folder, name) if item["split"] == "train"]
    evidence: defaultdict[str, set[str]] = defaultdict(set)
    for item in train:
        if item["label"] != "neutral":
            evidence[item["doc_id"]].add(item["premise"])
    silent = {
        (item["claim_id"], item["doc_id"]): item["hypothesis"]
        for item in train
        if item["label"] == "neutral"
    }
    claims = held_out(folder)
    return [
        Example(premise, claim, label="neutral")
        for (_, document), claim in silent.items()
        if plain(claim) not in claims
        for premise in sorted(evidence[document])
    ]


def covidfact_dev(folder: Path) -> list[Example]:
    """The held-out tenth of COVID-Fact; a claim and its counter-claim are kept together."""
    return _covidfact(folder, dev=True)


def _covidfact(folder: Path, *, dev: bool) -> list[Example]:
    covid = map(_example, records(folder, "nli_covidfact"))
    return [item for place, item in enumerate(covid) if (place // 2 % 10 == 0) == dev]


def dev(folder: Path, name: str) -> list[Example]:
    """The dev part of a set, for example ``nli_healthver``."""
    return [_example(item) for item in records(folder, name) if item["split"] == "dev"]


def held_out(folder: Path) -> frozenset[str]:
    """Every premise of a dev or test part, and every hypothesis of more than five words."""
    aside = [row for name in _HELD_OUT for row in records(folder, name) if row["split"] != "train"]
    long = [row["hypothesis"] for row in aside if len(row["hypothesis"].split()) > 5]
    return frozenset(map(plain, [*(row["premise"] for row in aside), *long]))


def _example(record: dict[str, str]) -> Example:
    if record["label"] not in NLI:
        raise ValueError(f"{record} has a label that is not one of {', '.join(NLI)}")
    return Example(record["premise"], record["hypothesis"], label=record["label"])
