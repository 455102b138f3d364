"""Figures that the published systems report, and how their measurement differs from ours."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple


class Published(NamedTuple):
    """Figures of one table of a paper.

    Attributes:
        row: The row of the published systems, such as R7.
        values: By system and metric, on the scale of our own figures.
        differs: What differs from our measurement, to help judge the comparison.
        rows: By system, a pattern of the names of our rows with the same measurement, if their
            names differ from the system's.
    """

    row: str
    values: Mapping[str, Mapping[str, float]]
    differs: str
    rows: Mapping[str, str] = {}


SPARSE_DENSE = Published(
    "R7",
    {
        "sparse": {
            "precision@10": 0.6030, "recall@10": 0.5873, "mrr@10": 0.9344, "ndcg@10": 0.7437
        },
        "dense": {
            "precision@10": 0.5980, "recall@10": 0.5597, "mrr@10": 0.9225, "ndcg@10": 0.7291
        },
        "hybrid": {
            "precision@10": 0.6380, "recall@10": 0.6184, "mrr@10": 0.9487, "ndcg@10": 0.7807
        },
    },
    "The paper's queries are not known: the 138 focus areas that it names cannot be drawn from the "
    "data. Precision and recall at ten places depend on how many records a focus area has: with "
    "more records precision can rise, and recall falls. The paper's precision and recall suggest "
    "larger areas than those drawn here. The paper ranks whole records; here a record is ranked by "
    "its best passage.",
)  # fmt: skip

BEHAVIOUR = Published(
    "R8",
    {"reranked": {"positions": 0.83, "top": 0.55}},
    "The paper's cross-encoder is ms-marco-MiniLM-L-6-v2. Ours is the project's own unless the "
    "configuration names another, and its score is combined with the rank in the fused list.",
)

REASONING = {
    dataset: Published(
        "S8",
        {name: {"accuracy": accuracy}},
        "The paper's answers are written by a large chat model from documents of PubMed. The "
        "default generator quotes, and chooses an option only if its sources support it, unless "
        "verification.always_choose is set.",
        {name: ".*"},
    )
    for dataset, name, accuracy in (("pubmedqa", "PubMedQA", 0.7982), ("medqa", "MedQA", 0.8333))
}
"""By the data set of the questions."""

FACTS = Published(
    "K6",
    {"MedQA, no facts": {"accuracy": 0.4446}, "MedQA, facts": {"accuracy": 0.4854}},
    "The paper's generator is Vicuna-7B and always names an option.",
    {"MedQA, no facts": "no facts", "MedQA, facts": r"\d+ facts.*"},
)

CHATBOT = Published(
    "H9",
    {
        "2 memories": {
            "recall@5": 0.750, "precision@5": 0.260, "bertscore_f1": 0.8644, "rouge_l": 0.2273,
            "perplexity": 12.88, "seconds": 28.0,
        }
    },
    "The paper asks 20 questions, and Phi-2 writes the answers. BERTScore and perplexity can be "
    "compared only if they use the same models, which the paper does not name. Our corpus contains "
    "the expected answer together with the question that is asked, and the default generator "
    "quotes it; an abstention counts as 0.",
)  # fmt: skip

MEMORIES = Published(
    "H9, one and two memories",
    {
        "no memory": {"bertscore_f1": 0.8692, "perplexity": 11.595},
        "1 memory": {"bertscore_f1": 0.8520, "perplexity": 10.230},
        "2 memories": {"bertscore_f1": 0.8473, "perplexity": 8.690},
    },
    "The paper does not say what its memories are; ours are exchanges on the same subject.",
)

CORRECTIONS = Published(
    "M10",
    {
        "baseline": {"aics": 0.18, "kpcs": 0.12, "ics": 0.76},
        "same question": {"aics": 0.36, "kpcs": 0.32, "ics": 0.76},
    },
    "In the paper GPT-3.5 answers without documents, and experts correct it in conversation, in "
    "2.37 turns on average. There 46 of 107 questions were corrected; here all that were not "
    "answered correctly. Here the key points are the content words; the paper does not say how it "
    "found its own, or when two sentences are highly similar. An abstention counts as 0.",
)


def of_ranking(result: Mapping[str, Any]) -> list[Published]:
    """The tables for a result of retrieval."""
    if result["configuration"].get("protocol") != "focus":
        return []
    return [SPARSE_DENSE, *([BEHAVIOUR] if result.get("reranking") else [])]


def of_answers(result: Mapping[str, Any]) -> list[Published]:
    """The tables for a result of multiple choice, by the data set of its questions."""
    asked = result["configuration"]["questions"]
    dataset = (asked.get("dataset") or asked["file"].partition("_")[0]).casefold()
    found = [FACTS] if dataset == "medqa" else []
    return [*found, REASONING[dataset]] if dataset in REASONING else found


def of_chatbot(_: Mapping[str, Any]) -> list[Published]:
    """The tables for a result of the chatbot."""
    return [CHATBOT, MEMORIES]


def of_corrections(_: Mapping[str, Any]) -> list[Published]:
    """The table for a result of corrections."""
    return [CORRECTIONS]


def comparison(
    paper: Published, ours: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, str, float, Any]]:
    """By system and metric, the paper's figure and that of each of our rows that measures the same.

    The last is None if no row does.
    """
    found = []
    for system, figures in paper.values.items():
        pattern = paper.rows.get(system, re.escape(system))
        for name in [item for item in ours if re.fullmatch(pattern, item)] or [system]:
            label = system if name == system else f"{system} (ours: {name})"
            for metric, value in figures.items():
                found.append((label, metric, value, ours.get(name, {}).get(metric)))
    return found
