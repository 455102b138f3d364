"""What comes of trials, on scripted answers, and what is tried, on made records."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from anamnesis.corpus.topics import trained_on
from anamnesis.errors import SettingError
from anamnesis.language.text import digest
from evaluation.questions import FALSE_PREMISES, UNANSWERABLE
from evaluation.results import Execution
from evaluation.robustness import SOURCE, Trial, evaluate_robustness, premises, trials, verdict_on
from tests.fakes import FakeCritic

RECORDS = [
    Record(
        f"r{n}", f"Topic {n}", f"The treatment of topic {n} takes {n + 3} weeks and is safe. "
        f"Most people with topic {n} can walk again after {n + 10} days at home.",
        f"How is topic {n} treated?", focus=f"Topic {n}",
    )
    for n in range(40)
]  # fmt: skip


def answer(
    *shown: tuple[str, str, bool], notes: Sequence[str] = (), premise: str | None = None
) -> Any:
    statements = [
        {"text": text, "citations": [cited], "conflict": {"document": "x"} if conflict else None}
        for text, cited, conflict in shown
    ]
    outcome = "answered" if shown else "abstained"
    return {
        "statements": statements,
        "notes": list(notes),
        "outcome": outcome,
        "premise": {"text": "p", "verdict": premise} if premise else None,
    }


BY_WORDS = FakeCritic(lambda said, text: 0.9 if said in text else 0.1)
"""Supports what is word for word in the passage."""


@pytest.mark.parametrize(
    ("trial", "given", "verdict"),
    [
        (Trial("unanswerable", "q"), answer(), "right"),
        (Trial("unanswerable", "q"), answer(("s", "r", False)), "wrong"),
        (Trial("contradictory", "q", "r", ("bad",)), answer(), "abstained"),
        (Trial("contradictory", "q", "r", ("bad",)), answer(("good", "r", False)), "right"),
        (Trial("contradictory", "q", "r", ("bad",)), answer(("bad", "c", True)), "right"),
        (
            Trial("contradictory", "q", "r", ("bad",)),
            answer(("good", "r", False), ("bad", "c", False)),
            "wrong",
        ),
        (
            Trial("contradictory", "q", "r", ("It is bad.", "It is rare.")),
            answer(("As is known: It is good. It is rare.", "c", False)),
            "wrong",
        ),
        (Trial("irrelevant", "q", "r"), answer(), "abstained"),
        (Trial("irrelevant", "q", "r"), answer(("s", "r", False)), "right"),
        (Trial("irrelevant", "q", "r"), answer(("s", "r", False), ("t", "x", False)), "wrong"),
    ],
)
def test_an_answer_is_right_abstained_or_wrong(trial: Trial, given: Any, verdict: str) -> None:
    assert verdict_on(trial, given) == verdict


@pytest.mark.parametrize(
    ("found", "false", "true"),
    [
        ("contradicted", ("right", "right"), ("wrong", "wrong")),
        ("unsupported", ("right", "right"), ("wrong", "wrong")),
        ("supported", ("wrong", "abstained"), ("right", "abstained")),
        ("unchecked", ("wrong", "abstained"), ("abstained", "abstained")),
        (None, ("wrong", "abstained"), ("right", "abstained")),
    ],
)
def test_an_assumption_is_judged_by_what_was_found_of_it(
    found: Any, false: tuple[str, str], true: tuple[str, str]
) -> None:
    for kind in ("false premise", "changed premise", "true premise"):
        trial = Trial(kind, "q")  # type: ignore[arg-type]
        expected = tuple(
            verdict_on(trial, given)
            for given in (answer(("s", "r", False), premise=found), answer(premise=found))
        )
        assert expected == (true if kind == "true premise" else false)


def test_what_is_tried_is_drawn_by_the_seed_and_changed() -> None:
    tried, records = trials(RECORDS, 3, seed=1)
    assert tried == trials(RECORDS, 3, seed=1)[0] != trials(RECORDS, 3, seed=2)[0]
    kinds = [trial.kind for trial in tried]
    assert kinds.count("unanswerable") == len(UNANSWERABLE)
    assert kinds.count("false premise") == len(FALSE_PREMISES)
    for kind in ("changed premise", "true premise", "contradictory", "irrelevant", "planted",
                 "true"):  # fmt: skip
        assert kinds.count(kind) == 3
    by_id = {record.id: record for record in RECORDS}
    for trial in tried:
        if trial.kind == "planted":
            assert trial.text not in by_id[trial.record].text
        if trial.kind == "true":
            assert trial.text in by_id[trial.record].text
        if trial.kind.endswith("ed premise") or trial.kind == "true premise":
            assumed, asked = trial.text.removeprefix("Since t").split(", h")
            assert (f"T{assumed}." in by_id[trial.record].text) == (trial.kind == "true premise")
            assert f"H{asked}" == by_id[trial.record].question
    copies = [record for record in records["contradictory"] if record.source == SOURCE]
    assert len(copies) == 3
    assert all(
        changed.text != by_id[changed.id.removesuffix("-changed")].text for changed in copies
    )
    assert len(records["irrelevant"]) == 3 + 30


def test_what_is_known_is_not_tried() -> None:
    safe = {digest(record.text.partition(". ")[0] + ".") for record in RECORDS}
    tried, _ = trials(RECORDS, 3, seed=1, known=safe)
    assert all(trial.text.startswith("Most people") for trial in tried if trial.kind == "true")
    with pytest.raises(SettingError, match="cannot be drawn"):
        trials(RECORDS, 1, known=trained_on([replace(record, focus="q") for record in RECORDS]))


def test_too_few_records_are_reported() -> None:
    for sample in (0, 41):
        with pytest.raises(SettingError, match="cannot be drawn"):
            trials(RECORDS, sample)


def test_rates_are_reported_by_kind_and_kept() -> None:
    tried, _ = trials(RECORDS, 2)
    asked: list[str] = []

    def ask(trial: Trial) -> Any:
        asked.append(trial.text)
        return answer(premise="contradicted")

    kept: dict[str, Any] = {}
    found, rows = evaluate_robustness(tried, ask, BY_WORDS, 0.7, Execution(resamples=20, kept=kept))
    assert found["unanswerable"]["right"] == (1, 1, 1)
    assert found["contradictory"]["abstained"] == (1, 1, 1)
    assert found["planted"]["right"].mean == found["true"]["right"].mean == 1
    assert sum(estimate.mean for estimate in found["irrelevant"].values()) == 1
    assert found["changed premise"]["right"] == found["true premise"]["wrong"] == (1, 1, 1)
    assert premises(rows)["true premise"] == {"contradicted": 2}
    assert len(rows) == len(tried) == len(kept)
    before = len(asked)
    evaluate_robustness(tried, ask, BY_WORDS, 0.7, Execution(resamples=20, kept=kept))
    assert len(asked) == before


def test_a_sentence_that_passes_is_wrong_if_it_was_changed() -> None:
    trusting = FakeCritic(lambda *_: 1.0)
    trial = Trial("planted", "Gout is treated at home.", "r", (), "Gout is treated at home.")
    ask: Any = None
    found, _ = evaluate_robustness([trial], ask, trusting, 0.7, Execution(resamples=2))
    assert found["planted"]["wrong"].mean == 1
    # The checks of the graph apply as well as the critic.
    changed = trial._replace(text="Gout is not treated at home.")
    found, _ = evaluate_robustness([changed], ask, trusting, 0.7, Execution(resamples=2))
    assert found["planted"]["right"].mean == 1
    withheld = changed._replace(kind="true")
    found, _ = evaluate_robustness([withheld], ask, trusting, 0.7, Execution(resamples=2))
    assert found["true"]["abstained"].mean == 1
