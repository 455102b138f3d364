"""The command line: ``anamnesis index | ask | chat | retrieve | memory | trace | token | …``.

Each command imports what it needs when it runs, so ``--help`` and short commands start quickly.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

# Telemetry of all dependencies is off unless the user turns it on.
for _name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "ANONYMIZED_TELEMETRY"):
    os.environ.setdefault(_name, "false")

# E402: imported after the environment is set, on purpose.
from anamnesis import AnamnesisError, SettingError  # noqa: E402
from anamnesis.language.text import well_formed  # noqa: E402
from app.cli.audit import add_command as audit  # noqa: E402
from app.cli.check import add_command as check  # noqa: E402
from app.cli.experts import add_command as experts  # noqa: E402
from app.cli.index_options import add_command as index  # noqa: E402
from app.cli.memory import add_command as memory  # noqa: E402
from app.cli.models import add_command as models  # noqa: E402
from app.cli.policy import add_command as policy  # noqa: E402
from app.cli.reproduce import add_command as reproduce  # noqa: E402
from app.cli.review import add_command as review  # noqa: E402
from app.cli.streams import FULL, print_any_text  # noqa: E402
from app.cli.tokens import add_command as token  # noqa: E402
from app.evaluate.protocols import evaluate, report  # noqa: E402
from app.run_options import (  # noqa: E402
    INDEX_HELP,
    context_of,
    context_of_user,
    operators_index,
    run_options,
    settings_of,
    several,
)
from retrievers.methods import FURTHER, HYBRID, RETRIEVERS  # noqa: E402

if TYPE_CHECKING:
    from nodes.state import Input


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit status: 0 done, 1 no answer, 2 an error."""
    print_any_text()
    given = parser().parse_args(arguments)
    try:
        with operators_index(given):
            status = int(given.run(given))
        if sys.stdout is not None:
            sys.stdout.flush()  # fails here, not after the exit status is decided
        return status
    except AnamnesisError as error:
        print(f"anamnesis: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The program that reads the pipe (head, a pager) has closed it.
        sys.stderr.close()
        return 0
    except OSError as error:
        if error.errno not in FULL:
            raise
        print(f"anamnesis: {error.strerror}; make room and repeat the command", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("anamnesis: interrupted", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = argparse.ArgumentParser(
        prog="anamnesis",
        description="Answers medical questions with cited statements, each checked against its "
        "source. Not a substitute for professional advice.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        index,
        _ask,
        _chat,
        _retrieve,
        check,
        review,
        memory,
        experts,
        _trace,
        _web,
        evaluate,
        report,
        reproduce,
        token,
        policy,
        audit,
        models,
    ):
        add(commands)
    top.set_defaults(parse=top.parse_args)  # for `evaluate all`, which runs other commands
    return top


def _question(command: argparse.ArgumentParser) -> None:
    command.add_argument("question", type=well_formed)
    command.add_argument(
        "--option",
        type=well_formed,
        action="append",
        default=[],
        metavar="TEXT",
        help="an option of a multiple-choice question; yes and no make it a yes/no question",
    )


def input_of(given: argparse.Namespace) -> "Input":
    """The graph's input: the question, with its options if there are any."""
    if given.option:
        return {"question": given.question, "options": given.option}
    return {"question": given.question}


def _ask(commands: Any) -> None:
    command = commands.add_parser("ask", help="ask one question")
    _question(command)
    run_options(command)
    command.add_argument(
        "--json", action="store_true", help="print all fields of the answer as JSON"
    )
    command.add_argument(
        "--trace", action="store_true", help="record the run's steps, including what you wrote"
    )

    def run(given: argparse.Namespace) -> int:
        from app.cli.ask import ask

        asked = input_of(given)
        return ask(asked, context_of_user(given), as_json=given.json, recorded=given.trace)

    command.set_defaults(run=run)


def _chat(commands: Any) -> None:
    command = commands.add_parser("chat", help="ask questions in a conversation")
    run_options(command)

    def run(given: argparse.Namespace) -> int:
        from app.cli.ask import chat

        return chat(context_of_user(given))

    command.set_defaults(run=run)


def _retrieve(commands: Any) -> None:
    command = commands.add_parser("retrieve", help="list the passages found for a question")
    command.add_argument("question")
    ways = {name: item.about for name, item in RETRIEVERS.items()}
    ways |= {name: item.about for name, item in FURTHER.items()}
    about = "; ".join(f"{name}: {text}" for name, text in ways.items())
    command.add_argument("--method", choices=ways, default=HYBRID, help=about)
    command.add_argument("--k", type=int, default=10, help="number of passages (default: 10)")
    command.add_argument("--index", metavar="DIR", help=INDEX_HELP)
    command.add_argument("--reranker", metavar="REF", help="default: own")
    command.add_argument("--json", action="store_true")

    def run(given: argparse.Namespace) -> int:
        from app.cli.retrieve import retrieve

        return retrieve(given)

    command.set_defaults(run=run)


def _trace(commands: Any) -> None:
    command = commands.add_parser("trace", help="show the steps of a run")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    ask = kinds.add_parser("ask", help="ask a question and show every step")
    _question(ask)
    run_options(ask)
    ask.add_argument("--jsonl", action="store_true", help="print one JSON object per step")
    show = kinds.add_parser("show", help="show a recorded run")
    show.add_argument("run_id", metavar="RUN", nargs="?", help="id or file (default: the last run)")
    show.add_argument("--jsonl", action="store_true", help="print one JSON object per step")

    compare = kinds.add_parser("diff", help="compare two recorded runs")
    compare.add_argument("first", metavar="RUN", help="id or file")
    compare.add_argument("second", metavar="RUN", help="id or file")
    compare.add_argument("--json", action="store_true")

    again = kinds.add_parser("replay", help="continue a recorded run from a step")
    again.add_argument("run_id", metavar="RUN", help="id or file")
    again.add_argument("--from", metavar="STEP", dest="node", required=True)
    again.add_argument("--round", type=int, default=1, help="which execution of the step: 1, 2, …")
    again.add_argument("--query", metavar="TEXT", help="a different query for that round")
    without = "treat this passage or source as not found; only with --from rerank or generate"
    several(again, "--without", "ID", without)
    again.add_argument("--set", metavar="KEY=VALUE", action="append", default=[])

    def run_replay(given: argparse.Namespace) -> int:
        from app.cli.ask import replay_trace

        return replay_trace(given, lambda base: settings_of(given.set, base))

    def run_diff(given: argparse.Namespace) -> int:
        from app.cli.ask import diff_traces

        return diff_traces(given.first, given.second, as_json=given.json)

    def run_ask(given: argparse.Namespace) -> int:
        from app.cli.ask import traced

        return traced(input_of(given), context_of_user(given), as_jsonl=given.jsonl)

    def run_show(given: argparse.Namespace) -> int:
        from app.cli.ask import show_trace

        return show_trace(given.run_id, as_jsonl=given.jsonl)

    ask.set_defaults(run=run_ask)
    show.set_defaults(run=run_show)
    compare.set_defaults(run=run_diff)
    again.set_defaults(run=run_replay)


def _web(commands: Any) -> None:
    command = commands.add_parser("web", help="serve the web page")
    run_options(command)
    command.add_argument("--host", default="127.0.0.1", help="default: this machine only")
    command.add_argument("--port", type=int, default=7860)

    def run(given: argparse.Namespace) -> int:
        context = context_of(given)
        try:
            from app.web.page import serve
        except ModuleNotFoundError as error:
            raise SettingError(
                f"the page needs {error.name}: pip install 'anamnesis[web]'"
            ) from error
        serve(given.host, given.port, context)
        return 0

    command.set_defaults(run=run)
