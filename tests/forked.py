"""Processes that are forked from one that has imported what all of them need.

``python -m tests.forked IMPORTS`` reads pieces of code from standard input, one JSON string a line,
runs each in a process of its own, and writes its exit status and its output, one JSON list a line.
"""

import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Ended(NamedTuple):
    """The exit status of a process (negative: the signal that ended it), and all it has written."""

    status: int
    output: str


@contextmanager
def forking(imports: str, **environment: str) -> Iterator[Callable[[str], Ended]]:
    """A function that runs code in a process of its own, which has these imports already."""
    command = [sys.executable, "-m", "tests.forked", imports]
    given = {**os.environ, **environment}
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=given, text=True
    ) as process:
        sent, received = process.stdin, process.stdout
        assert sent
        assert received

        def run(code: str) -> Ended:
            print(json.dumps(code), file=sent, flush=True)
            return Ended(*json.loads(received.readline()))

        yield run
        sent.close()


def main() -> None:
    """Fork for each line of standard input."""
    names: dict[str, object] = {}
    exec(sys.argv[1], names)
    for line in sys.stdin:
        with tempfile.TemporaryFile() as written:
            if not (child := os.fork()):
                os.dup2(written.fileno(), 1)
                os.dup2(written.fileno(), 2)
                status = 1
                try:
                    exec(json.loads(line), names)
                    status = 0
                except BaseException:
                    traceback.print_exc()
                finally:
                    sys.stdout.flush()
                    os._exit(status)
            _, status = os.waitpid(child, 0)
            written.seek(0)
            output = written.read().decode("utf-8", "replace")
        print(json.dumps([os.waitstatus_to_exitcode(status), output]), flush=True)


if __name__ == "__main__":
    main()
