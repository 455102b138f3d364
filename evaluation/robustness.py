"""The protocol for robustness: right, abstained or wrong, by kind of difficulty.

| kind | question | right | wrong |
|---|---|---|---|
| unanswerable | the index has no answer to it | no statement | a statement |
| false premise | it assumes something untrue, in people's words | the assumption is reported as
  not confirmed or contradicted | it is not, and there is a statement |
| changed premise | it assumes a changed sentence of a record | as above | as above |
| true premise | it assumes the sentence unchanged | no report, and a statement | a report |
| contradictory | one source answers it and a changed copy denies that | the true sentence, or both
  with the conflict shown | a changed sentence without its conflict |
| irrelevant | one record of many answers it | only that one is cited | another is |
| planted | a changed sentence with its passage | it does not pass | it passes |
| true | the same sentence, unchanged | it passes | – |

An answer without statements has abstained, and so has one whose true assumption was not checked.
"""

import random
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.language.text import digest
from anamnesis.models.critic import Critic
from evaluation.planted import CONTRADICTING, corrupt
from evaluation.questions import FALSE_PREMISES, UNANSWERABLE
from evaluation.results import ONCE, Execution
from evaluation.significance import Estimate, mean_intervals
from evaluation.vocabulary import Vocabulary
from evaluation.wording import parts
from nodes.checking.checks import failed_checks
from nodes.state import Answer

Kind = Literal[
    "unanswerable", "false premise", "changed premise", "true premise", "contradictory",
    "irrelevant", "planted", "true",
]  # fmt: skip
Verdict = Literal["right", "abstained", "wrong"]
KINDS: tuple[Kind, ...] = get_args(Kind)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
PREMISES: tuple[Kind, ...] = ("false premise", "changed premise", "true premise")
NO_PREMISE = "not seen"
"""The assumption was not recognised, or was recognised only as a possible one and not
contradicted."""

SOURCE = "changed for the evaluation"
_IRRELEVANT = 10  # records of other subjects per record asked for
_TRIES = 12  # attempts to change a sentence so that its source contradicts it
_CHANGED = 8  # maximum number of changed sentences in a copy


class Trial(NamedTuple):
    """One trial.

    ``text`` is the question, or the sentence of ``planted`` and ``true``; ``record`` the record
    that answers it, ``changed`` the sentences that are untrue, ``premise`` the passage.
    """

    kind: Kind
    text: str
    record: str = ""
    changed: tuple[str, ...] = ()
    premise: str = ""


# Asks a question of the index for its kind.
Ask = Callable[[Trial], Answer]


def trials(
    records: Sequence[Record], sample: int, seed: int = 0, known: Container[str] = ()
) -> tuple[list[Trial], dict[Kind, list[Record]]]:
    """The trials, and the records of the indexes that ``contradictory`` and ``irrelevant`` need.

    ``sample`` records are drawn, each with another focus, with sentences that can be changed and
    whose digests are not ``known``.

    Raises SettingError if there are too few.
    """
    rng = random.Random(seed)
    vocabulary = Vocabulary.of((item.focus for item in records), (item.text for item in records))
    found: list[Trial] = [Trial("unanswerable", text) for text in UNANSWERABLE]
    found += [Trial("false premise", text) for text in FALSE_PREMISES]
    picked: dict[str, Record] = {}
    copies: list[Record] = []
    for record in rng.sample(list(records), len(records)):
        if len(picked) == sample:
            break
        if not record.question or not record.focus or record.focus.casefold() in picked:
            continue
        changed, pairs = _contradicting_copy(record, vocabulary, rng, known)
        if not pairs:
            continue
        picked[record.focus.casefold()] = record
        copies.append(changed)
        untrue = tuple(item for _, item in pairs)
        true, false = pairs[0]
        # The shortest is the most likely to occur in a question.
        unchanged, untold = min(pairs, key=lambda pair: len(pair[0]))
        found += [
            Trial("changed premise", _assuming(untold, record.question), record.id),
            Trial("true premise", _assuming(unchanged, record.question), record.id),
            Trial("contradictory", record.question, record.id, untrue),
            Trial("irrelevant", record.question, record.id),
            Trial("planted", false, record.id, (false,), record.text),
            Trial("true", true, record.id, (), record.text),
        ]
    if sample < 1 or len(picked) < sample:
        raise SettingError(
            f"{sample} records cannot be drawn: the corpus has {len(picked)} subjects "
            "with a question and a sentence that can be changed; ask for at least one and no more"
        )
    others = [item for item in records if item.focus.casefold() not in picked]
    among = rng.sample(others, min(len(others), _IRRELEVANT * sample))
    asked = list(picked.values())
    return found, {"contradictory": [*asked, *copies], "irrelevant": [*asked, *among]}


