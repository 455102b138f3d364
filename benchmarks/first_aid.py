"""How often an emergency gets the page on first aid that fits it.

    python -m benchmarks.first_aid --data FOLDER

For the held-out messages of ``training.first_aid`` and for the emergencies of the three sets of
messages in this folder, whose pages one more reader named (``first_aid_pages.tsv``): of how many
messages, for how many some page fits, for how many one is shown at each threshold, and how often it
is the right one.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from anamnesis.models.first_aid_pages import NO_PAGE, page_probabilities
from benchmarks.command_line import command_line
from evaluation.urgency import read_messages
from nodes.writing.first_aid import LEAST
from training import urgent
from training.first_aid import LABELS, digest, labelled, labels

_FOLDER = Path(__file__).parent
_SETS = ("short_messages.jsonl", "further_messages.jsonl", "amount_messages.jsonl")
_THRESHOLDS = (0.3, 0.4, LEAST, 0.6, 0.7)


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
    own = {text: page for text, page in labelled(data).items() if urgent.is_dev(text)}
    others = dict.fromkeys(item.text for name in _SETS for item in read_messages(_FOLDER / name))
    for name, wanted in (
        ("held out", own),
        ("other writers", {t: pages[digest(t)] for t in others if digest(t) in pages}),
    ):
        found = [(page_probabilities(text), page) for text, page in wanted.items()]
        for least in _THRESHOLDS:
            yield f"{name}, from {least}: {measured(found, least)}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = command_line(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    for line in lines(parser.parse_args(arguments).data):
        print(line, flush=True)


if __name__ == "__main__":
    main()
