"""The command that runs all protocols with default settings, one result file each."""

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from anamnesis import AnamnesisError, SettingError

Parse = Callable[[list[str]], argparse.Namespace]
"""Parses a command line, given as words. The command line's parser passes itself as ``parse``."""


class Evaluation(NamedTuple):
    """One evaluation.

    Attributes:
        name: Of its result file.
        words: The command line after ``evaluate``; a word with @ is a file of the data folder.
        documents: The name of its index in the folder of indexes.
    """

    name: str
    words: str
    documents: str | None = None


_FOCUS = "retrieval --corpus @medquad.jsonl.gz --protocol"
_LIVEQA = "--corpus @liveqa_med_answers.jsonl.gz --queries @liveqa_med_qrels.jsonl.gz"
_MED = "--corpus @ir_med_corpus.jsonl.gz --queries @ir_med_queries.jsonl.gz"
_HEAD = "--corpus @medquad_csv_head.csv.gz --format medquad-csv"
_PUBMEDQA = "answers --questions @pubmedqa_pqal.jsonl.gz"
_MIRAGE = "answers --questions @mirage.jsonl.gz --dataset"
# Like the published system it always chooses an option; passages allow a row without facts.
_ALWAYS = "--preset mkrag --retrieval dense --fact-search names --set generator.passages=8"

FULL = (
    Evaluation("critic-scifact", "critic --pairs @nli_scifact.jsonl.gz --split dev"),
    Evaluation("critic-healthver", "critic --pairs @nli_healthver.jsonl.gz --split dev"),
    Evaluation("pubmedqa-rounds", f"{_PUBMEDQA} --rounds 1,2,3", "pubmedqa"),
    Evaluation("bioasq-rounds", f"{_MIRAGE} bioasq --rounds 1,2,3", "bioasq"),
    Evaluation("bioasq-retrieval", f"{_MIRAGE} bioasq --retrieval sparse,dense,hybrid", "bioasq"),
    Evaluation("bioasq-critic", f"{_MIRAGE} bioasq --critic own,similarity", "bioasq"),
    Evaluation("medmcqa", f"{_MIRAGE} medmcqa {_ALWAYS} --sample 200 --facts-k 4,8,16", "facts"),
    Evaluation("medqa", f"{_MIRAGE} medqa {_ALWAYS} --sample 100", "facts"),
    Evaluation("mmlu", f"{_MIRAGE} mmlu {_ALWAYS} --sample 100", "facts"),
    Evaluation("focus", f"{_FOCUS} focus --methods sparse,dense,hybrid", "medquad"),
    Evaluation(
        "focus-own-left-out",
        f"{_FOCUS} focus-own-left-out --methods sparse,dense,hybrid",
        "medquad",
    ),
    Evaluation("liveqa", f"retrieval --protocol liveqa {_LIVEQA}", "liveqa"),
    Evaluation("liveqa-summary", f"retrieval --protocol liveqa-summary {_LIVEQA}", "liveqa"),
    Evaluation(
        "scifact",
        "retrieval --corpus @ir_scifact_corpus.jsonl.gz "
        "--queries @ir_scifact_queries.jsonl.gz --split test",
        "scifact",
    ),
    Evaluation(
        "nfcorpus",
        "retrieval --corpus @ir_nfcorpus_corpus.jsonl.gz "
        "--queries @ir_nfcorpus_queries.jsonl.gz --split test",
        "nfcorpus",
    ),
    Evaluation("med", f"retrieval {_MED}", "med"),
    Evaluation(
        "bioasq",
        "retrieval --corpus @bioasq_passages.jsonl.gz --format bioasq-passages "
        "--queries @bioasq_questions.jsonl.gz --methods sparse,dense,hybrid",
        "bioasq",
    ),
    Evaluation(
        "robustness", "robustness --corpus @medquad.jsonl.gz --held-out --seed 13", "medquad"
    ),
    Evaluation("memory", "memory --conversations @locomo10.json.gz --skip 2"),
    Evaluation("chatbot", "chatbot --questions @medquad.jsonl.gz --sample 40", "medquad"),
    Evaluation("corrections", "corrections --questions @mirage.jsonl.gz --sample 16", "medquad"),
    Evaluation(
        "behaviour",
        "behaviour --corpus @medquad.jsonl.gz --protocol focus-own-left-out --held-out --runs 1 "
        "--sizes 500,1000,2000",
        "medquad",
    ),
    Evaluation("reranked", f"{_FOCUS} focus --held-out --runs 3", "medquad"),
)

