"""The command-line options of each protocol (kind of measurement) of ``anamnesis evaluate``.

There is one function for each protocol. If an option replaces a setting, its help names this
setting, and the option has the same default and the same permitted values as the setting.
"""

from typing import get_args

from app.evaluate.shared_options import (
    Command,
    cache_option,
    file_option,
    held_out_option,
    index_options,
    probability_option,
    result_options,
    sampled_questions,
    setting_option,
    split_option,
)
from app.run_options import run_options, several, with_default
from retrievers.methods import DEFAULT_METHODS, FURTHER, HYBRID, RERANKED, of_passages

_STORED = (
    "folder or address in which the index is stored, so that the next run need not build it again"
)
_READER = "reranker (the model that reads the passages)"


def critic(command: Command) -> None:
    """The options of ``critic``: the file with pairs of premise and hypothesis, and the critics.

    Also whether the checks of the graph are applied.
    """
    file_option(command, "--pairs", "JSON Lines: premise, hypothesis, label")
    setting_option(command, "--critic", "verification.critic", "critic", metavar="REF")
    probability_option(
        command,
        "--min-probability",
        "verification.min_probability",
        "minimum probability of support at which a statement counts as supported",
    )
    command.add_argument(
        "--with-checks",
        action="store_true",
        help="judge each pair also with the graph's checks; adds the measures kept and passed",
    )
    setting_option(
        command,
        "--second-critic",
        "verification.second_critic",
        "second critic, asked if the first one is unsure",
        metavar="REF",
    )
    probability_option(
        command,
        "--unsure-from",
        "verification.unsure_from",
        "lower end, included, of the support by the first critic about which it counts as unsure",
    )
    probability_option(
        command,
        "--unsure-until",
        "verification.unsure_until",
        "upper end, not included, of that range",
    )
    split_option(command)
    cache_option(command)
    result_options(command)


def retrieval(command: Command) -> None:
    """The options of ``retrieval``: the corpus, the queries, and the methods to compare."""
    from evaluation.metrics import Gain
    from nodes.settings.presets import PRESETS

    command.add_argument(
        "--protocol",
        choices=("judged", "focus", "focus-own-left-out", "liveqa", "liveqa-summary"),
        default="judged",
        help="judged: queries and relevant documents from --queries; focus: queries drawn from the "
        "records of the corpus, all records with the same focus (topic) are relevant; "
        "focus-own-left-out: the same, without the record of the query itself; liveqa, "
        "liveqa-summary: LiveQA-Med's messages or their summaries (default: judged)",
    )
    file_option(command, "--corpus", "JSON Lines: id, title, text")
    command.add_argument(
        "--format",
        metavar="FORMAT",
        help="format of the corpus (default: beir for judged, medquad-jsonl for focus; not used "
        "for liveqa)",
    )
    command.add_argument("--queries", metavar="FILE", help="JSON Lines: id, text, relevant")
    methods = ",".join([*DEFAULT_METHODS, HYBRID, RERANKED])
    every = ", ".join([*of_passages(), *FURTHER])
    help = f"methods to compare, with commas between them; possible are {every}"
    with_default(command, "--methods", "LIST", methods, help)
    command.add_argument(
        "--gain",
        choices=get_args(Gain),
        default="linear",
        help="gain of a document in NDCG: linear: its grade; exponential: 2^grade - 1 (default: "
        "linear)",
    )
    command.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        default="default",
        help="preset with whose settings the methods search and re-rank",
    )
    setting_option(command, "--reranker", "retrieval.reranker", "reranker", metavar="REF")
    setting_option(
        command,
        "--rerank-depth",
        "retrieval.rerank_depth",
        "number of passages that are re-ranked",
        metavar="N",
        type=int,
    )
    command.add_argument("--index", metavar="DIR", help=f"{_STORED} (default: a temporary folder)")
    command.set_defaults(builds_index=True)
    index_options(command)
    drawn = command.add_argument_group(
        "queries drawn from the corpus (protocols focus and focus-own-left-out)"
    )
    with_default(drawn, "--runs", "N", 10, "number of runs")
    with_default(drawn, "--sample", "N", 100, "queries per run")
    with_default(drawn, "--min-records", "N", 5, "minimum number of records on a topic (focus)")
    held_out_option(drawn)
    split_option(command)
    result_options(command, "the drawn queries and of the confidence intervals")


def behaviour(command: Command) -> None:
    """The options of ``retrieval``, and the sizes of the corpus."""
    retrieval(command)
    command.add_argument(
        "--sizes", metavar="LIST", help="time the search in N records, such as 1000,4000"
    )


