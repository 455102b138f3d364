"""The command that measures which memories are recalled."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from anamnesis import SettingError
from anamnesis.memory.choosing import adaptive, choose_memories
from anamnesis.memory.matching import ALL, NEAREST
from anamnesis.memory.record import Memory
from anamnesis.memory.scores import RANKINGS, Ranking
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import Embedder, load_embedder
from app.evaluate.common import configuration, file_digest, running, show
from evaluation import report, significance
from evaluation.conversations import Conversation, read_conversations
from evaluation.memory import CUTS, Keeper, Recaller, evaluate_memory, exchanges
from nodes.settings.context import Context

_DAY = timedelta(days=1)


def memory(given: argparse.Namespace) -> int:
    """Store conversations as memories, and ask about them."""
    file = Path(given.conversations)
    read = read_conversations(file)
    if not 0 <= given.skip < len(read):
        raise SettingError(f"--skip takes a number from 0 to {len(read) - 1}, not {given.skip}")
    used = read[given.skip :]
    methods = recall_variants(Context.model_validate({}))
    embedder = load_embedder()
    setup = {
        **configuration(given, significance.MEAN_RESAMPLES),
        "permutations": significance.PERMUTATIONS,
        "conversations": {**file_digest(file), "used": [item.id for item in used]},
        "memories": sum(len(item.turns) for item in used),
        "questions": sum(len(item.questions) for item in used),
        "excluded": sum(item.excluded for item in used),
        "unanswerable": sum(item.unanswerable for item in used),
        "embedder": {"reference": embedder.reference, "fingerprint": embedder.fingerprint},
        "methods": {name: way._asdict() for name, way in methods.items()},
    }
    with running(given, setup, "asking") as execution, _keeper(embedder, methods) as keep:
        result = evaluate_memory(used, keep, embedder.count_tokens, execution)
    text = f"{file}: {report.memory_text(result)}"
    show(given, {**result.to_json(), "configuration": setup}, text, result.rows)
    return 0


class RecallVariant(NamedTuple):
    """How memories are found: ranking, weight of words, minimum similarity (None: any)."""

    ranking: Ranking
    words: float
    threshold: float | Literal["adaptive"] | None = None


def recall_variants(context: Context) -> dict[str, RecallVariant]:
    """The variants that are compared; the last has the settings, without their threshold."""
    by_mrs = {f"MRS {name}": RecallVariant(name, 0) for name in RANKINGS if name != "similarity"}
    current = RecallVariant(context.memory.ranking, context.memory.lexical_weight)
    papers = Context.model_validate({"preset": "hybrid-memory"})
    return {
        "cosine": RecallVariant("similarity", 0),
        **by_mrs,
        "cosine and words": RecallVariant("similarity", context.memory.lexical_weight),
        "cosine, threshold": RecallVariant("similarity", 0, papers.memory.threshold),
        "anamnesis, threshold": current._replace(threshold=context.memory.threshold),
        "anamnesis, adaptive": current._replace(threshold="adaptive"),
        "anamnesis": current,
    }


@contextmanager
def _keeper(embedder: Embedder, methods: Mapping[str, RecallVariant]) -> Iterator[Keeper]:
    """Stores conversations in a temporary folder, each as the memories of one user."""
    with TemporaryDirectory(prefix="anamnesis-") as folder:
        store = Memories(Path(folder), embedder)

        def keep(conversation: Conversation, texts: Sequence[str]) -> dict[str, Recaller]:
            made = [
                Memory.make(
                    owner=conversation.id, kind="exchange", text=text, created=turns[-1].when
                )
                for text, (_, turns) in zip(texts, exchanges(conversation), strict=True)
            ]
            store.add(conversation.id, made)
            places = {item.id: place for place, item in enumerate(made)}
            return {
                name: _recaller(store, conversation, places, way) for name, way in methods.items()
            }

        yield keep


def _recaller(
    store: Memories, conversation: Conversation, places: Mapping[str, int], way: RecallVariant
) -> Recaller:
    now = conversation.turns[-1].when + _DAY

    def recall(question: str) -> list[int]:
        n = ALL if way.threshold == "adaptive" else NEAREST
        found = store.nearest(
            conversation.id, question, ["exchange"], n=n, lexical_weight=way.words
        )
        threshold = -1.0 if way.threshold is None else way.threshold
        if isinstance(threshold, str):
            threshold = adaptive([one.closeness for one in found])
        chosen = choose_memories(
            found, now, weights=RANKINGS[way.ranking], threshold=threshold, exchanges=max(CUTS)
        )
        best = sorted(chosen, key=lambda one: -one.score.mrs)
        return [places[one.found.memory.id] for one in best]

    return recall
