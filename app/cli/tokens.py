"""The command that manages tokens for the server."""

import argparse
from typing import Any

from anamnesis import SettingError
from app.run_options import several, with_default


def add_command(commands: Any) -> None:
    """``anamnesis token add | list | rotate | revoke``."""
    command = commands.add_parser(
        "token",
        help="manage who may use the server",
        description="Once a token exists, the server refuses requests without one.",
    )
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    add = kinds.add_parser("add", help="create a token; it is shown only once")
    add.add_argument("user", metavar="USER")
    attribute = "such as department=lungs; decides which experts' notes the user sees"
    several(add, "--attribute", "NAME=VALUE", attribute)
    several(add, "--group", "NAME", "access group: the user may read its documents")
    add.add_argument(
        "--role",
        choices=("asker", "expert", "operator"),
        default="asker",
        help="what the user may do (default: asker; see docs/identity.md)",
    )
    add.set_defaults(run=_add)
    kinds.add_parser("list", help="list the tokens and their users").set_defaults(run=_list)
    rotate = kinds.add_parser("rotate", help="create a token to replace another; it is shown once")
    rotate.add_argument("user", metavar="USER")
    rotate.add_argument("id", metavar="ID", help="id of the token, as shown by 'list'")
    rotate.add_argument(
        "--grace-hours",
        type=float,
        default=24.0,
        metavar="N",
        help="hours for which the old token stays valid (default: 24)",
    )
    rotate.set_defaults(run=_rotate)
    for kind in (add, rotate):
        with_default(kind, "--days", "N", 90, "days for which the token is valid")
    revoke = kinds.add_parser("revoke", help="revoke a user's tokens, or one of them")
    revoke.add_argument("user", metavar="USER")
    revoke.add_argument("id", metavar="ID", nargs="?", help="id of the token (default: all)")
    revoke.set_defaults(run=_revoke)


def _add(given: argparse.Namespace) -> int:
    from app.users.tokens import add_token

    pairs = [pair.partition("=") for pair in given.attribute]
    for name, equals, value in pairs:
        if not (equals and value):
            raise SettingError(f"--attribute takes NAME=VALUE, not {name + equals!r}")
    attributes = {name: value for name, _, value in pairs}
    kind = {"days": given.days, "role": given.role, "groups": given.group}
    print(add_token(given.user, attributes, **kind))
    return 0


def _rotate(given: argparse.Namespace) -> int:
    from app.users.tokens import rotate

    print(rotate(given.user, given.id, days=given.days, grace_hours=given.grace_hours))
    return 0


def _list(given: argparse.Namespace) -> int:
    from app.users.tokens import read_tokens, tokens_file

    found = read_tokens()
    for token in found:
        more = [*token.attributes.items(), *(("group", group) for group in token.groups)]
        attributes = "".join(f"  {name}={value}" for name, value in more)
        until = f"until {token.expires:%Y-%m-%d}" if token.expires else "without expiry: rotate it"
        until = "expired" if token.expired else until
        print(f"{token.id}  {token.created}  {until}  {token.role}  {token.user}{attributes}")
    if not found:
        closed = tokens_file().exists()
        print(f"no tokens: the server answers {'nobody' if closed else 'everybody'}")
    return 0 if found else 1


def _revoke(given: argparse.Namespace) -> int:
    from app.users.tokens import revoke

    print(f"{revoke(given.user, given.id)} revoked")
    return 0
