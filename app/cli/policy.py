"""The command that shows what callers of the server may choose."""

import argparse
from typing import Any

from anamnesis import SettingError


def add_command(commands: Any) -> None:
    """``anamnesis policy show | init``."""
    command = commands.add_parser(
        "policy",
        help="show what callers of the server may choose",
        description="The operator's policy: the settings of every run on the server, and those "
        "that a caller may choose. The command line and Python apply no policy.",
    )
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    show = kinds.add_parser("show", help="print the policy in force and its origin")
    show.set_defaults(run=_show)
    init = kinds.add_parser("init", help="write the default policy to a file for you to edit")
    init.set_defaults(run=_init)


def _show(given: argparse.Namespace) -> int:
    from nodes.policy import load_policy, policy_file

    policy, path = load_policy(), policy_file()
    print(f"{path}" if path.exists() else f"the default: there is no {path}")
    print(policy.model_dump_json(indent=2))
    return 0


def _init(given: argparse.Namespace) -> int:
    from nodes.policy import Policy, policy_file

    path = policy_file()
    text = Policy().model_dump_json(indent=2) + "\n"  # type: ignore[call-arg]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise SettingError(f"{path} already exists; edit it, or move it away first") from None
    except OSError as error:
        raise SettingError(f"{path} cannot be written ({error.strerror})") from error
    print(path)
    return 0