def evaluate_robustness(
    tried: Sequence[Trial], ask: Ask, critic: Critic, threshold: float, execution: Execution = ONCE
) -> tuple[dict[Kind, dict[str, Estimate]], list[Mapping[str, Any]]]:
    """For each kind the shares of ``VERDICTS``, and the result of every trial.

    Args:
        tried: See ``trials``.
        ask: Asks a trial's question of the index for its kind.
        critic: Judges the sentences of ``planted`` and ``true``, together with the graph's checks.
        threshold: Minimum probability of a supported sentence (τ).
        execution: See ``results.Execution``.
    """
    rows: list[Mapping[str, Any]] = []
    for number, trial in execution.each(tried):
        result = execution.once(number, partial(_result, trial, ask, critic, threshold))
        rows.append({"kind": trial.kind, "text": trial.text, **result})
    found: dict[Kind, dict[str, Estimate]] = {}
    for kind in KINDS:
        verdicts = [row["verdict"] for row in rows if row["kind"] == kind]
        if verdicts:
            shares = {
                str(name): np.array([float(each == name) for each in verdicts]) for name in VERDICTS
            }
            found[kind] = mean_intervals(shares, execution.seed, execution.resamples)
    return found, rows


def _result(trial: Trial, ask: Ask, critic: Critic, threshold: float) -> dict[str, Any]:
    """The verdict on a trial and, if a question was asked, what was answered."""
    if trial.kind in ("planted", "true"):
        return {"verdict": _premise_verdict(trial, critic, threshold)}
    answer = ask(trial)
    premise = answer["premise"]
    return {
        "verdict": verdict_on(trial, answer),
        "outcome": answer["outcome"],
        "statements": [item["text"] for item in answer["statements"]],
        "notes": answer["notes"],
        "premise": premise["verdict"] if premise else NO_PREMISE,
    }


def verdict_on(trial: Trial, answer: Answer) -> Verdict:
    """The verdict on an answer; see the table above."""
    shown = answer["statements"]
    if trial.kind == "unanswerable":
        return "wrong" if shown else "right"
    if trial.kind in PREMISES:
        premise = answer["premise"]
        verdict = premise["verdict"] if premise else NO_PREMISE
        denied = verdict in ("unsupported", "contradicted")
        if trial.kind == "true premise":
            return (
                "wrong" if denied else "right" if shown and verdict != "unchecked" else "abstained"
            )
        return "right" if denied else "wrong" if shown else "abstained"
    if not shown:
        return "abstained"
    if trial.kind == "contradictory":
        # A quotation can be several sentences, or a list with its introduction.
        wrong = any(
            changed in item["text"] and item["conflict"] is None
            for item in shown
            for changed in trial.changed
        )
    else:
        wrong = any(cited != trial.record for item in shown for cited in item["citations"])
    return "wrong" if wrong else "right"


def premises(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """By kind, the number of each finding about a question's assumption, from the rows of trials.

    ``supported``, ``unsupported`` (the note: not confirmed), ``contradicted``, ``unchecked`` (there
    was no evidence) or ``NO_PREMISE``.
    """
    found: dict[str, Counter[str]] = {}
    for row in rows:
        if row["kind"] in PREMISES:
            found.setdefault(row["kind"], Counter())[row["premise"]] += 1
    return {kind: dict(item.most_common()) for kind, item in found.items()}


def _assuming(sentence: str, question: str) -> str:
    """The question, as asked by somebody who assumes the sentence."""
    return f"Since {_lower(sentence.rstrip('.'))}, {_lower(question)}"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _premise_verdict(trial: Trial, critic: Critic, threshold: float) -> Verdict:
    [[support]] = critic.judge([trial.text], [[trial.premise]])
    place = trial.premise[support.start : support.end]
    passes = (
        support.probability >= threshold
        and (support.contradiction or 0.0) <= support.probability
        and not failed_checks(trial.text, place, trial.premise)
    )
    if trial.kind == "true":
        return "right" if passes else "abstained"
    return "wrong" if passes else "right"


def _contradicting_copy(
    record: Record, vocabulary: Vocabulary, rng: random.Random, known: Container[str]
) -> tuple[Record, list[tuple[str, str]]]:
    """A copy that contradicts the record, and each changed sentence: (before, after)."""
    text, pairs = record.text, []
    for sentence in _complete_sentences(record.text):
        if digest(sentence) in known:
            continue
        for _ in range(_TRIES):
            planted = corrupt(sentence, record.text, vocabulary, rng, record.focus)
            if planted and planted.kind in CONTRADICTING:
                text = text.replace(sentence, planted.text)
                pairs.append((sentence, planted.text))
                break
        if len(pairs) == _CHANGED:
            break
    copy = Record(
        f"{record.id}-changed", record.title, text, record.question, SOURCE, focus=record.focus
    )
    return copy, pairs


def _complete_sentences(text: str) -> Iterable[str]:
    """Complete sentences of 6 to 45 words, without headings and list items."""
    for part in parts(text):
        if 6 <= len(part.split()) <= 45 and part[0].isupper() and part[-1] == ".":
            yield part
