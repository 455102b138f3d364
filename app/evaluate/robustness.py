"""The command that measures answers to unanswerable, false and disputed questions."""

import argparse
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from anamnesis import SettingError
from anamnesis.corpus.loading import read
from anamnesis.corpus.topics import is_held_out, trained_on
from anamnesis.models.critic import load_critic
from anamnesis.paths import index_at
from app.evaluate.common import (
    ALONE,
    asking,
    configuration,
    file_digest,
    running,
    sample_digest,
    show,
)
from app.progress import Bars
from app.run_options import context_of
from evaluation import report, significance
from evaluation.robustness import VERDICTS, Kind, Trial, evaluate_robustness, premises, trials
from evaluation.significance import Estimate
from graph import Context, graph
from nodes.state import Answer, Input
from retrievers.build import build
from retrievers.manifest import read_manifest
from retrievers.opening import open_corpus


def robustness(given: argparse.Namespace) -> int:
    """Ask questions without an answer, with false assumptions, and with conflicting sources."""
    context = Context.model_validate({**context_of(given), **ALONE})
    if context.verification.critic is None:
        raise SettingError(
            "without a critic nothing is checked, so there is nothing to measure; name one "
            "with --critic"
        )
    file = Path(given.corpus)
    usable = list(read(given.format, [file]))
    known = trained_on(usable) if given.held_out else frozenset()
    usable = [item for item in usable if not given.held_out or is_held_out(item)]
    tried, records = trials(usable, given.sample, given.seed, known)
    whole = index_at(context.index)
    index = open_corpus(whole)
    critic = load_critic(context.verification.critic)
    setup = {
        **configuration(given, significance.MEAN_RESAMPLES),
        "corpus": {**file_digest(file), "sample": given.sample, "held_out": given.held_out},
        "asked": sample_digest(tried),
        **asking(context, index),
    }
    with TemporaryDirectory(prefix="anamnesis-") as temporary:
        folders = {kind: Path(temporary) / kind for kind in records}
        for kind, folder in folders.items():
            build(records[kind], folder, index.embedder, kind, Bars())
        manifests = [index.manifest, *map(read_manifest, folders.values())]

        with running(given, setup, "trying") as execution:
            found, each = evaluate_robustness(
                tried,
                partial(_ask, context, folders),
                critic,
                context.verification.min_probability,
                execution,
            )
    counts = Counter(trial.kind for trial in tried)
    setup["tried"] = dict(counts)
    by_premise = premises(each)
    methods = significance.plain_metrics(found)
    measured = {"methods": methods, "premises": by_premise, "configuration": setup}
    text = f"{file}: {len(tried)} trials\n\n{_tables(found, counts, by_premise)}"
    show(given, measured, text, each, manifests)
    return 0


def _ask(context: Context, folders: Mapping[Kind, Path], trial: Trial) -> Answer:
    """The answer to a trial, from the index of its kind, if it has its own."""
    folder = folders.get(trial.kind)
    with_index = context if folder is None else context.changed({"index": str(folder.absolute())})
    question: Input = {"question": trial.text}
    answer: Answer = graph.invoke(question, context=with_index)["answer"]
    return answer


def _tables(
    found: Mapping[Kind, Mapping[str, Estimate]],
    counts: Mapping[Kind, int],
    by_premise: Mapping[str, Mapping[str, int]],
) -> str:
    """The shares of each kind of trial, and the verdicts on what was assumed."""
    shares = [["kind", "tried", *VERDICTS]]
    for name, kind_shares in found.items():
        shares.append(
            [name, str(counts[name]), *(report.estimate(kind_shares[v]) for v in VERDICTS)]
        )
    verdicts = list(dict.fromkeys(name for item in by_premise.values() for name in item))
    assumed = [["what was assumed was found", *verdicts]]
    for premise, numbers in by_premise.items():
        assumed.append([premise, *(str(numbers.get(name, 0)) for name in verdicts)])
    return f"{report.table(shares)}\n\n{report.table(assumed)}"
