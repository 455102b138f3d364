"""The options of a run of the graph, and the settings that result from them."""

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anamnesis import SettingError
from anamnesis.address import is_address
from anamnesis.paths import INDEX

INDEX_HELP = (
    "index folder, or address of a server (default: ANAMNESIS_INDEX, or a folder in ANAMNESIS_HOME)"
)


@contextmanager
def operators_index(given: argparse.Namespace) -> Iterator[None]:
    """If ``--index`` is an address, make it the operator's setting while the command runs.

    It is then not among the recorded settings of runs. A command with a separate index
    (``builds_index``) keeps it.
    """
    named = getattr(given, "index", None)
    kept = getattr(given, "builds_index", False)
    if kept or not (isinstance(named, str) and is_address(named)):
        yield
        return
    before = os.environ.get(INDEX)
    os.environ[INDEX], given.index = named, None
    try:
        yield
    finally:
        del os.environ[INDEX]
        if before is not None:
            os.environ[INDEX] = before


def context_of(given: argparse.Namespace) -> dict[str, Any]:
    """The run's settings from the options of ``ask``, ``chat`` and ``trace ask``.

    Raises ``SettingError`` if a setting is unknown or its value is wrong.
    """
    chosen: dict[str, Any] = {"preset": given.preset}
    for name, value in (
        ("index", given.index and str(Path(given.index).absolute())),
        ("generator.model", given.model),
        ("verification.critic", given.critic),
        ("retrieval.reranker", given.reranker),
    ):
        if value is not None:
            chosen[name] = None if value == "none" else value
    for name, option in (
        ("user", "user"),
        ("memory.consent", "remember"),
        ("generator.stream_statements", "stream"),
    ):
        if chosen_value := getattr(given, option, None):
            chosen[name] = chosen_value
    return settings_of(given.set, chosen)


def context_of_user(given: argparse.Namespace) -> dict[str, Any]:
    """``context_of`` for a command whose user is named by an option.

    Also raises SettingError if an exchange is to be stored, but nobody is named to store it for.
    """
    chosen = context_of(given)
    if given.remember and not chosen.get("user"):
        raise SettingError("--remember stores the exchange for a user; name one with --user USER")
    return chosen


def settings_of(pairs: Sequence[str], base: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of ``base`` with those of ``--set`` added, by name.

    Raises ``SettingError`` if a setting is unknown or its value is wrong.
    """
    from nodes.settings.context import Context, context_from
    from nodes.settings.names import flat

    chosen = dict(base)
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise SettingError(f"--set takes KEY=VALUE, not {pair!r}")
        try:
            chosen[key] = json.loads(value)
        except ValueError:
            chosen[key] = value
    context_from(chosen)
    return dict(flat(chosen, Context))


def several(command: Any, name: str, metavar: str, help: str) -> None:
    """Add an option that may be given several times."""
    command.add_argument(name, metavar=metavar, action="append", default=[], help=help)


def with_default(command: Any, name: str, metavar: str, value: float | str, help: str) -> None:
    """Add an option of the type of its default value, which the help states."""
    help = f"{help} (default: {value})"
    command.add_argument(name, metavar=metavar, type=type(value), default=value, help=help)


def full_id(ids: Iterable[str], start: str, what: str) -> str:
    """The id that begins with ``start``; ``start`` if none does. SettingError if several do."""
    found = [item for item in ids if start and item.startswith(start)]
    if len(found) > 1:
        raise SettingError(f"{len(found)} {what} have ids that begin with {start!r}; type more")
    return found[0] if found else start


def pairs_of(given: Sequence[str], option: str, form: str) -> dict[str, str]:
    """The values of an option by name. Raises SettingError if one is not of the form NAME=VALUE."""
    found = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not (name and equals and value):
            raise SettingError(f"{option} takes {form}, not {pair!r}")
        found[name] = value
    return found


def run_options(command: argparse.ArgumentParser, index: str = INDEX_HELP) -> None:
    """Add the options that ``context_of`` reads; ``index`` is the help of ``--index``."""
    from nodes.settings.presets import PRESETS

    command.add_argument("--preset", choices=tuple(PRESETS), default="default")
    command.add_argument("--index", metavar="DIR", help=index)
    command.add_argument(
        "--model", metavar="REF", help="chat model, such as ollama:llama3.1; default: extractive"
    )
    command.add_argument("--critic", metavar="REF", help="critic, or 'none'")
    command.add_argument("--reranker", metavar="REF", help="reranker, or 'none'")
    command.add_argument(
        "--stream", action="store_true", help="show each statement as soon as it is checked"
    )
    command.add_argument("--user", metavar="USER", help="user whose memories are recalled")
    command.add_argument("--remember", action="store_true", help="store this exchange for the user")
    several(command, "--set", "KEY=VALUE", "any other setting")
