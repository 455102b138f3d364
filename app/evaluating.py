"""The commands that measure critics and retrieval on labelled data."""

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tqdm import tqdm

from anamnesis import SettingError
from app.indexing import Bars, embedder_of
from corpus.loading import read
from corpus.report import Report
from evaluation import report, significance
from evaluation.classification import BINS
from evaluation.critic import evaluate_critic
from evaluation.methods import check_methods, rankers
from evaluation.reading import read_pairs, read_queries
from evaluation.retrieval import evaluate_retrieval
from models.critic import DEFAULT_CRITIC, load_critic
from models.embedding import load_embedder
from models.reranker import DEFAULT_RERANKER
from nodes.context import Context
from retrievers.build import build
from retrievers.index import Index
from retrievers.manifest import MANIFEST, describe, read_manifest

# The one collection of an index that an evaluation keeps.
COLLECTION = "evaluation"
# What of the graph's settings the methods follow.
SETTINGS = ("methods", "candidates", "rrf_k", "weights", "reduce_query", "passages")


def critic(given: argparse.Namespace) -> int:
    """Measure a critic on pairs of premise and hypothesis."""
    file, context = Path(given.pairs), Context.model_validate({})
    pairs = read_pairs(file, given.split)
    reference = given.critic or context.critic or DEFAULT_CRITIC
    judge = load_critic(reference)
    with bar("judging") as progress:
        result = evaluate_critic(judge, pairs, context.support, seed=given.seed, progress=progress)
    told_of = {
        **configuration(given),
        "pairs": {**described(file), "split": given.split, "used": len(pairs)},
        "labels": dict(result.labels),
        "critic": {"reference": reference, "name": judge.name, "method": judge.method},
        "threshold": result.threshold,
        "bins": BINS,
    }
    told = f"{file}: {len(pairs)} pairs, judged by {judge.name}\n\n{report.critic_text(result)}"
    show(given, {**result.to_json(), "configuration": told_of}, told)
    return 0


def retrieval(given: argparse.Namespace) -> int:
    """Measure methods of retrieval on queries whose relevant documents are known."""
    context = Context.model_validate({})
    methods = check_methods([name.strip() for name in given.methods.split(",")])
    reranker = given.reranker or context.reranker or DEFAULT_RERANKER
    corpus, file = Path(given.corpus), Path(given.queries)
    queries = read_queries(file, given.split)
    reading = Report()
    with _indexed(corpus, given, reading) as index, bar("asking") as progress:
        result = evaluate_retrieval(
            index,
            queries,
            rankers(index, methods, reranker, context),
            gain=given.gain,
            seed=given.seed,
            progress=progress,
        )
        manifest = index.manifest
    told_of = {
        **configuration(given),
        "permutations": significance.PERMUTATIONS,
        "corpus": {
            **described(corpus),
            "documents": manifest.records,
            "passages": manifest.passages,
            "skipped": dict(reading.skipped),
        },
        "queries": {
            **described(file),
            "split": given.split,
            "used": result.used,
            "excluded": result.excluded,
            "relevant": result.relevant,
            "relevant_not_in_corpus": result.not_in_corpus,
        },
        "methods": methods,
        "gain": given.gain,
        "embedder": {
            "reference": manifest.embedder.reference,
            "fingerprint": manifest.embedder.fingerprint,
        },
        "reranker": reranker if "reranked" in methods else None,
        "settings": {name: getattr(context, name) for name in SETTINGS},
    }
    told = f"{corpus}: {reading}\n{file}: {report.retrieval_text(result)}"
    show(given, {**result.to_json(), "configuration": told_of}, told)
    return 0


@contextmanager
def _indexed(corpus: Path, given: argparse.Namespace, reading: Report) -> Iterator[Index]:
    """The corpus as an open index: in the folder that was named, else in one that goes again."""
    with TemporaryDirectory(prefix="anamnesis-") as temporary:
        folder = Path(given.index or temporary)
        if (folder / MANIFEST).exists():
            others = sorted(set(read_manifest(folder).collections) - {COLLECTION})
            if others:
                raise SettingError(
                    f"the index in {folder} holds other documents ({', '.join(others)}), which "
                    "would be found among those of the corpus; name a folder of its own"
                )
        embedder = load_embedder(embedder_of(folder, given.embedder))
        build(read("beir", [corpus], report=reading), folder, embedder, COLLECTION, Bars())
        index = Index.open(folder, embedder)
        try:
            yield index
        finally:
            index.close()


@contextmanager
def bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, where that is a terminal."""
    with tqdm(desc=doing, disable=None, leave=False, unit="") as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


def configuration(given: argparse.Namespace) -> dict[str, Any]:
    """What every evaluation tells of itself."""
    try:
        program = version("anamnesis")
    except PackageNotFoundError:  # run from its folder, without an install
        program = "unknown"
    return {
        "command": f"evaluate {given.kind}",
        "program": program,
        "seed": given.seed,
        "resamples": significance.RESAMPLES,
    }


def described(path: Path) -> dict[str, str]:
    """A file with its SHA-256."""
    return {"file": str(path), "sha256": describe(path).sha256}


def show(given: argparse.Namespace, measured: dict[str, Any], text: str) -> None:
    """Print the measures: the text, or with ``--json`` all of them."""
    if given.json:
        print(json.dumps(report.rounded(measured), ensure_ascii=False, indent=2))
    else:
        print(text)
