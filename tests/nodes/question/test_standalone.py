import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.constants import TAG_NOSTREAM

from anamnesis.corpus.starter import read_starter
from nodes.question.standalone import EARLIER, faithful, rewritten
from prompts import load
from tests.fakes import FailingChat, ScriptedChat

ASTHMA = [("What are the symptoms of asthma?", "Asthma")]


def chat(reply: str) -> ScriptedChat:
    return ScriptedChat(lambda _: reply)


@pytest.mark.parametrize(
    ("question", "reply", "result"),
    [
        ("How is it treated?", "How is asthma treated?", "How is asthma treated?"),
        ("How is it treated?", ' "How is asthma treated?"\n', "How is asthma treated?"),
        ("How is it treated?", "<think>Asthma.\n</think>\nHow is asthma treated?",
         "How is asthma treated?"),
        ("What are its causes?", "What are asthma's causes?", "What are asthma's causes?"),
        ("Tell me more", "Tell me more about asthma.", "Tell me more about asthma."),
        ("Can I take 2.5 mg for it?", "Can I take 2.5 mg for asthma?",
         "Can I take 2.5 mg for asthma?"),
        ("Is this condition not serious?", "Is asthma not serious?", "Is asthma not serious?"),
    ],
)  # fmt: skip
def test_a_faithful_rewriting_is_used(question: str, reply: str, result: str) -> None:
    assert rewritten(chat(reply), question, ASTHMA) == result


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("How is it treated?", ""),
        ("How is it treated?", "Asthma is treated with inhalers."),
        ("How is it treated?", "Sure!\nHow is asthma treated?"),
        ("How is it treated?", "How is it treated?"),
        ("How is it treated?", "What is asthma?"),
        ("How is it treated?", "How is asthma treated with steroids?"),
        ("How is it treated?", "How is gout treated?"),
        ("How is it treated?", "How is asthma not treated?"),
        ("Is it not serious?", "Is asthma serious?"),
        ("Why doesn't it go away?", "Why does asthma go away?"),
        ("Can I take 2.5 mg for it?", "Can I take 25 mg for asthma?"),
        ("Can I take 5 mg for it?", "Can I take mg for asthma?"),
        ("Can I take 5 mg for it?", "Can I take 5 mg 2 times for asthma?"),
        ("Can I take more for it?", "Can I take for asthma?"),
        ("Is it bad for my daughter?", "Is asthma bad?"),
        ("How is it treated?", f"How is asthma {'asthma ' * 40}treated?"),
    ],
)
def test_a_rewriting_that_asks_something_else_is_thrown_away(question: str, reply: str) -> None:
    assert rewritten(chat(reply), question, ASTHMA) is None


@pytest.mark.parametrize(
    ("question", "earlier"),
    [("How is it treated?", []), ("What are the side effects of metformin?", ASTHMA)],
)
def test_a_question_that_refers_to_nothing_is_not_given_to_the_model(
    question: str, earlier: list[tuple[str, str]]
) -> None:
    model = chat(question)
    assert rewritten(model, question, earlier) is None
    assert not model.seen


def test_the_model_sees_examples_as_turns_and_the_last_questions() -> None:
    model = chat("Is measles serious?")
    earlier = [(f"What is {name}?", "") for name in ("scurvy", "gout", "mumps", "measles")]
    assert len(earlier) == EARLIER + 1
    assert rewritten(model, "Is it serious?", earlier)
    [seen] = model.seen
    kinds = [message.type for message in seen.messages]
    assert kinds[0] == "system"
    assert kinds[1:-1] == ["human", "ai"] * (len(kinds) // 2 - 1)
    last = str(seen.messages[-1].content)
    assert last.endswith("Question: Is it serious?")
    assert "scurvy" not in last
    assert "gout" in last
    assert seen.tags == [TAG_NOSTREAM]


def test_a_model_that_fails_is_logged_and_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert rewritten(FailingChat(OSError("unreachable")), "How is it treated?", ASTHMA) is None
    assert "unreachable" in caplog.text


def test_the_examples_of_the_prompt_are_faithful_themselves() -> None:
    model = chat("")
    rewritten(model, "How is it treated?", ASTHMA)
    [seen] = model.seen
    examples = seen.messages[1:-1]
    assert len(examples) == 2 * load("standalone").count("\n=>\n") > 0
    for asked, example in zip(examples[::2], examples[1::2], strict=True):
        assert isinstance(asked, HumanMessage)
        assert isinstance(example, AIMessage)
        turns, question = str(asked.content).split("\nQuestion: ")
        earlier = [(line.removeprefix("- "), "") for line in turns.splitlines()[1:]]
        assert faithful(str(example.content), question, earlier)


@given(st.text(max_size=60), st.text(max_size=30))
def test_a_word_that_nobody_said_is_never_used(text: str, question: str) -> None:
    assert not faithful(f"{text} leprosy?", question, ASTHMA)


def test_a_starter_question_is_a_faithful_rewriting_but_not_on_another_topic_or_denied() -> None:
    """Of 236 and 236 questions 235 and 232 are; none is with another topic or a 'not'."""
    asked = []
    for record in read_starter():
        topic = re.sub(r" ?\([^()]*\)", "", record.focus)
        if re.search(rf"\b{re.escape(topic)}\b", record.question, re.IGNORECASE):
            asked.append((record.question, topic))
    kept = []
    for (question, topic), (_, other) in zip(asked, asked[7:], strict=False):
        named = re.compile(rf"\b{re.escape(topic)}\b", re.IGNORECASE)
        refers, earlier = named.sub("it", question, count=1), [(f"What is {topic}?", topic)]
        kept.append(faithful(question, refers, earlier))
        if not named.search(other) and other.lower() not in question.lower():
            assert not faithful(named.sub(other, question, count=1), refers, earlier), question
        denied = re.sub(r"\b(is|are|can|should)\b", r"\1 not", question, count=1)
        assert denied == question or not faithful(denied, refers, earlier), question
    assert len(kept) > 200
    assert sum(kept) > 0.95 * len(kept)
