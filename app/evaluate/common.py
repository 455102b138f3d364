"""Functions that the evaluation commands share, and the command that measures critics."""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from anamnesis import SettingError
from anamnesis.models.critic import DEFAULT_CRITIC, Critic
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.recipe import weights_of
from anamnesis.models.reference import SERVED, parse
from app.progress import bar
from evaluation import report, results, significance
from evaluation.classification import BINS
from evaluation.critic import evaluate_critic
from evaluation.reading import read_pairs
from evaluation.replies import replies_kept
from evaluation.results import placeless
from nodes.parts import Parts
from nodes.settings.context import Context
from retrievers.corpus import Corpus
from retrievers.manifest import Manifest, describe, program

# Settings with which questions do not affect each other.
ALONE = {"memory.recall": False, "memory.consent": False}


def critic(given: argparse.Namespace) -> int:
    """Measure a critic on pairs of premise and hypothesis."""
    file, context = Path(given.pairs), Context.model_validate({})
    pairs = read_pairs(file, given.split)
    reference = given.critic or context.verification.critic or DEFAULT_CRITIC
    support = context.verification.min_probability
    if given.min_probability is not None:
        support = given.min_probability
    judge, second = _critics(given, reference)
    setup = {
        **configuration(given),
        "pairs": {**file_digest(file), "split": given.split, "used": len(pairs)},
        "critic": {**model(reference), "name": judge.name, "method": judge.method},
        **second,
        "threshold": support,
        **({"checks": True} if given.with_checks else {}),
        "bins": BINS,
    }
    with running(given, setup, "judging") as execution:
        result = evaluate_critic(judge, pairs, support, execution, checks=given.with_checks)
    text = f"{file}: {len(pairs)} pairs, judged by {judge.name}\n\n{report.critic_text(result)}"
    whole = {**setup, "labels": dict(result.labels)}
    show(given, {**result.to_json(), "configuration": whole}, text, result.rows)
    return 0


def _critics(given: argparse.Namespace, reference: str) -> tuple[Critic, dict[str, Any]]:
    """The critic, with the second one if it is named, and what the report says of the second.

    Raises SettingError if the second cannot be a second critic.
    """
    named = {
        "critic": reference,
        "second_critic": given.second_critic,
        "unsure_from": given.unsure_from,
        "unsure_until": given.unsure_until,
    }
    settings = {f"verification.{name}": value for name, value in named.items() if value is not None}
    try:
        context = Context.model_validate(settings)
    except ValidationError as error:
        raise SettingError(error.errors()[0]["msg"]) from None
    verification, judge = context.verification, Parts().critic(context)
    assert judge is not None
    if verification.second_critic is None:
        return judge, {}
    bounds = {"unsure_from": verification.unsure_from, "unsure_until": verification.unsure_until}
    return judge, {"second_critic": {**model(verification.second_critic), **bounds}}


@contextmanager
def running(
    given: argparse.Namespace, setup: Mapping[str, Any], doing: str
) -> Iterator[results.Execution]:
    """The execution with the rows of an interrupted run with the same ``--out``.

    It shows a progress bar. With ``--cache``, replies of chat models are cached in its file.
    """
    cache = getattr(given, "cache", None)  # a protocol that measures time has no such option
    with replies_kept(Path(cache)) if cache else nullcontext(), bar(doing) as progress:
        if given.out is None:
            yield results.Execution(given.seed, progress=progress)
            return
        file = results.journal_of(Path(given.out))
        with closing(results.Journal(file, results.digest(setup))) as journal:
            yield results.Execution(given.seed, progress=progress, kept=journal)


def configuration(
    given: argparse.Namespace, resamples: int = significance.RESAMPLES
) -> dict[str, Any]:
    """The configuration that every result states."""
    return {
        "command": f"evaluate {given.kind}",
        "program": program(),
        "seed": given.seed,
        "resamples": resamples,
    }


def file_digest(path: Path) -> dict[str, str]:
    """A file's name and SHA-256; its folder does not affect the results."""
    return {"file": path.name, "sha256": describe(path).sha256}


def sample_digest(sample: Iterable[Any]) -> str:
    """SHA-256 of the drawn sample in its order, because rows are stored by number."""
    return results.digest({"asked": list(sample)})


def model(reference: str) -> dict[str, str | None]:
    """A reranker's or critic's reference, and the SHA-256 of its weights (None if it is remote)."""
    parsed = parse(reference)
    if parsed.scheme == "similarity":
        found: str | None = load_embedder(parsed.name or DEFAULT_EMBEDDER).fingerprint
    elif parsed.scheme == "llm" or parsed.scheme in SERVED:
        found = None
    else:
        found = results.digest(weights_of(parsed))
    return {"reference": placeless(reference), "fingerprint": found}


def made_by(index: Corpus) -> dict[str, str]:
    """The reference and the fingerprint of the embedder of an index."""
    made = index.manifest.embedder
    return {"reference": placeless(made.reference), "fingerprint": made.fingerprint}


def asking(context: Context, index: Corpus) -> dict[str, Any]:
    """All that answers depend on: documents, models, and all settings except places."""
    second = context.verification.second_critic
    return {
        "index": index.manifest.corpus,
        "embedder": made_by(index),
        "reranker": model(context.retrieval.reranker) if context.retrieval.reranker else None,
        "critic": model(context.verification.critic) if context.verification.critic else None,
        **({"second_critic": model(second)} if second else {}),
        "generator": context.generator.model,
        "settings": context.model_dump(exclude={"index"}),
    }


def _described(manifest: Manifest) -> dict[str, Any]:
    made = manifest.embedder
    named = replace(made, reference=placeless(made.reference))
    return asdict(replace(manifest, embedder=named))


def show(
    given: argparse.Namespace,
    measured: Mapping[str, Any],
    text: str,
    rows: Sequence[Mapping[str, Any]] = (),
    manifests: Iterable[Manifest] = (),
) -> None:
    """Print the text, or with ``--json`` all measures; with ``--out`` also store them.

    ``measured`` has the ``configuration``; ``rows`` are the measures of each question. The
    ``manifests`` of the indexes are in the file but not in the configuration, because an index of
    the same documents by the same embedder gives the same answers.
    """
    result = report.rounded(measured)
    if given.out is not None:
        file = Path(given.out)
        named = {"protocol": given.kind, **result}
        named["configuration_sha256"] = results.digest(named["configuration"])
        named["manifests"] = [_described(item) for item in manifests]
        results.write(file, {**named, "per_question": report.rounded(rows)})
        results.journal_of(file).unlink(missing_ok=True)
    if given.json:
        print(json.dumps(result, ensure_ascii=False, indent=2))
    else:
        print(text)
