"""The command that measures what the answers are outside of good data."""

import argparse
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from anamnesis.paths import default_index
from app.evaluating import bar, cached, configuration, described, kept, show
from app.indexing import Bars
from app.run_options import context_of
from corpus.loading import read
from corpus.topics import is_held_out
from evaluation import report, significance
from evaluation.robustness import VERDICTS, Trial, evaluate_robustness, trials
from graph import Context, graph
from models.critic import DEFAULT_CRITIC, load_critic
from nodes.state import Answer, Input
from retrievers.build import build
from retrievers.index import open_index


def robustness(given: argparse.Namespace) -> int:
    """Ask what has no answer, what assumes what is not so, and what sources dispute."""
    context = Context.model_validate({**context_of(given), "memory": False, "remember": False})
    file = Path(given.corpus)
    usable = [own for own in read(given.format, [file]) if not given.held_out or is_held_out(own)]
    tried, records = trials(usable, given.sample, given.seed)
    whole = Path(context.index) if context.index else default_index()
    index = open_index(whole)
    critic = load_critic(context.critic or DEFAULT_CRITIC)
    asked = {
        **configuration(given, significance.MEAN_RESAMPLES),
        "corpus": {**described(file), "sample": given.sample, "held_out": given.held_out},
        "index": index.manifest.corpus,
        "embedder": index.manifest.embedder.reference,
        "critic": {"reference": context.critic or DEFAULT_CRITIC, "name": critic.name},
        "generator": context.generator,
        "settings": context.model_dump(exclude={"index"}),
    }
    with TemporaryDirectory(prefix="anamnesis-") as temporary:
        folders = {kind: Path(temporary) / kind for kind in records}
        for kind, folder in folders.items():
            build(records[kind], folder, index.embedder, kind, Bars())

        def ask(trial: Trial) -> Answer:
            folder = folders.get(trial.kind, whole)
            own = context.model_copy(update={"index": str(folder.absolute())})
            question: Input = {"question": trial.text}
            answer: Answer = graph.invoke(question, context=own)["answer"]
            return answer

        with cached(given), kept(given, asked) as rows, bar("trying") as progress:
            found, each = evaluate_robustness(
                tried, ask, critic, context.support, seed=given.seed, progress=progress, kept=rows
            )
    counts = Counter(trial.kind for trial in tried)
    rows_told = [["kind", "tried", *VERDICTS]]
    for name, own in found.items():
        rows_told.append([name, str(counts[name]), *(report.estimate(own[v]) for v in VERDICTS)])
    methods = {
        name: {verdict: own._asdict() for verdict, own in shares.items()}
        for name, shares in found.items()
    }
    measured = {"methods": methods, "configuration": {**asked, "tried": dict(counts)}}
    show(given, measured, f"{file}: {len(tried)} trials\n\n{report.table(rows_told)}", each)
    return 0
