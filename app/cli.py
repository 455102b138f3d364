"""The command line: ``anamnesis index | ask | chat | retrieve | memory | trace | …``.

Each command imports what it needs when it runs, so that ``--help`` and short commands are quick.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

# Every dependency's telemetry is off unless its user says otherwise.
for _name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "ANONYMIZED_TELEMETRY"):
    os.environ.setdefault(_name, "false")

# flake8's name for 'after the environment is set'.
from anamnesis import AnamnesisError, SettingError  # noqa: E402
from app.remembering import add_command as _memory  # noqa: E402

if TYPE_CHECKING:
    from nodes.state import Input


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status comes back: 0 done, 1 answered with nothing, 2 an error."""
    given = parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except AnamnesisError as error:
        print(f"anamnesis: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of a pipe (head, a pager) has gone; there is nobody left to tell.
        sys.stderr.close()
        return 0
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
    for add in (_index, _ask, _chat, _retrieve, _memory, _trace, _evaluate):
        add(commands)
    return top


def context_of(given: argparse.Namespace) -> dict[str, Any]:
    """The run's settings from the options of ``ask``, ``chat`` and ``trace ask``.

    Raises ``SettingError`` if a setting is unknown or its value is wrong.
    """
    chosen: dict[str, Any] = {"preset": given.preset}
    for name, value in (
        ("index", given.index and str(Path(given.index).absolute())),
        ("generator", given.model),
        ("critic", given.critic),
        ("reranker", given.reranker),
    ):
        if value is not None:
            chosen[name] = None if value == "none" else value
    chosen |= {name: own for name in ("user", "remember") if (own := getattr(given, name))}
    return settings_of(given.set, chosen)


def settings_of(pairs: Sequence[str], base: dict[str, Any]) -> dict[str, Any]:
    """The settings of ``base`` with those that ``--set`` gives.

    Raises ``SettingError`` if a setting is unknown or its value is wrong.
    """
    from pydantic import ValidationError

    from nodes.context import Context

    chosen = dict(base)
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise SettingError(f"--set takes KEY=VALUE, not {pair!r}")
        try:
            chosen[key] = json.loads(value)
        except ValueError:
            chosen[key] = value
    try:
        Context(**chosen)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'settings'}: {item['msg']}"
            for item in error.errors()
        )
        raise SettingError(
            f"wrong setting: {wrong}. Settings are {', '.join(Context.model_fields)}"
        ) from error
    return chosen


def _run_options(command: argparse.ArgumentParser) -> None:
    from nodes.presets import Preset

    command.add_argument("--preset", choices=get_args(Preset), default="default")
    command.add_argument("--index", metavar="DIR", help="index folder (default: in ANAMNESIS_HOME)")
    command.add_argument(
        "--model", metavar="REF", help="chat model, such as ollama:llama3.1; default: extractive"
    )
    command.add_argument("--critic", metavar="REF", help="critic, or 'none'")
    command.add_argument("--reranker", metavar="REF", help="reranker, or 'none'")
    command.add_argument("--user", metavar="USER", help="whose memories are recalled")
    command.add_argument("--remember", action="store_true", help="keep this exchange for the user")
    command.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="any other setting"
    )


def _question(command: argparse.ArgumentParser) -> None:
    command.add_argument("question")
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="TEXT",
        help="an option of a multiple choice question; yes and no make it a yes/no question",
    )


def input_of(given: argparse.Namespace) -> "Input":
    """The graph's input: the question, with its options if it has any."""
    if given.option:
        return {"question": given.question, "options": given.option}
    return {"question": given.question}


def _ask(commands: Any) -> None:
    command = commands.add_parser("ask", help="ask one question")
    _question(command)
    _run_options(command)
    command.add_argument("--json", action="store_true", help="print the answer's structure")
    command.add_argument(
        "--trace", action="store_true", help="record the run's steps (they hold your words)"
    )

    def run(given: argparse.Namespace) -> int:
        from app.asking import ask

        asked = input_of(given)
        return ask(asked, context_of(given), as_json=given.json, recorded=given.trace)

    command.set_defaults(run=run)


def _chat(commands: Any) -> None:
    command = commands.add_parser("chat", help="ask, and ask further")
    _run_options(command)

    def run(given: argparse.Namespace) -> int:
        from app.asking import chat

        return chat(context_of(given))

    command.set_defaults(run=run)


def _index(commands: Any) -> None:
    command = commands.add_parser(
        "index",
        help="put documents into an index",
        description="Put documents into an index. What an index already holds of a collection "
        "is brought up to date: records are added, changed and removed; only what changed is "
        "embedded again.",
    )
    command.add_argument(
        "format",
        metavar="FORMAT",
        help="starter, medquad, medquad-csv, medquad-jsonl, medmcqa, bioasq, bioasq-passages, "
        "pubmedqa, csv, jsonl, beir, text, markdown, html, pdf; or info, remove",
    )
    command.add_argument("paths", metavar="PATH", nargs="*", help="files or folders")
    command.add_argument("--index", metavar="DIR", help="index folder (default: in ANAMNESIS_HOME)")
    command.add_argument(
        "--name", metavar="NAME", help="name of the collection (default: the first path's name)"
    )
    command.add_argument(
        "--column",
        metavar="FIELD=COLUMN",
        action="append",
        default=[],
        help="for csv and jsonl: where a record's field is found, such as question=prompt",
    )
    command.add_argument(
        "--embedder", metavar="REF", help="embedder of a new index (default: all-MiniLM-L6-v2)"
    )
    command.add_argument(
        "--rebuild", action="store_true", help="make the index anew from this collection alone"
    )
    command.add_argument("--json", action="store_true", help="print what changed as JSON")

    def run(given: argparse.Namespace) -> int:
        from app.indexing import index

        return index(given)

    command.set_defaults(run=run)


