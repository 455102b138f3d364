"""Any answer is checked against documents by the graph's critic and checks, without its graph."""

import math
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage

from anamnesis import ModelError, SettingError
from anamnesis.models.critic import Support
from graph import checker
from tests.graph.conftest import ASTHMA, GOOD, GOUT, WRONG, ScriptedCritic

CRITIC = ScriptedCritic({GOOD: 0.9, WRONG: 0.1})
PAIR = [Document(ASTHMA, id="own"), GOUT]


def test_any_answer_is_checked_against_documents() -> None:
    found = checker(CRITIC).invoke({"answer": f"{GOOD} [1] {WRONG} [2]", "documents": PAIR})
    assert [(statement["text"], statement["verdict"]) for statement in found["statements"]] == [
        (GOOD, "supported"), (WRONG, "unsupported"),
    ]  # fmt: skip
    assert (found["supported"], found["score"], found["critic"]) == (False, 0.5, "scripted")
    evidence = found["statements"][0]["evidence"]
    assert evidence is not None
    assert evidence["document"] == "1"


def test_a_quotation_needs_no_critic_and_its_place_is_reported() -> None:
    said = "Gout often strikes the big toe."
    found = checker(ScriptedCritic({})).invoke((AIMessage(said), PAIR))
    [statement] = found["statements"]
    assert (found["supported"], statement["citations"]) == (True, ["2"])
    place = statement["evidence"]
    assert place is not None
    assert GOUT[place["start"] : place["end"]] == said


def test_the_checks_of_the_graph_hold_here_too() -> None:
    document = "Adults take 200 mg of ibuprofen three times a day."
    said = "Adults take 400 mg of ibuprofen three times a day."
    [statement] = checker(ScriptedCritic({said: 0.99})).invoke((said, [document]))["statements"]
    assert statement["verdict"] == "unsupported"
    assert statement["failed_checks"] == ["number: 400 mg"]


def test_a_statement_that_cites_a_document_that_does_not_exist_is_unsupported() -> None:
    said = "Gout often strikes the big toe"
    found = checker(ScriptedCritic({})).invoke((f"{said} [2]. {said} [2, 9]. {said}.", PAIR))
    assert [statement["verdict"] for statement in found["statements"]] == [
        "supported", "unsupported", "supported",
    ]  # fmt: skip
    assert found["statements"][1]["failed_checks"] == ["reference: [9]"]
    assert found["statements"][1]["citations"] == []


class Answering(ScriptedCritic):
    """A critic that gives the same judgements whatever is asked, or raises an error."""

    def __init__(self, judged: Any) -> None:
        super().__init__({})
        self._judged = judged

    def judge(self, statements: Any, premises: Any) -> Any:
        if isinstance(self._judged, Exception):
            raise self._judged
        return self._judged


@pytest.mark.parametrize(
    "judged",
    [[[Support(5.0, None, 0, 4)]], [[Support(math.nan, None, 0, 4)]], [], [[]], None, ["x"]],
)
def test_a_critic_that_gives_no_probabilities_is_named(judged: Any) -> None:
    with pytest.raises(ModelError, match="critic: judge of Answering must return a list"):
        checker(Answering(judged)).invoke((WRONG, [ASTHMA]))


def test_an_error_of_a_critic_is_not_shown() -> None:
    with pytest.raises(ModelError, match="judge of Answering failed with KeyError") as raised:
        checker(Answering(KeyError("key sk-1"))).invoke((WRONG, [ASTHMA]))
    assert "sk-1" not in str(raised.value)


@pytest.mark.parametrize(
    "critic", [Answering(ConnectionError("key sk-1")), "http://127.0.0.1:9?api=tei"]
)
def test_a_critic_that_does_not_answer_leaves_statements_unchecked(
    critic: Any, caplog: pytest.LogCaptureFixture
) -> None:
    copied = "Gout often strikes the big toe."
    checked = checker(critic)
    found = checked.invoke((f"{WRONG} {copied} {copied[:-1]} [9].", PAIR))
    assert [statement["verdict"] for statement in found["statements"]] == [
        "unchecked", "supported", "unsupported",
    ]  # fmt: skip
    assert (found["supported"], found["score"]) == (False, 0.3333)
    assert found["statements"][1]["citations"] == ["2"]
    assert "statements stay unchecked" in caplog.text
    assert checked.invoke((copied, PAIR))["supported"]


@pytest.mark.parametrize("support", [2, -0.1, "x", math.nan, True, None])
def test_a_threshold_that_is_no_probability_is_named(support: Any) -> None:
    with pytest.raises(SettingError, match=r"support is .*; give a probability from 0 to 1"):
        checker(CRITIC, support).invoke((GOOD, PAIR))


def test_an_answer_without_statements_is_not_supported() -> None:
    assert not checker(CRITIC).invoke(("", PAIR))["supported"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("x", []), "no document"),
        (("x", [3]), "document 1 is int"),
        ("x", "not str"),
        ((3, PAIR), "the answer is int"),
        ({"answer": "x"}, "not dict"),
    ],
)
def test_what_cannot_be_checked_is_named(asked: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        checker(CRITIC).invoke(asked)
    with pytest.raises(SettingError, match="critic: object has no name"):
        checker(object())  # type: ignore[arg-type]