QUICK = (
    Evaluation("quick-critic", "critic --pairs @nli_scifact.jsonl.gz --split dev"),
    Evaluation("quick-retrieval", f"retrieval {_MED} --methods sparse,dense,hybrid", "med"),
    Evaluation(
        "quick-behaviour",
        f"behaviour {_HEAD} --protocol focus-own-left-out --runs 1 --sample 10 --sizes 100,200",
        "medquad-head",
    ),
    Evaluation("quick-pubmedqa", f"{_PUBMEDQA} --sample 20 --rounds 1,2", "pubmedqa"),
    Evaluation("quick-robustness", f"robustness {_HEAD} --sample 3", "medquad-head"),
)

# How each index is made, by its name; retrieval makes its own.
INDEXES = {
    "medquad": ("medquad-jsonl @medquad.jsonl.gz --name medquad",),
    "medquad-head": ("medquad-csv @medquad_csv_head.csv.gz --name medquad-head",),
    "pubmedqa": ("pubmedqa-abstracts @pubmedqa_pqal.jsonl.gz --name pubmedqa",),
    "bioasq": ("bioasq-passages @bioasq_passages.jsonl.gz --name bioasq",),
    "facts": (
        "starter",
        "facts @triplets.tsv.gz @triplets_hetionet.tsv.gz @triplets_disease_ontology.tsv.gz "
        "--aliases @triplets_aliases.tsv.gz",
    ),
}


def all(given: argparse.Namespace) -> int:
    """Run what is not finished yet, and put all results into one page.

    Protocols whose data files are missing are named and left out. A failure is reported and does
    not stop the others; the status is then 1. Raises SettingError if nothing can be run, and as
    ``report`` does.
    """
    data, out = Path(given.data), Path(given.out)
    indexes = Path(given.indexes) if given.indexes else out / "indexes"
    made: set[str] = set()
    results, failed = [], []
    for part in QUICK if given.quick else FULL:
        file = out / f"{part.name}.json"
        missing = [name for name in needed(part) if not (data / name).is_file()]
        if file.is_file():
            print(f"{part.name}: finished before ({file})")
        elif missing:
            print(f"{part.name}: left out, {data} has no {', '.join(missing)}")
            continue
        else:
            print(f"\n{part.name}: anamnesis evaluate {part.words}", flush=True)
            start, used = time.monotonic(), time.process_time()
            try:
                _run(given.parse, part, data, indexes, file, made)
            except AnamnesisError as error:
                print(f"{part.name}: {error}", file=sys.stderr)
                failed.append(part.name)
                continue
            spent, busy = time.monotonic() - start, time.process_time() - used
            print(f"{part.name}: {spent:.0f} s, {busy:.0f} s of a processor", flush=True)
        results.append(str(file))
    if not results and not failed:
        raise SettingError(f"--data {data}: it has none of the data sets; see docs/evaluation.md")
    print()
    if results:
        _command(given.parse, ["report", *results, "-o", str(out / "report.html")])
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _run(
    parse: Parse, part: Evaluation, data: Path, indexes: Path, file: Path, made: set[str]
) -> None:
    """Run a part; its index is updated first, once per run (``made``)."""
    words = ["evaluate", *_words(part.words, data), "--out", str(file)]
    if part.documents is not None:
        folder = indexes / part.documents
        words += ["--index", str(folder)]
        if getattr(parse(words), "builds_index", False):
            words += ["--collection", part.documents]
        elif part.documents not in made:
            for recipe in INDEXES[part.documents]:
                _command(parse, ["index", *_words(recipe, data), "--index", str(folder)])
            made.add(part.documents)
    _command(parse, words)


def _command(parse: Parse, words: list[str]) -> None:
    given = parse(words)
    given.run(given)


def _words(words: str, data: Path) -> list[str]:
    return [str(data / item[1:]) if item.startswith("@") else item for item in shlex.split(words)]


def needed(part: Evaluation) -> Iterable[str]:
    """The files of the data folder that a part and its index need."""
    recipes = [part.words, *INDEXES.get(part.documents or "", ())]
    found = [item[1:] for recipe in recipes for item in shlex.split(recipe) if item.startswith("@")]
    return dict.fromkeys(found)
