"""The cost of the audit log and of checking tokens.

    python -m benchmarks.auditing [--number 1000] [--index DIR]

Printed, in milliseconds: a plain line flushed to disk, in a temporary folder; an entry of the log,
also flushed; the user of one of 100 tokens; and the user of a token (RS256, ES256) of an identity
provider. With an index also answers, with and without the log in turn.
"""

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from app.server.auditing import RunBegins
from app.users import oidc
from app.users.audit import Actor, object_name, record
from app.users.audit_check import verify
from app.users.identity import user_of
from app.users.tokens import add_token
from benchmarks.command_line import command_line
from benchmarks.questions import QUESTIONS
from graph import Context, build_graph


def measure(deed: Callable[[], object], number: int) -> str:
    taken = []
    for _ in range(number):
        start = time.perf_counter()
        deed()
        taken.append((time.perf_counter() - start) * 1000)
    least, p95 = min(taken), statistics.quantiles(taken, n=20)[18]
    return f"p50 {statistics.median(taken):.2f} ms, p95 {p95:.2f} ms, least {least:.2f} ms"


def line_on(path: Path) -> Callable[[], None]:
    """Adds a line of 300 bytes to a file and flushes it: the minimum cost of any log."""

    def add() -> None:
        with path.open("ab") as out:
            out.write(b"x" * 299 + b"\n")
            out.flush()
            os.fsync(out.fileno())

    return add


def bearers(folder: Path) -> dict[str, str]:
    """A token of a new identity provider per algorithm; the environment names the provider."""
    rs, es = rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())
    keys = [
        {**jwt.algorithms.RSAAlgorithm.to_jwk(rs.public_key(), as_dict=True), "kid": "RS256"},
        {**jwt.algorithms.ECAlgorithm.to_jwk(es.public_key(), as_dict=True), "kid": "ES256"},
    ]
    (folder / "jwks.json").write_text(json.dumps({"keys": keys}))
    os.environ |= {
        oidc.ISSUER: "https://login.example",
        oidc.AUDIENCE: "anamnesis",
        oidc.JWKS: str(folder / "jwks.json"),
    }
    claims = {
        "iss": "https://login.example", "aud": "anamnesis", "sub": "ann", "exp": time.time() + 3600,
    }  # fmt: skip
    return {
        name: jwt.encode(claims, key, name, headers={"kid": name})
        for name, key in (("RS256", rs), ("ES256", es))
    }


def answers(context: Context) -> None:
    """Ask each question with and without the log in turn; print the medians, and the differences'.

    The first round is not counted: models are loaded, and texts embedded.
    """
    recorded, plain = build_graph(before_step=RunBegins()), build_graph()
    taken: dict[str, list[float]] = {"recorded": [], "plain": []}
    for turn in range(6):
        for number, question in enumerate(QUESTIONS):
            both = [("recorded", recorded), ("plain", plain)]
            for name, graph in both[:: 1 if (turn + number) % 2 else -1]:
                start = time.perf_counter()
                graph.invoke({"question": question}, {"run_id": uuid4()}, context=context)
                if turn:
                    taken[name].append((time.perf_counter() - start) * 1000)
    for name, spent in taken.items():
        print(f"an answer, {name}: p50 {statistics.median(spent):.1f} ms of {len(spent)}")
    pairs = zip(taken["recorded"], taken["plain"], strict=True)
    least, half, most = statistics.quantiles([one - other for one, other in pairs], n=4)
    print(f"the difference: p50 {half:.2f} ms, quartiles {least:.2f} and {most:.2f} ms")


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("--number", type=int, default=1000)
    options.add_argument("--index", metavar="DIR")
    given = options.parse_args()
    number = given.number
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ANAMNESIS_HOME"] = folder
        ann, thread = (
            Actor("ann", "user"),
            object_name("thread", "0b7cbe0c-8a0e-4bde-a8bd-2b0c26ab2d3b"),
        )
        print("a line forced to the disk:", measure(line_on(Path(folder) / "lines"), number))
        print("an entry:", measure(lambda: record("read", thread, actor=ann), number))
        begun = time.perf_counter()
        report = verify()
        print(f"verify {report.entries} entries: {time.perf_counter() - begun:.2f} s")
        tokens = [add_token(f"user {count}") for count in range(100)]
        print("one of 100 tokens:", measure(lambda: user_of(tokens[50]), number))
        for name, bearer in bearers(Path(folder)).items():
            print(f"a JWT, {name}:", measure(lambda bearer=bearer: user_of(bearer), number))
        if given.index:
            answers(Context.model_validate({"index": given.index}))


if __name__ == "__main__":
    main()