def _retrieve(commands: Any) -> None:
    command = commands.add_parser("retrieve", help="list the passages that fit a question")
    command.add_argument("question")
    command.add_argument(
        "--method", choices=("sparse", "dense", "hybrid", "reranked"), default="hybrid"
    )
    command.add_argument("--k", type=int, default=10, help="how many (default: 10)")
    command.add_argument("--index", metavar="DIR")
    command.add_argument("--reranker", metavar="REF", help="default: own")
    command.add_argument("--json", action="store_true")

    def run(given: argparse.Namespace) -> int:
        from app.retrieving import retrieve

        return retrieve(given)

    command.set_defaults(run=run)


def _trace(commands: Any) -> None:
    command = commands.add_parser("trace", help="see the steps of a run")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    ask = kinds.add_parser("ask", help="ask a question and see every step")
    _question(ask)
    _run_options(ask)
    ask.add_argument("--jsonl", action="store_true", help="one JSON object a step")
    show = kinds.add_parser("show", help="show a recorded run")
    show.add_argument("run_id", metavar="RUN", nargs="?", help="id or file (default: the last)")
    show.add_argument("--jsonl", action="store_true", help="one JSON object a step")

    compare = kinds.add_parser("diff", help="what changed between two recorded runs")
    compare.add_argument("first", metavar="RUN", help="id or file")
    compare.add_argument("second", metavar="RUN", help="id or file")
    compare.add_argument("--json", action="store_true")

    again = kinds.add_parser("replay", help="take a recorded run up again from a step")
    again.add_argument("run_id", metavar="RUN", help="id or file")
    again.add_argument("--from", metavar="STEP", dest="node", required=True)
    again.add_argument("--round", type=int, default=1, help="the step's first, second … time")
    again.add_argument("--query", metavar="TEXT", help="another query for that round")
    again.add_argument("--set", metavar="KEY=VALUE", action="append", default=[])

    def run_replay(given: argparse.Namespace) -> int:
        from app.asking import replay_trace

        return replay_trace(given, lambda base: settings_of(given.set, base))

    def run_diff(given: argparse.Namespace) -> int:
        from app.asking import diff_traces

        return diff_traces(given.first, given.second, as_json=given.json)

    def run_ask(given: argparse.Namespace) -> int:
        from app.asking import traced

        return traced(input_of(given), context_of(given), as_jsonl=given.jsonl)

    def run_show(given: argparse.Namespace) -> int:
        from app.asking import show_trace

        return show_trace(given.run_id, as_jsonl=given.jsonl)

    ask.set_defaults(run=run_ask)
    show.set_defaults(run=run_show)
    compare.set_defaults(run=run_diff)
    again.set_defaults(run=run_replay)


def _evaluate(commands: Any) -> None:
    command = commands.add_parser("evaluate", help="measure the parts on labelled data")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    critic = kinds.add_parser("critic", help="does it tell what a text entails?")
    critic.add_argument(
        "--pairs", metavar="FILE", required=True, help="JSON Lines: premise, hypothesis, label"
    )
    critic.add_argument("--critic", metavar="REF", help="critic (default: that of ask)")
    retrieval = kinds.add_parser("retrieval", help="does it find the relevant documents?")
    retrieval.add_argument(
        "--corpus", metavar="FILE", required=True, help="JSON Lines: id, title, text"
    )
    retrieval.add_argument(
        "--queries", metavar="FILE", required=True, help="JSON Lines: id, text, relevant"
    )
    retrieval.add_argument(
        "--methods",
        metavar="LIST",
        default="sparse,dense,hybrid,reranked",
        help="with commas between them (default: sparse,dense,hybrid,reranked)",
    )
    retrieval.add_argument(
        "--gain",
        choices=("linear", "exponential"),
        default="linear",
        help="of a grade in NDCG: the grade, or 2^grade - 1 (default: linear)",
    )
    retrieval.add_argument("--reranker", metavar="REF", help="reranker (default: that of ask)")
    retrieval.add_argument(
        "--embedder", metavar="REF", help="embedder of a new index (default: all-MiniLM-L6-v2)"
    )
    retrieval.add_argument("--index", metavar="DIR", help="keep the index here, and use it again")
    for kind in (critic, retrieval):
        kind.add_argument("--split", metavar="NAME", help="only records whose split is NAME")
        kind.add_argument("--seed", metavar="N", type=int, default=0, help="of the intervals")
        kind.add_argument("--json", action="store_true", help="print metrics and configuration")

    def run_critic(given: argparse.Namespace) -> int:
        from app.evaluating import critic

        return critic(given)

    def run_retrieval(given: argparse.Namespace) -> int:
        from app.evaluating import retrieval

        return retrieval(given)

    critic.set_defaults(run=run_critic)
    retrieval.set_defaults(run=run_retrieval)


if __name__ == "__main__":
    sys.exit(main())
