"""The tables of the docs that are made from the tables of the code.

    python -m benchmarks.doc_tables

Writes the rows of each, below its header: formats, checks, settings, presets and limits.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from anamnesis.corpus.loading import FORMATS
from anamnesis.limits import Limits
from benchmarks.command_line import command_line
from evaluation.results import put
from nodes.checking.checks import CHECKS
from nodes.settings.context import Context
from nodes.settings.names import description, fields
from nodes.settings.presets import PRESETS, PUBLISHED

DOCS = Path(__file__).parents[1] / "docs"


def _formats() -> Iterator[tuple[str, ...]]:
    for name, item in FORMATS.items():
        yield f"`{name}`", item.about


def _checks() -> Iterator[tuple[str, ...]]:
    for code, item in CHECKS.items():
        yield f"`{code}`", item.message


def _settings() -> Iterator[tuple[str, ...]]:
    for name, field in fields(Context).items():
        yield f"`{name}`", f"`{json.dumps(field.default)}`", description(field)


def _overrides(settings: Mapping[str, object]) -> str:
    return ", ".join(f"`{name}` {json.dumps(value)}" for name, value in settings.items())


def _presets() -> Iterator[tuple[str, ...]]:
    yield "`default`", "the settings above"
    yield "all others", _overrides(PUBLISHED)
    for name, settings in PRESETS.items():
        if name != "default":
            changed = [item for item in settings.items() if item not in PUBLISHED.items()]
            yield f"`{name}`", _overrides(dict(changed))


def _limits() -> Iterator[tuple[str, ...]]:
    for name, field in Limits.model_fields.items():
        yield f"`{name.upper()}`", str(field.default), field.description or ""


TABLES: Mapping[str, Mapping[Sequence[str], Callable[[], Iterator[tuple[str, ...]]]]] = {
    "answers.md": {("code", "fails if"): _checks},
    "corpus.md": {("format", "what it reads"): _formats},
    "settings.md": {
        ("setting", "default", "meaning"): _settings,
        ("preset", "overrides"): _presets,
        ("`ANAMNESIS_LIMIT_…`", "default", "meaning"): _limits,
    },
}
"""By page and header: what the rows of the table are made from."""


def with_tables(page: str, text: str) -> str:
    """The text of a page with the rows of its tables as the code has them.

    Raises ValueError if the page lacks one of its tables.
    """
    for header, rows in TABLES[page].items():
        head = f"\n{_row(header)}\n{'|---' * len(header)}|\n"
        before, found, after = text.partition(head)
        if not found:
            raise ValueError(f"{page} has no table with the header {_row(header)}")
        _, blank, rest = after.partition("\n\n")
        text = f"{before}{head}" + "\n".join(map(_row, rows())) + (f"\n\n{rest}" if blank else "\n")
    return text


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    command_line(__doc__).parse_args(arguments)
    for page in TABLES:
        put(DOCS / page, with_tables(page, (DOCS / page).read_text("utf-8")))


if __name__ == "__main__":
    main()
