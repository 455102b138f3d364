"""The options of a run of the graph, and the settings that they make."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from anamnesis import SettingError


def context_of(given: argparse.Namespace) -> dict[str, Any]:
    """The run's settings from the options of ``ask``, ``chat`` and ``trace ask``.

    Raises ``SettingError`` if a setting is unknown or its value is wrong.
    """
    chosen: dict[str, Any] = {"preset": given.preset}
    for name, value in (
        ("index", given.index and str(Path(given.index).absolute())),
        ("generator", given.model),
        ("critic", given.critic),
        ("reranker", given.reranker),
    ):
        if value is not None:
            chosen[name] = None if value == "none" else value
    chosen |= {name: own for name in ("user", "remember") if (own := getattr(given, name, None))}
    if getattr(given, "stream", False):
        chosen["stream_statements"] = True
    return settings_of(given.set, chosen)


def settings_of(pairs: Sequence[str], base: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of ``base`` with those that ``--set`` gives.

    Raises ``SettingError`` if a setting is unknown or its value is wrong.
    """
    from pydantic import ValidationError

    from nodes.context import Context

    chosen = dict(base)
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise SettingError(f"--set takes KEY=VALUE, not {pair!r}")
        try:
            chosen[key] = json.loads(value)
        except ValueError:
            chosen[key] = value
    try:
        Context(**chosen)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'settings'}: {item['msg']}"
            for item in error.errors()
        )
        raise SettingError(
            f"wrong setting: {wrong}. Settings are {', '.join(Context.model_fields)}"
        ) from error
    return chosen


def run_options(
    command: argparse.ArgumentParser, index: str = "index folder (default: in ANAMNESIS_HOME)"
) -> None:
    """Add the options that ``context_of`` reads; ``index`` says what ``--index`` is for."""
    from nodes.presets import Preset

    command.add_argument("--preset", choices=get_args(Preset), default="default")
    command.add_argument("--index", metavar="DIR", help=index)
    command.add_argument(
        "--model", metavar="REF", help="chat model, such as ollama:llama3.1; default: extractive"
    )
    command.add_argument("--critic", metavar="REF", help="critic, or 'none'")
    command.add_argument("--reranker", metavar="REF", help="reranker, or 'none'")
    command.add_argument(
        "--stream", action="store_true", help="show each statement as soon as it is checked"
    )
    command.add_argument("--user", metavar="USER", help="whose memories are recalled")
    command.add_argument("--remember", action="store_true", help="keep this exchange for the user")
    command.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="any other setting"
    )
