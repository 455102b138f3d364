"""What the published systems report, and how their measurement differs from ours."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Published(NamedTuple):
    """Figures of one table of a paper.

    Attributes:
        row: The row of the published systems, such as R7.
        values: By system and metric, on the scale of our own figures.
        differs: What differs from our measurement, so that a reader can judge the comparison.
    """

    row: str
    values: Mapping[str, Mapping[str, float]]
    differs: str


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
    "The paper's queries are not known: it names 138 focus areas, which the data do not give. Its "
    "recall at the same precision is lower than ours, so its focus areas have more records than "
    "those drawn here; the precision that can be reached rises with their number, the recall "
    "falls. Its sparse list reads the whole question, ours the same; its lists hold whole records, "
    "ours their passages.",
)  # fmt: skip

BEHAVIOUR = Published(
    "R8",
    {"reranked": {"positions": 0.83, "top": 0.55}},
    "The paper's cross-encoder is ms-marco-MiniLM-L-6-v2, ours is the project's own unless the "
    "configuration names another; ours adds its score to the place in the fused list, so that "
    "fewer places change.",
)

REASONING = Published(
    "S8",
    {"PubMedQA": {"accuracy": 0.7982}, "MedQA": {"accuracy": 0.8333}},
    "The paper's answers are written by a large chat model over PubMed; the shipped generator "
    "quotes, and names an option only where its sources bear it out.",
)

FACTS = Published(
    "K6",
    {"MedQA, no facts": {"accuracy": 0.4446}, "MedQA, facts": {"accuracy": 0.4854}},
    "The paper's generator is Vicuna-7B and always names an option.",
)

CHATBOT = Published(
    "H9",
    {
        "chatbot": {
            "recall@5": 0.750, "precision@5": 0.260, "bertscore_f1": 0.8644, "rouge_l": 0.2273,
            "perplexity": 12.88, "seconds": 28.0,
        }
    },
    "The paper's generator is Phi-2 on other questions; BERTScore and perplexity can be compared "
    "only where the models that measure them are the same.",
)  # fmt: skip


def published(result: Mapping[str, Any]) -> list[Published]:
    """The tables that a result of ``anamnesis evaluate`` can be held against."""
    protocol, drawn = result["protocol"], result["configuration"].get("protocol", "")
    if protocol in ("retrieval", "behaviour") and drawn == "focus":
        return [SPARSE_DENSE, BEHAVIOUR]
    return {"answers": [FACTS, REASONING], "chatbot": [CHATBOT]}.get(protocol, [])
