"""Attacks on a real server with limited memory: held or broke.

    python -m benchmarks.hostile [--index DIR] [--only NAME]

The server runs in a separate folder, with users, an identity provider, traces, a provider of models
on this machine, and 3 GB of address space (``prlimit``, Linux only). Each attack is a function in
``benchmarks/attacks``: on requests, on users and tokens, by models, by documents, and by kills.
``--only`` selects those whose names contain this text. Printed: one line per attack, held or broke,
and how it broke. The exit status is 1 if any did.
"""

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.attacks import crashes, documents, models, requests, users
from benchmarks.attacks.world import MEMORY, Attack, BrokeError, World
from benchmarks.command_line import command_line
from tests.listening import listening

# Those that kill the server come last: before them one process has to survive all others.
ATTACKS: list[Attack] = [
    *requests.ATTACKS, *models.ATTACKS, *documents.ATTACKS, *users.ATTACKS, *crashes.ATTACKS,
]  # fmt: skip


def name_of(attack: Attack) -> str:
    """The name of an attack for printing."""
    return getattr(attack, "__name__", "").replace("_", " ")


def outcome(attack: Attack, world: World) -> str | None:
    """How an attack succeeded; None if the server held.

    An error of the attack itself also counts: an unfinished attack proves nothing.
    """
    try:
        attack(world)
    except BrokeError as error:
        return str(error)
    except Exception as error:
        return f"the attack did not end: {type(error).__name__}: {error}"
    return None


def main() -> None:
    parser = command_line(__doc__, "index")
    parser.add_argument("--only", metavar="NAME", default="", help="a part of an attack's name")
    given = parser.parse_args()
    chosen = [item for item in ATTACKS if given.only.replace("_", " ") in name_of(item)]
    if not chosen:
        parser.error(f"no attack has {given.only!r} in its name")
    index, broke = given.index.absolute(), 0
    with tempfile.TemporaryDirectory() as folder, listening() as listener:
        world = World(Path(folder) / "home", index, listener)
        begun = time.monotonic()
        try:
            # The first question loads the models.
            world.others_are_answered(120)
            for attack in chosen:
                start = time.monotonic()
                how = outcome(attack, world)
                broke += how is not None
                spent = time.monotonic() - start
                result = "held" if how is None else f"broke: {' '.join(how.split())[:400]}"
                print(f"{name_of(attack)}: {result} ({spent:.0f} s)", flush=True)
            peak = requests.memory(world)
        finally:
            world.server.stop()
    print(
        f"{len(chosen) - broke} of {len(chosen)} held in {time.monotonic() - begun:.0f} s; the "
        f"server held {peak} MB of memory at most, and had {MEMORY // 1024**3} GB of addresses"
    )
    sys.exit(bool(broke))


if __name__ == "__main__":
    main()
