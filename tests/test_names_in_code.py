"""Names in code say what a thing is."""

import ast

from tests.test_house import FILES, ROOT

VAGUE = {"told", "own", "heard", "beside", "borne", "leans"}
FLAGGED = {
    "training/replies.py",
    "training/second_critic.py",
    "training/distil/pack.py",
    "benchmarks/checks.py",
    "benchmarks/readings.py",
}
"""Files with ``own``, the flag that chooses the project's own replies."""


def test_names_say_what_a_thing_is() -> None:
    for path in [*FILES, *(ROOT / "tests").rglob("*.py")]:
        names = {
            name.strip("_")
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            for field in ("id", "arg", "name", "attr")
            if isinstance(name := getattr(node, field, None), str)
        }
        allowed = {"own"} if str(path.relative_to(ROOT)) in FLAGGED else set()
        assert not names & VAGUE - allowed, path
