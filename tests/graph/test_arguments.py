"""What an integrator gives by mistake: it is refused, with what is wrong and the remedy."""

import logging
from typing import Any

import httpx
import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, ToolMessage

from anamnesis import ModelError, SettingError
from anamnesis.models.support import Support
from graph import as_tool, build_graph, checker
from retrievers.index import Index
from tests.fakes import ToolChat, in_turn
from tests.graph.conftest import ASK, CHECKED, GOOD, Always, ScriptedCritic


@pytest.mark.parametrize("question", [3, ["gout"], {"text": "gout"}, True, b"gout", 1.5])
def test_a_question_that_is_no_text_is_refused(small_index: Index, question: Any) -> None:
    with pytest.raises(SettingError, match=f"the question is a {type(question).__name__}; give"):
        build_graph(index=small_index).invoke({"question": question})


@pytest.mark.parametrize("given", ["mkrag", 3, [{"generator.passages": 1}]])
def test_settings_of_another_type_are_not_ignored(small_index: Index, given: Any) -> None:
    with pytest.raises(SettingError, match=f"context is {type(given).__name__}; give Context"):
        build_graph(index=small_index).invoke(ASK, context=given)


def test_a_wrong_setting_of_a_graph_is_a_setting_error(small_index: Index) -> None:
    for given in ({"generator.pasages": 3}, {"generator": {"pasages": 3}}):
        with pytest.raises(SettingError, match=r"did you mean 'generator\.passages'"):
            build_graph(index=small_index, context=given)
    with pytest.raises(SettingError, match=r"generator\.passages: Input should be a valid integer"):
        build_graph(index=small_index, context={"generator.passages": "many"})


def test_a_class_is_no_chat_model(small_index: Index) -> None:
    with pytest.raises(SettingError, match="chat: FakeListChatModel is a class; give an object"):
        build_graph(index=small_index, chat=FakeListChatModel)  # type: ignore[arg-type]


class Broken(ScriptedCritic):
    """A critic of another program, which fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__({})
        self.error = error

    def judge(self, statements: Any, premises: Any) -> Any:
        raise self.error


def writing(index: Index, critic: Any) -> Any:
    chat = FakeListChatModel(responses=[f"{GOOD} [1]"])
    return build_graph(index=index, critic=critic, reranker=Always(), chat=chat)


def test_the_error_of_a_critic_is_reported_without_its_message(
    small_index: Index, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "refused by http://user:word@critics.test"
    with caplog.at_level(logging.ERROR), pytest.raises(ModelError) as raised:
        writing(small_index, Broken(ValueError(secret))).invoke(ASK, context=CHECKED)
    assert "critic: judge of Broken failed with ValueError" in str(raised.value)
    assert secret not in str(raised.value)
    assert secret in caplog.text


def test_a_critic_that_cannot_be_reached_leaves_statements_unchecked(small_index: Index) -> None:
    answer = writing(small_index, Broken(httpx.ConnectError("no route"))).invoke(
        ASK, context=CHECKED
    )["answer"]
    assert answer["statements"] == []
    assert answer["reason"] == "unchecked"


@pytest.mark.parametrize(
    "judged",
    [[], None, [[]], [[0.9]], [[Support(float("nan"), None, 0, 1)]], [[Support(7, None, 0, 1)]]],
)
def test_judgements_of_another_form_are_refused(small_index: Index, judged: Any) -> None:
    class Odd(ScriptedCritic):
        def judge(self, statements: Any, premises: Any) -> Any:
            return judged

    with pytest.raises(ModelError, match="judge of Odd must return a list for every statement"):
        writing(small_index, Odd({})).invoke(ASK, context=CHECKED)


def test_a_compressor_that_returns_nothing_is_named(small_index: Index) -> None:
    class Silent:
        def compress_documents(self, documents: Any, query: str, callbacks: Any = None) -> None:
            return None

    with pytest.raises(ModelError, match="of Silent returned NoneType; it must return a list"):
        build_graph(index=small_index, reranker=Silent()).invoke(ASK, context=CHECKED)


@pytest.mark.parametrize("given", ["Asthma causes wheezing.", Document("Asthma."), None, 3])
def test_one_document_is_not_read_by_its_letters(given: Any) -> None:
    asked = {"answer": "Asthma causes wheezing.", "documents": given}
    with pytest.raises(SettingError, match=f"documents is {type(given).__name__}; give a list"):
        checker(ScriptedCritic({})).invoke(asked)


def test_a_tool_needs_a_graph_and_right_settings(small_index: Index) -> None:
    with pytest.raises(SettingError, match="graph: str has no invoke, get_state"):
        as_tool("graph")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="there is no setting 'passages'"):
        as_tool(build_graph(index=small_index), {"passages": 3})


def test_a_wrong_setting_of_an_agent_is_reported_and_not_blamed_on_the_question(
    small_index: Index,
) -> None:
    asks = {"name": "medical_question", "args": {"question": "What is gout?"}, "id": "1"}
    model = ToolChat(in_turn(AIMessage("", tool_calls=[asks]), "Done."))
    agent: Any = create_agent(model, [as_tool(build_graph(index=small_index))], context_schema=dict)
    given = {"anamnesis": {"passages": 3}}
    messages = agent.invoke({"messages": [("user", "Gout?")]}, context=given)["messages"]
    [text] = [item.text for item in messages if isinstance(item, ToolMessage)]
    assert "there is no setting 'passages'; did you mean 'generator.passages'" in text
