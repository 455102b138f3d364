"""The options of each protocol of ``anamnesis evaluate``: one function per protocol.

The help of an option that replaces a setting names the setting; its default and its choices are the
setting's.
"""

import argparse
from typing import Any, get_args

from app.run_options import run_options, several, with_default
from retrievers.methods import FURTHER, HYBRID, PASSAGES, RERANKED, of_passages

Command = argparse.ArgumentParser


def critic(command: Command) -> None:
    """Pairs, the critic, and whether the graph's checks are applied as well."""
    _file(command, "--pairs", "JSON Lines: premise, hypothesis, label")
    _setting(command, "--critic", "verification.critic", "critic", metavar="REF")
    _setting(
        command,
        "--support",
        "verification.min_probability",
        "minimum support",
        metavar="P",
        type=float,
    )
    command.add_argument(
        "--with-checks", action="store_true", help="also judge with the checks: kept, passed"
    )
    _setting(
        command,
        "--second-critic",
        "verification.second_critic",
        "critic that is asked if the first one is unsure",
        metavar="REF",
    )
    _setting(
        command,
        "--second-from",
        "verification.second_from",
        "minimum support for asking it",
        metavar="P",
        type=float,
    )
    _setting(
        command,
        "--second-until",
        "verification.second_until",
        "support from which it is not asked",
        metavar="P",
        type=float,
    )
    _split(command)
    _cached(command)
    _printed(command)


def retrieval(command: Command) -> None:
    """The corpus, the queries, and the methods that are compared."""
    from evaluation.metrics import Gain
    from nodes.settings.presets import PRESETS

    command.add_argument(
        "--protocol",
        choices=("judged", "focus", "focus-own-left-out", "liveqa", "liveqa-summary"),
        default="judged",
        help="which queries are asked, and which documents are relevant (default: judged)",
    )
    _file(command, "--corpus", "JSON Lines: id, title, text")
    command.add_argument(
        "--format", metavar="FORMAT", help="its format (default: that of the protocol)"
    )
    command.add_argument("--queries", metavar="FILE", help="JSON Lines: id, text, relevant")
    methods = ",".join([*PASSAGES, HYBRID, RERANKED])
    every = ", ".join([*of_passages(), *FURTHER])
    with_default(command, "--methods", "LIST", methods, f"methods to compare, of {every}")
    command.add_argument(
        "--gain",
        choices=get_args(Gain),
        default="linear",
        help="gain of a grade in NDCG: the grade, or 2^grade - 1 (default: linear)",
    )
    command.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        default="default",
        help="search and re-rank as this published system does",
    )
    _setting(command, "--reranker", "retrieval.reranker", "reranker", metavar="REF")
    _setting(
        command,
        "--passages",
        "retrieval.rerank_depth",
        "number of passages that are re-ranked",
        metavar="N",
        type=int,
    )
    command.add_argument(
        "--index", metavar="DIR", help="folder or address where the index is stored and used again"
    )
    command.set_defaults(own_index=True)
    _own_index(command)
    drawn = command.add_argument_group("queries drawn by focus")
    with_default(drawn, "--runs", "N", 10, "number of runs")
    with_default(drawn, "--sample", "N", 100, "queries per run")
    with_default(drawn, "--least", "N", 5, "minimum records per focus")
    _held_out(drawn)
    _split(command)
    _printed(command)


def behaviour(command: Command) -> None:
    """The options of ``retrieval``, and the sizes of the corpus."""
    retrieval(command)
    command.add_argument(
        "--sizes", metavar="LIST", help="numbers of records to time, such as 1000,4000"
    )


def answers(command: Command) -> None:
    """Questions with options, and the settings to compare."""
    _file(
        command,
        "--questions",
        "JSON Lines: question, options, answer; or the files of PubMedQA or BioASQ",
    )
    command.add_argument(
        "--facts-k",
        metavar="LIST",
        help="values of retrieval.facts_k to compare (default: that of the preset)",
    )
    command.add_argument(
        "--fact-search", metavar="LIST", help="values of retrieval.fact_search to compare"
    )
    command.add_argument(
        "--retrieval",
        metavar="LIST",
        help=f"retrieval.methods to compare: {', '.join(of_passages())}, or {HYBRID} for "
        f"{' and '.join(PASSAGES)}",
    )
    command.add_argument(
        "--rounds", metavar="LIST", help="values of loop.max_rounds to compare, such as 1,2,3"
    )
    several(command, "--compare", "DIR", "an index to compare")
    command.add_argument("--dataset", metavar="NAME", help="only records whose dataset is NAME")
    command.add_argument("--sample", metavar="N", type=int, help="ask N randomly drawn questions")
    run_options(command)
    _cached(command)
    _printed(command, "of sample and intervals")


