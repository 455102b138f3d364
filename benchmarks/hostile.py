"""Attacks on a real server with capped memory: held or broke.

    python -m benchmarks.hostile [--index DIR] [--only NAME]

A server of its own in a folder of its own, with users, an identity provider, traces, a provider of
models on this machine, and 3 GB of address space (``prlimit``: Linux alone has it). Each attack is
a function in ``benchmarks/attacks``: on requests, on users and tokens, by models, by documents, and
by kills. ``--only`` makes those with this text in their names. Printed: a line an attack, held or
broke, and if it broke how. The exit status is 1 if any did.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from anamnesis.paths import default_index
from benchmarks.attacks import crashes, documents, models, requests, users
from benchmarks.attacks.world import MEMORY, Attack, BrokeError, World
from tests.listening import listening

# Those that kill the server are last: before them one process takes all the others.
ATTACKS: list[Attack] = [
    *requests.ATTACKS, *models.ATTACKS, *documents.ATTACKS, *users.ATTACKS, *crashes.ATTACKS,
]  # fmt: skip


def name_of(attack: Attack) -> str:
    """An attack's name as it is printed."""
    return getattr(attack, "__name__", "").replace("_", " ")


def outcome(attack: Attack, world: World) -> str | None:
    """How an attack broke what it is made on; None if that held.

    An error of the attack itself counts as well: what did not come to its end has shown nothing.
    """
    try:
        attack(world)
    except BrokeError as error:
        return str(error)
    except Exception as error:
        return f"the attack did not end: {type(error).__name__}: {error}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", default=str(default_index()))
    parser.add_argument("--only", metavar="NAME", default="", help="a part of an attack's name")
    given = parser.parse_args()
    chosen = [own for own in ATTACKS if given.only.replace("_", " ") in name_of(own)]
    if not chosen:
        parser.error(f"no attack has {given.only!r} in its name")
    index, broke = Path(given.index).absolute(), 0
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
                told = "held" if how is None else f"broke: {' '.join(how.split())[:400]}"
                print(f"{name_of(attack)}: {told} ({spent:.0f} s)", flush=True)
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
