"""Verdicts as in a published system: from the critic's probability alone [S4]."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from anamnesis.corpus.passage import Passage
from anamnesis.models.critic import Critic
from nodes.checking.judge import judge
from nodes.evidence.safety import safe, turned_down
from nodes.settings.context import Context, unweighed
from nodes.state import Statement, Verdict
from prompts import FormName

Judge = Callable[
    [Sequence[Statement], Sequence[Passage], Critic, float, Sequence[Passage]], list[Statement]
]


def judge_of(context: Context, questions: Mapping[int, str]) -> Judge:
    """The function that judges statements according to the settings.

    ``questions`` are as in ``judge``; published systems do not compare statements with them.
    """
    if context.verification.verdicts == "entailment":
        return judge_as_published
    return partial(judge, questions=questions)


def as_drafted(options: Mapping[str, str], context: Context) -> bool:
    """Whether a chat model's option is used without a check; its reasons are still judged."""
    return bool(options) and (
        context.verification.verdicts == "entailment" or unweighed(options, context)
    )


def judge_as_published(
    statements: Sequence[Statement],
    passages: Sequence[Passage],
    critic: Critic,
    threshold: float,
    not_chosen: Sequence[Passage] = (),
) -> list[Statement]:
    """The statements with probability, verdict and evidence [S4].

    A statement's probability is its best entailment over all passages; it is supported if this is
    above ``threshold`` (τ). Numbers, negations, names and other passages are not checked. Text
    that is not safe to quote supports nothing.
    """
    premises = [entry for entry in map(safe, passages) if entry.text.strip()]
    texts = [entry.text for entry in premises]
    asked = [item for item in statements if item["verdict"] == "unchecked"]
    found = iter(critic.judge([item["text"] for item in asked], [texts] * len(asked)))
    judged = []
    for item in statements:
        if item["verdict"] != "unchecked":  # judged while the draft was written
            judged.append(item)
            continue
        supports = next(found)
        best = max(range(len(premises)), key=lambda at: supports[at].probability, default=None)
        probability = 0.0 if best is None else supports[best].probability
        against = max((entry.contradiction or 0.0 for entry in supports), default=0.0)
        verdict: Verdict = "contradicted" if against > threshold else "unsupported"
        new: Statement = {
            **item,
            "probability": round(probability, 4),
            "citations": [],
            "evidence": None,
            "failed": [],
        }
        if best is not None and supports[best].by:
            new["checked_by"] = supports[best].by
        if best is not None and probability > threshold:
            place, verdict = premises[best], "supported"
            new["citations"] = [place.id]
            start, end = supports[best].start, supports[best].end
            new["evidence"] = {"document": place.id, "start": start, "end": end}
        judged.append(turned_down({**new, "verdict": verdict}))
    return judged


def with_sources(
    statements: Sequence[Statement], shown: Sequence[str], form: FormName
) -> list[Statement]:
    """The statements; if none cites a passage and the prompt uses pairs, all cite ``shown``.

    The published system shows the documents of its prompt, whatever the model wrote [R5].
    """
    if form != "pairs" or any(item["citations"] for item in statements):
        return list(statements)
    return [{**item, "citations": list(shown)} for item in statements]