def answers(command: Command) -> None:
    """The options of ``answers``: questions with options, and the settings to compare."""
    file_option(
        command,
        "--questions",
        "JSON Lines with question, options and answer, or a JSON Lines file of PubMedQA or BioASQ "
        "in its own format",
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
        f"{' and '.join(DEFAULT_METHODS)}",
    )
    command.add_argument(
        "--rounds", metavar="LIST", help="values of loop.max_rounds to compare, such as 1,2,3"
    )
    help = "compare an index of the same documents, by another embedder (may be repeated)"
    several(command, "--compare", "DIR", help)
    command.add_argument("--dataset", metavar="NAME", help="only questions of this dataset (field)")
    command.add_argument("--sample", metavar="N", type=int, help="ask N randomly drawn questions")
    run_options(command)
    cache_option(command)
    result_options(command, "the sample and the confidence intervals")


def helpfulness(command: Command) -> None:
    """The options of ``helpfulness``: the corpus, and the queries with their grades."""
    file_option(command, "--corpus", "JSON Lines: id, title, question, text")
    command.add_argument(
        "--format", metavar="FORMAT", help="format of the corpus, as for anamnesis index"
    )
    file_option(command, "--queries", "JSON Lines: id, text, relevant")
    split_option(command)
    index_options(command)
    run_options(command, index=_STORED)
    cache_option(command)
    result_options(command)


def reading(command: Command) -> None:
    """The options of ``reading``: questions with passages, and the reader."""
    file_option(command, "--questions", "JSON Lines: heading, sentences, question, answers")
    command.add_argument(
        "--passages",
        metavar="FILE",
        help="JSON Lines with passage (a name), heading and sentences: the passages that the "
        "questions name in their field passage",
    )
    setting_option(command, "--reranker", "retrieval.reranker", _READER, metavar="REF")
    held_out_option(command)
    result_options(command)


def urgency(command: Command) -> None:
    """The options of ``urgency``: messages with their urgency, and what classifies them."""
    from anamnesis.models.reference import TriageClassifier

    file_option(command, "--messages", "JSON Lines: text, level")
    command.add_argument(
        "--dev", action="store_true", help="only messages that the triage was not trained on"
    )
    setting_option(
        command,
        "--triage",
        "triage.classifier",
        "what classifies the urgency: the project's models with patterns (own), or patterns alone",
        choices=get_args(TriageClassifier),
    )
    result_options(command)


def robustness(command: Command) -> None:
    """The options of ``robustness``: the records of which sentences are changed."""
    file_option(
        command,
        "--corpus",
        "records of which a sentence is changed (a number, a dose, a negation, a direction), to "
        "test whether the change is noticed",
    )
    with_default(command, "--format", "FORMAT", "medquad-jsonl", "format of the records")
    with_default(command, "--sample", "N", 50, "number of records")
    held_out_option(command)
    run_options(command)
    cache_option(command)
    result_options(command, "all that is drawn and of the confidence intervals")


def memory(command: Command) -> None:
    """The options of ``memory``: the conversations."""
    file_option(command, "--conversations", "conversations in LoCoMo's format")
    command.add_argument(
        "--skip", metavar="N", type=int, default=0, help="leave out the first N conversations"
    )
    result_options(command)


def chatbot(command: Command) -> None:
    """The options of ``chatbot``: records with questions, and the models that score the answers."""
    sampled_questions(command, "records with questions")
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
    with_default(
        command,
        "--memories",
        "LIST",
        "0,1,2",
        "maximum numbers of memories in the prompt to compare, with commas between them",
    )
    run_options(command)
    result_options(command, "all that is drawn and of the confidence intervals")


def corrections(command: Command) -> None:
    """The options of ``corrections``: exam questions of MedMCQA, and the settings of the run."""
    sampled_questions(command, "exam questions of MedMCQA")
    run_options(command)
    cache_option(command)  # not for ``chatbot``, which measures the time of replies
    result_options(command, "all that is drawn and of the confidence intervals")


def everything(command: Command) -> None:
    """The options of ``all``: the folders of the data and of the results."""
    command.add_argument("--data", metavar="DIR", required=True, help="folder of the data sets")
    command.add_argument(
        "--out", metavar="DIR", required=True, help="folder for the results and the page"
    )
    command.add_argument(
        "--indexes",
        metavar="DIR",
        help="folder of the indexes (default: the folder indexes in the folder of --out)",
    )
    command.add_argument(
        "--quick", action="store_true", help="use small samples; this takes minutes"
    )
