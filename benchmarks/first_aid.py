"""How often an emergency gets the page on first aid that fits it.

    python -m benchmarks.first_aid --data FOLDER

For the held-out messages of ``training.first_aid`` and for the emergencies of the three sets of
messages in this folder, whose pages one more reader named (``first_aid_pages.tsv``): of how many
messages, for how many some page fits, for how many one is shown at each threshold, and how often it
is the right one. Then, of the messages of this folder that are no emergency: how many are taken for
a possible one, and for how many of these the steps of a page are the answer
(``nodes.question.triage.with_first_aid``), each of which is printed with its page.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from anamnesis.models.first_aid_pages import NO_PAGE, page_probabilities
from anamnesis.models.reader import OwnReader
from anamnesis.models.reranker import load_reranker
from benchmarks.command_line import command_line
from evaluation.urgency import read_messages
from nodes.question.triage import is_answered_by_first_aid, triage, with_first_aid
from training import urgent
from training.first_aid import LABELS, digest, labelled, labels

_FOLDER = Path(__file__).parent
_SETS = ("short_messages.jsonl", "further_messages.jsonl", "amount_messages.jsonl")
_EVERYDAY = "everyday_messages.jsonl"
_THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def measured(found: Sequence[tuple[Mapping[str, float], str]], least: float) -> str:
    """How many messages get a page, how often it is the right one, and for how many there is one.

    ``found`` are the probabilities of the pages, and the right page, of each message.
    """
    fitting = sum(page != NO_PAGE for _, page in found)
    shown = right = 0
    for chances, page in found:
        best = max((name for name in chances if name != NO_PAGE), key=lambda name: chances[name])
        if chances[best] >= least:
            shown += 1
            right += best == page
    return f"{len(found)} messages, {fitting} with a page: shown for {shown}, the right one {right}"


def lines(data: Path) -> Iterator[str]:
    """What is printed."""
    pages = labels(_FOLDER / LABELS.name)
    texts = {text: page for text, page in labelled(data).items() if urgent.is_dev(text)}
    others = dict.fromkeys(item.text for name in _SETS for item in read_messages(_FOLDER / name))
    for name, wanted in (
        ("held out", texts),
        ("other writers", {t: pages[digest(t)] for t in others if digest(t) in pages}),
    ):
        found = [(page_probabilities(text), page) for text, page in wanted.items()]
        for least in _THRESHOLDS:
            yield f"{name}, from {least}: {measured(found, least)}"


def calm() -> Iterator[str]:
    """What is printed of messages that are no emergency."""
    reader = load_reranker("own")
    assert isinstance(reader, OwnReader)
    rows = [item for name in (*_SETS, _EVERYDAY) for item in read_messages(_FOLDER / name)]
    texts = [item.text for item in rows if item.level != "emergency"]
    found = [(text, triage(text, reader.triage)) for text in texts]
    possible = [(text, urgent) for text, urgent in found if urgent.get("possible")]
    answered = [
        (text, after["first_aid"])
        for text, urgent in possible
        if is_answered_by_first_aid(after := with_first_aid(text, urgent))
    ]
    yield (
        f"{len(texts)} messages are no emergency: {len(possible)} are taken for a possible one, "
        f"{len(answered)} of these are answered by first aid"
    )
    for text, page in answered:
        yield f"  {page}: {' '.join(text.split())}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = command_line(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    for line in chain(lines(parser.parse_args(arguments).data), calm()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
