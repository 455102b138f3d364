"""The command that checks an answer against documents, without the graph."""

import argparse
import json
from pathlib import Path
from typing import Any

from anamnesis import CorpusError, SettingError
from app.cli.streams import standard_input

_SIGNS = {"supported": "✓", "contradicted": "✗", "unsupported": "?", "unchecked": "–"}


def add_command(commands: Any) -> None:
    """Add ``check`` to the command line."""
    from anamnesis.corpus.loading import of_documents

    command = commands.add_parser(
        "check",
        help="check an answer against documents",
        description="Check every statement of an answer, whoever wrote it, against documents. The "
        "exit status is 0 if all are supported, otherwise 1.",
    )
    command.add_argument(
        "answer", metavar="ANSWER", help="the text of the answer; - reads it from standard input"
    )
    command.add_argument(
        "--document", metavar="FILE", action="append", required=True,
        help=f"a file of {', '.join(of_documents())}; [1] in the answer cites the first",
    )  # fmt: skip
    command.add_argument("--critic", metavar="REF", help="the model that checks (default: own)")
    command.add_argument("--json", action="store_true", help="print the statements as JSON")
    command.set_defaults(run=check)


def check(given: argparse.Namespace) -> int:
    """Print the answer's statements with their verdicts. Returns 0 if all are supported, else 1.

    Raises CorpusError if a file cannot be read, SettingError for an invalid critic.
    """
    from anamnesis.models.critic import DEFAULT_CRITIC
    from graph.checking import check as checked
    from graph.checking import loaded
    from nodes.checking.checks import describe_check

    answer = standard_input().read() if given.answer == "-" else given.answer
    if not answer.strip():
        raise SettingError("the answer is empty; give its text, or - for standard input")
    texts = [_text(Path(name)) for name in given.document]
    found = checked(answer, texts, loaded(given.critic or DEFAULT_CRITIC))
    if given.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
        return 0 if found["supported"] else 1
    for item in found["statements"]:
        print(f"{_SIGNS[item['verdict']]} {item['verdict']}: {item['text']}")
        for name, place in (("source", item["evidence"]), ("against", item["conflict"])):
            if place:
                number = int(place["document"])
                quotation = " ".join(texts[number - 1][place["start"] : place["end"]].split())
                print(f"   {name} {Path(given.document[number - 1]).name}: {quotation}")
        for failed in item["failed"]:
            print(f"   {describe_check(failed)}")
    if not found["statements"]:
        print("the answer contains no statement")
    return 0 if found["supported"] else 1


def _text(path: Path) -> str:
    """The text of a file, read by the loader of its suffix; without one, as plain text."""
    from anamnesis.corpus.loading import of_documents, read

    ending = path.suffix.lower()
    kind = next(
        (name for name, loader in of_documents().items() if ending in loader.suffixes), "text"
    )
    text = "\n\n".join(record.text for record in read(kind, [path]))
    if not text:
        raise CorpusError(f"{path} contains no text to check an answer against; give another file")
    return text
