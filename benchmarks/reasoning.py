"""Does the support score separate right answers of chat models from wrong ones?

    python -m benchmarks.reasoning [--data DIR] --index DIR [--critic REF] [--number N]

MIRAGE publishes the answers of GPT-3.5 and GPT-4 to its BioASQ questions, with their reasoning and
whether they were right. Every sentence of the reasoning is judged against the passages that the
index of BioASQ snippets (``anamnesis index bioasq-passages``) finds for the question. Printed by
model, with and without its own retrieval: how many answers were right, and how well the share of
supported sentences (the score S of Self-MedRAG), their mean support and their minimum support
predict it, as AUROC with bootstrap intervals. .5 is chance.
"""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from anamnesis.language.text import sentences
from anamnesis.models.critic import load_critic
from anamnesis.models.reranker import load_reranker
from benchmarks.command_line import command_line
from evaluation.classification import auroc
from evaluation.report import estimate
from evaluation.significance import intervals
from graph import Context
from nodes.checking.judge import judge
from nodes.checking.statements import unchecked_statement
from nodes.evidence.ordering import ordered
from nodes.settings.derived import evidence_passages
from retrievers.index import open_index
from retrievers.search import search
from training.examples import records


def reasoning(response: str) -> str:
    """The reasoning of a reply, from its JSON if the model used the required format."""
    try:
        return str(json.loads(response)["step_by_step_thinking"])
    except (ValueError, KeyError, TypeError):
        found = re.search(r'"step_by_step_thinking"\s*:\s*"(.*?)"\s*[,}]', response, re.DOTALL)
        return found[1] if found else response


def main() -> None:
    options = command_line(__doc__, "data", "critic")
    options.add_argument("--index", type=Path, required=True, help="index of the BioASQ snippets")
    options.add_argument("--number", type=int, help="only the first questions")
    chosen = options.parse_args()
    context, data = Context.model_validate({}), chosen.data
    questions = {
        item["id"]: item["question"]
        for item in records(data, "mirage")
        if item["dataset"] == "bioasq"
    }
    asked = dict(list(questions.items())[: chosen.number])
    replies: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for item in records(data, "mirage_llm_answers"):
        if item["dataset"] == "bioasq" and item["id"] in asked:
            replies[item["id"]].append(item)
    index, critic = open_index(chosen.index), load_critic(chosen.critic)
    reranker = load_reranker(context.retrieval.reranker or "own")
    scores: defaultdict[str, list[tuple[bool, float, float, float]]] = defaultdict(list)
    for place, (key, question) in enumerate(asked.items(), 1):
        hits = search(index, question, k=context.retrieval.rerank_depth)
        found = index.passages([hit["id"] for hit in hits])
        best = ordered(hits, found, reranker, question, weights=None)
        passages = index.passages([hit["id"] for hit in best[: evidence_passages(context)]])
        for reply in replies[key]:
            text = reasoning(reply["response"])
            said = [unchecked_statement(text[start:end], []) for start, end in sentences(text)]
            if not said:
                continue
            judged = judge(said, passages, critic, context.verification.min_probability)
            supports = [item["probability"] or 0.0 for item in judged]
            share = sum(item["verdict"] == "supported" for item in judged) / len(judged)
            scores[f"{reply['model']}, {reply['mode']}"].append(
                (bool(reply["correct"]), share, float(np.mean(supports)), min(supports))
            )
        print(f"\r{place}/{len(asked)}", end="", file=sys.stderr)
    print(f"{critic.name}, τ {context.verification.min_probability}, {len(asked)} questions")
    for name, values in scores.items():
        right = np.array([each[0] for each in values])
        columns = {
            label: np.array([each[at] for each in values])
            for at, label in ((1, "share supported"), (2, "mean support"), (3, "least support"))
        }
        estimates = intervals(
            lambda picked, right=right, columns=columns: {
                label: auroc(right[picked], column[picked]) for label, column in columns.items()
            },
            len(values),
        )
        print(f"{name}: {right.mean():.3f} right of {len(values)}")
        for label, own_estimate in estimates.items():
            print(f"  {label:<16} AUROC {estimate(own_estimate)}")


if __name__ == "__main__":
    main()