def helpfulness(command: Command) -> None:
    """The corpus and the queries with their grades."""
    _file(command, "--corpus", "JSON Lines: id, title, question, text")
    command.add_argument("--format", metavar="FORMAT", help="format of the corpus, as for index")
    _file(command, "--queries", "JSON Lines: id, text, relevant")
    command.add_argument("--split", metavar="NAME", help="only queries whose split is NAME")
    _own_index(command)
    run_options(command, index="keep the index here, and use it again")
    _cached(command)
    _printed(command)


def reading(command: Command) -> None:
    """Questions with passages, and the reader."""
    _file(command, "--questions", "JSON Lines: heading, sentences, question, answers")
    command.add_argument(
        "--passages", metavar="FILE", help="JSON Lines: passage, heading, sentences of questions"
    )
    _setting(command, "--reranker", "retrieval.reranker", "reader", metavar="REF")
    _held_out(command)
    _printed(command)


def urgency(command: Command) -> None:
    """Messages with their level, and the triage."""
    from anamnesis.models.triage import TriageClassifier

    _file(command, "--messages", "JSON Lines: text, level")
    command.add_argument(
        "--dev", action="store_true", help="only messages that the triage was not trained on"
    )
    _setting(
        command,
        "--triage",
        "triage.classifier",
        "what classifies",
        choices=get_args(TriageClassifier),
    )
    _printed(command)


def robustness(command: Command) -> None:
    """The records to change."""
    _file(command, "--corpus", "records to change")
    with_default(command, "--format", "FORMAT", "medquad-jsonl", "format of the records")
    with_default(command, "--sample", "N", 50, "number of records")
    _held_out(command)
    run_options(command)
    _cached(command)
    _printed(command, "of all that is drawn")


def memory(command: Command) -> None:
    """The conversations."""
    _file(command, "--conversations", "conversations in LoCoMo's format")
    command.add_argument(
        "--skip", metavar="N", type=int, default=0, help="leave out the first N conversations"
    )
    _printed(command)


def chatbot(command: Command) -> None:
    """Records with questions, and the models that score the answers."""
    _sampled(command, "records with questions")
    with_default(command, "--format", "FORMAT", "medquad-jsonl", "format of the records")
    command.add_argument(
        "--corpus", metavar="FILE", help="records to index and search, in place of an index"
    )
    command.add_argument(
        "--bertscore-model",
        metavar="REF",
        help="encoder, with ?layer=N for one of its layers (default: the shipped embedder)",
    )
    command.add_argument(
        "--perplexity-model", metavar="REF", help="causal language model that measures perplexity"
    )
    with_default(command, "--memories", "LIST", "0,1,2", "maximum numbers of memories")
    run_options(command)
    _printed(command, "of all that is drawn")


def corrections(command: Command) -> None:
    """The exam's questions."""
    _sampled(command, "MedMCQA")
    run_options(command)
    _cached(command)  # not for ``chatbot``, which measures the time of replies
    _printed(command, "of all that is drawn")


def everything(command: Command) -> None:
    """The folders of the data and of the results."""
    command.add_argument("--data", metavar="DIR", required=True, help="folder of the data sets")
    command.add_argument(
        "--out", metavar="DIR", required=True, help="folder for the results and the page"
    )
    command.add_argument(
        "--indexes", metavar="DIR", help="folder of the indexes (default: indexes in --out)"
    )
    command.add_argument(
        "--quick", action="store_true", help="use small samples; this takes minutes"
    )


def _setting(command: Command, name: str, setting: str, what: str, **more: Any) -> None:
    """An option that replaces the value of a setting."""
    command.add_argument(name, help=f"{what} ({setting}; default: as for ask)", **more)


def _sampled(command: Command, what: str) -> None:
    _file(command, "--questions", what)
    with_default(command, "--sample", "N", 50, "number of questions")


def _own_index(command: Command) -> None:
    command.add_argument(
        "--embedder", metavar="REF", help="embedder of a new index (default: the shipped one)"
    )
    with_default(command, "--collection", "NAME", "evaluation", "the corpus in that index")


def _file(command: Command, name: str, help: str) -> None:
    command.add_argument(name, metavar="FILE", required=True, help=help)


def _split(command: Command) -> None:
    command.add_argument("--split", metavar="NAME", help="only records whose split is NAME")


def _cached(command: Command) -> None:
    command.add_argument(
        "--cache", metavar="FILE", help="store the chat model's replies here, and use stored ones"
    )


def _held_out(command: Any) -> None:
    command.add_argument(
        "--held-out", action="store_true", help="only topics that our models were not trained on"
    )


def _printed(command: Command, seed: str = "of the intervals") -> None:
    command.add_argument("--seed", metavar="N", type=int, default=0, help=seed)
    command.add_argument("--json", action="store_true", help="print metrics and configuration")
    command.add_argument("--out", metavar="FILE", help="file for the result and every row")
