"""The earlier rounds in the prompt of a later one [S1, S3]."""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from nodes.evidence.safety import all_safe, without_orders
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import Round, State


def notes_on_rounds(state: State, context: Context, parts: Parts) -> list[str]:
    """Notes on the earlier rounds for the prompt, the first round first, without orders to a model.

    They list either each unsupported statement, or each round as a whole: H ∪ {(Q, C, A, Rat)}.
    """
    if context.loop.history == "rounds":
        return [
            _round(entry, state["keyed_options"], parts.passages(entry["passages"], context))
            for entry in state["rounds"]
        ]
    return [
        without_orders(item["text"])
        for earlier in state["rounds"]
        for item in earlier["statements"]
        if item["verdict"] != "supported"
    ]


def _round(earlier: Round, options: dict[str, str], passages: Sequence[Passage]) -> str:
    lines = [f"Query: {earlier['query']}"]
    for page in all_safe(passages):
        lines.append(f"  Document: {without_orders(f'{page.heading}: {page.text}')}")
    if earlier["choice"] is not None:
        lines.append(f"  Answer: {options[earlier['choice']]}")
    for item in earlier["statements"]:
        mark = "Supported" if item["verdict"] == "supported" else "Not supported"
        lines.append(f"  {mark}: {without_orders(item['text'])}")
    return "\n".join(lines)
