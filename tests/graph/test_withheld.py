"""What a draft says and its sources do not confirm, with what of them comes nearest."""

from collections.abc import Callable

import pytest

from anamnesis import ModelError
from graph import build_graph
from nodes.writing.confidence import UNCONFIRMED
from retrievers.index import Index
from tests.fakes import FakeCritic, silent
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    WORSE,
    WRONG,
    Always,
    Queue,
    ScriptedCritic,
    built,
)

Chat = Callable[..., Queue]


def test_a_claim_near_the_evidence_is_listed_with_it(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(f"{GOOD} {WORSE} {WRONG}"), {GOOD: 0.9})
    context = CHECKED.changed({"loop.max_rounds": 1})
    answer = graph.invoke(ASK, context=context)["answer"]
    assert [item["text"] for item in answer["withheld"]] == answer["unconfirmed"] == [WORSE, WRONG]
    near = answer["withheld"][0]["near"]
    assert near["sentence"] == "Asthma causes wheezing."
    assert near["url"] == "https://a.test"
    stated, _, rest = answer["text"].partition(UNCONFIRMED)
    assert WORSE not in stated
    assert f"- “{WORSE}” Nearest in the sources: “Asthma causes wheezing.” (What is" in rest
    # What has nothing near it is counted alone.
    assert answer["withheld"][1]["near"] is None
    assert WRONG not in answer["text"]
    assert "Not shown: 1 statement of the draft" in rest


def test_what_is_denied_or_fails_a_check_is_counted_alone(
    small_index: Index,
    queue: Chat,
) -> None:
    dose = "Asthma causes 50 mg of wheezing."
    graph = built(
        small_index, queue(f"{GOOD} {WORSE} {dose}"), {GOOD: 0.9, dose: 0.99}, against=[WORSE]
    )
    context = CHECKED.changed({"loop.max_rounds": 1})
    answer = graph.invoke(ASK, context=context)["answer"]
    assert [item["verdict"] for item in answer["withheld"]] == ["contradicted", "unsupported"]
    assert answer["withheld"][1]["failed_checks"]
    assert UNCONFIRMED not in answer["text"]
    assert "Not shown: 2 statements of the draft" in answer["text"]


def test_where_the_critic_does_not_answer_nothing_is_quoted_instead(
    small_index: Index,
    queue: Chat,
) -> None:
    graph = build_graph(
        index=small_index,
        chat=queue(WRONG),
        critic=FakeCritic(silent),
        reranker=Always(),
        policy=lambda requested: requested,
    )
    steps = graph.stream(ASK, context=CHECKED, stream_mode="updates")
    updates = {name: update for step in steps for name, update in step.items()}
    [judged] = updates["verify"]["rounds"]
    assert {item["verdict"] for item in judged["statements"]} == {"unchecked"}
    assert updates["fallback"]["answer"]["text"] == ""
    answer = updates["remember"]["answer"]
    assert (answer["outcome"], answer["reason"]) == ("abstained", "unchecked")
    assert answer["statements"] == []
    assert WRONG not in answer["text"]
    assert answer["text"].startswith("Not checked: the model that compares")
    assert "could not be confirmed" not in answer["text"]


def test_the_log_has_a_critic_that_fails_at_what_would_be_quoted_instead(
    small_index: Index,
    queue: Chat,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def failing(*_: object) -> None:
        raise ModelError("gave scores that are not numbers")

    monkeypatch.setattr("nodes.writing.quoting.judge", failing)
    graph = build_graph(
        index=small_index,
        chat=queue(WRONG),
        critic=ScriptedCritic({}),
        reranker=Always(),
        policy=lambda requested: requested,
    )
    context = CHECKED.changed({"loop.max_rounds": 1})
    assert graph.invoke(ASK, context=context)["answer"]["outcome"] == "abstained"
    assert "withheld statements are not replaced" in caplog.text
    assert "not numbers" in caplog.text
