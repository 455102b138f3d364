"""The critic that asks a chat model, with one whose replies are known."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import BaseMessage

from anamnesis.errors import ModelError, SettingError
from anamnesis.models import chat as chats
from anamnesis.models.critic import Support
from anamnesis.models.llm_critic import LLMCritic
from anamnesis.replaced_prompts import replacing_prompts
from tests.fakes import FailingChat, ScriptedChat, in_turn

SAFE = "Aspirin is safe."


def verdict(messages: list[BaseMessage]) -> str:
    """Entailment where the passage has the statement, contradiction where it has its 'not'."""
    passage, _, statement = messages[1].text.partition("\n\nStatement:\n")
    if statement in passage:
        return "entailment 90"
    return "contradiction 80" if statement.replace("is", "is not") in passage else "neutral 70"


def judging(*replies: str, **fields: Any) -> ScriptedChat:
    """Gives these replies, and then verdicts."""
    return ScriptedChat(in_turn(*replies, then=verdict), **fields)


def systems(chat: ScriptedChat) -> list[str]:
    return [call.messages[0].text for call in chat.seen]


def judged(chat: ScriptedChat, statement: str, *premises: str) -> list[Support]:
    return LLMCritic(chat, "reader").judge([statement], [premises])[0]


def test_the_words_become_probabilities_with_their_sentence() -> None:
    premises = [
        "It is old. Aspirin is safe. It is cheap.",
        "It is old. Aspirin is not safe. It is cheap.",
        "It is old. It is cheap. All drugs like aspirin are.",
        "",
    ]
    said, against, silent, empty = judged(judging(), SAFE, *premises)
    assert said[:2] == (0.9, 0.0)
    assert premises[0][said.start : said.end] == "Aspirin is safe."
    assert against[:2] == (0.0, 0.8)
    assert premises[1][against.start : against.end] == "Aspirin is not safe."
    assert silent[:2] == (0.0, 0.0)
    assert premises[2][silent.start : silent.end] == "All drugs like aspirin are."
    assert empty == Support(0.0, 0.0, 0, 0)


def test_of_equal_sentences_the_first_is_the_evidence() -> None:
    premise = "Safe drugs exist. Aspirin helps. Safe means safe."
    [found] = judged(judging(), "Aspirin is safe.", premise)
    assert premise[found.start : found.end] == "Safe drugs exist."


def test_the_instructions_are_the_prompt_file() -> None:
    chat = judging()
    judged(chat, SAFE, "Aspirin is safe {in} children.")
    prompt = Path(__file__).parents[3] / "prompts" / "critic.md"
    assert systems(chat) == [prompt.read_text("utf-8").strip()]
    assert chat.asked == [f"Passage:\nAspirin is safe {{in}} children.\n\nStatement:\n{SAFE}"]


def test_an_unreadable_reply_is_shown_and_asked_for_once_more() -> None:
    chat = judging("I would say so.\nYes!", "Entailment: 75%")
    [support] = judged(chat, SAFE, SAFE)
    assert support.probability == 0.75
    assert len(chat.asked) == 2
    assert chat.asked[1].startswith(chat.asked[0])
    assert "'I would say so. Yes!'" in chat.asked[1]


@pytest.mark.parametrize("reply", [f"{SAFE} entailment 80", f"- *{SAFE}* : entailment: 80"])
def test_a_verdict_after_the_statement_is_read(reply: str) -> None:
    chat = judging(reply)
    assert judged(chat, SAFE, SAFE)[0][:2] == (0.8, 0.0)
    assert len(chat.asked) == 1


def test_what_stays_unreadable_supports_nothing() -> None:
    chat = judging("entailment, surely", "not entailment 90")
    [support] = judged(chat, SAFE, SAFE)
    assert support[:2] == (0.0, 0.0)
    assert len(chat.asked) == 2


def test_a_pair_is_asked_once_a_call() -> None:
    chat = judging()
    critic = LLMCritic(chat, "reader")
    first, second = critic.judge([SAFE, SAFE], [[SAFE, "It is old.", SAFE], ["It is old."]])
    assert [support.probability for support in [*first, *second]] == [0.9, 0.0, 0.9, 0.0]
    assert len(chat.asked) == 2
    critic.judge([SAFE], [[SAFE]])
    assert len(chat.asked) == 3


FILLER = "Nothing of this matters to anyone at all. " * 200


@pytest.mark.parametrize("premise", ["{} " + FILLER, FILLER + "{}", FILLER + "{} " + FILLER])
@pytest.mark.parametrize("sentence", ["Aspirin is safe.", "Aspirin is not safe."])
def test_a_long_premise_is_read_in_windows_and_nothing_is_cut(premise: str, sentence: str) -> None:
    chat = judging()
    premise = premise.format(sentence)
    [support] = judged(chat, SAFE, premise)
    assert support[:2] == ((0.0, 0.8) if "not" in sentence else (0.9, 0.0))
    assert premise[support.start : support.end] == sentence
    assert len(chat.asked) > 1
    for system, question in zip(systems(chat), chat.asked, strict=True):
        assert chats.count_tokens(chat, system) + chats.count_tokens(chat, question) < 2048


LABELS = "One of entailment, neutral and contradiction, and a number. "


def test_a_prompt_in_place_of_the_projects_own_is_counted() -> None:
    chat = judging()
    with replacing_prompts({"critic": LABELS + "Be careful. " * 400}):
        [support] = judged(chat, SAFE, FILLER + SAFE)
    assert support.probability == 0.9
    assert len(chat.asked) > 1
    for system, question in zip(systems(chat), chat.asked, strict=True):
        assert system.startswith(LABELS)
        assert chats.count_tokens(chat, system) + chats.count_tokens(chat, question) < 2048


def test_a_prompt_that_leaves_no_room_is_refused_and_a_short_one_makes_some() -> None:
    critic = LLMCritic(judging(), "reader")
    with (
        replacing_prompts({"critic": LABELS + "Be careful. " * 600}),
        pytest.raises(ModelError, match=r"instructions \(\d+ tokens\).*shorten `critic`"),
    ):
        critic.judge([SAFE], [[SAFE]])
    small = judging(profile={"max_input_tokens": 350})
    with replacing_prompts({"critic": LABELS}):
        critic = LLMCritic(small, "small")
        assert critic.judge([SAFE], [[SAFE]])[0][0].probability == 0.9
    with pytest.raises(ModelError, match="too few for instructions"):
        critic.judge([SAFE], [[SAFE]])


def test_a_statement_without_words_or_without_room_is_not_supported_and_not_asked() -> None:
    chat = judging()
    endless = "Aspirin is safe and " * 1000
    assert judged(chat, endless, endless) == [Support(0.0, 0.0, 0, 0)]
    assert judged(chat, " ", SAFE) == [Support(0.0, 0.0, 0, 0)]
    assert LLMCritic(chat, "reader").judge([], []) == []
    assert chat.asked == []


def test_every_statement_needs_its_group() -> None:
    with pytest.raises(SettingError, match="2 statements but 1 groups"):
        LLMCritic(judging(), "reader").judge([SAFE, SAFE], [[SAFE]])


def test_a_model_that_fails_is_named() -> None:
    with pytest.raises(ModelError, match=r"'llm:reader' did not answer \(ConnectionError"):
        judged(FailingChat(ConnectionError("refused")), SAFE, SAFE)


def test_verdicts_are_not_streamed_as_part_of_an_answer() -> None:
    chat = judging()
    judged(chat, SAFE, SAFE)
    assert [call.tags for call in chat.seen] == [["nostream"]]


def test_a_window_without_room_for_a_passage_is_refused() -> None:
    chat = FakeListChatModel(responses=["yes"], profile={"max_input_tokens": 300})
    with pytest.raises(ModelError, match=r"reads 300 tokens at once, too few.*a longer window"):
        LLMCritic(chat, "small")
