"""A process that forks for each piece of code: what all of it imports is imported once.

``python -m tests.anamnesis.memory.forked IMPORTS`` reads pieces of code from standard input, one
JSON string a line, and writes the exit status of each.
"""

import json
import os
import sys
import traceback


def main() -> None:
    names: dict[str, object] = {}
    exec(sys.argv[1], names)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                exec(json.loads(line), names)
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
