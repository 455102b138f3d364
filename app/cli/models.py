"""The command that serves the models to other machines, and shows what a server offers."""

import argparse
import json
import logging
import os
import sys
from typing import Any

from anamnesis import SettingError

_TOKEN = "ANAMNESIS_MODELS_TOKEN"


def add_command(commands: Any) -> None:
    """``anamnesis models serve | probe``."""
    command = commands.add_parser(
        "models", help="serve models over HTTP, or examine a model server"
    )
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    serve = kinds.add_parser(
        "serve",
        help="serve an embedder, a reranker and a critic",
        description="Serves models through the APIs openai, tei and cohere (docs/models.md). "
        f"{_TOKEN} in the environment is the token that requests must send.",
    )
    serve.add_argument("--host", default="127.0.0.1", help="address (default: 127.0.0.1)")
    serve.add_argument("--port", type=int, default=8080, help="port (default: 8080; 0: any free)")
    for name, default in (("embedder", "all-MiniLM-L6-v2"), ("reranker", "own"), ("critic", "own")):
        serve.add_argument(
            f"--{name}", metavar="REF", help=f"{name}, or 'none' (default: {default})"
        )
    serve.set_defaults(run=_serve)
    probe = kinds.add_parser("probe", help="list what a model server offers")
    probe.add_argument("address", metavar="REF", help="such as http://HOST:8080?api=tei")
    probe.add_argument("--json", action="store_true", help="print it as JSON")
    probe.set_defaults(run=_probe)


def _serve(given: argparse.Namespace) -> int:
    try:
        import uvicorn

        from app.serving.routes import application
    except ModuleNotFoundError as error:
        raise SettingError(
            f"anamnesis models serve needs the package {error.name}: pip install "
            "'anamnesis[server,web]'"
        ) from error
    from anamnesis.models.onnx_runtime import on_gpu
    from app.listening import listen
    from app.serving.models import Names, Served

    token = os.environ.get(_TOKEN)
    if token is not None and not token.strip():
        raise SettingError(f"{_TOKEN} is empty; set it to a token, or remove the variable")
    if token is None and given.host not in ("127.0.0.1", "localhost", "::1"):
        raise SettingError(
            f"--host {given.host}: other machines can reach this server; set {_TOKEN} to a token "
            "that requests must send"
        )
    named = {
        name: None if reference == "none" else reference
        for name in ("embedder", "reranker", "critic")
        if (reference := getattr(given, name)) is not None
    }
    names = Names(**named)
    if names == Names(None, None, None):
        raise SettingError("there is no model to serve; name at least one")
    logging.basicConfig(level=logging.WARNING)
    listening = listen(given.host, given.port)
    served = Served(names)
    app = application(served, token)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    shown = f"[{given.host}]" if ":" in given.host else given.host
    print(f"http://{shown}:{listening.getsockname()[1]}?api=tei", flush=True)
    print(f"The models compute on {'a GPU' if on_gpu() else 'the processor'}.", file=sys.stderr)
    try:
        uvicorn.Server(config).run([listening])
    finally:
        served.close()
    return 0


def _probe(given: argparse.Namespace) -> int:
    from anamnesis.models.reference import SERVED, parse
    from anamnesis.models.remote_probing import capabilities

    reference = parse(given.address)
    if reference.scheme not in SERVED:
        raise SettingError(f"{given.address!r} is not an address; write http://HOST:PORT?api=tei")
    found = capabilities(reference)
    if given.json:
        print(json.dumps({name: item.text for name, item in found.items()}, indent=2))
    else:
        for name, item in found.items():
            print(f"{name}: {item.text}")
    return 0 if any(item.usable for item in found.values()) else 1
