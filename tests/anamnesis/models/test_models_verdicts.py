"""The question to a chat model that judges statements, and what is read of its replies."""

from collections import Counter
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage

from anamnesis.corpus.passage import Passage
from anamnesis.models.chat import count_tokens
from anamnesis.models.llm_critic import LLMCritic
from anamnesis.models.verdicts import Verdict, question, read_verdict, read_verdicts
from nodes.checking.judge import judge
from nodes.checking.statements import unchecked_statement
from tests.fakes import ScriptedChat, in_turn

SAID = [
    "Asthma is a disease of the airways.",
    "Gout is a kind of arthritis.",
    "Measles spreads through the air.",
    "Anemia makes people feel tired.",
    "Scabies is caused by mites.",
    "Rickets softens the bones of children.",
]
# None of them is a whole sentence of a page: such a quotation needs no critic.
PAGES = [
    Passage(f"p{n}#0", f"p{n}", 0, len(text), text)
    for n, text in enumerate(
        " ".join([*(f"{text.rstrip('.')}, as everybody knows." for text in some), "It was late."])
        for some in (SAID[:2], SAID[2:4], SAID[4:5])
    )
]


def verdicts(messages: list[BaseMessage]) -> str:
    """Of each numbered statement, whether the passage has its words."""
    passage, _, listed = messages[1].text.partition("\n\nStatements:\n")
    lines = [line for line in listed.partition("\n\n")[0].splitlines() if line]
    said = [line.partition(". ")[2].rstrip(".") in passage for line in lines]
    return "\n".join(
        f"{n}: {'entailment 90' if found else 'neutral 80'}" for n, found in enumerate(said, 1)
    )


def judging(*replies: str) -> ScriptedChat:
    """Gives these replies, and then verdicts."""
    return ScriptedChat(in_turn(*replies, then=verdicts))


def test_six_statements_over_three_documents_are_three_calls() -> None:
    chat = judging()
    drafted = [unchecked_statement(text, [PAGES[0].id]) for text in SAID]
    found = judge(drafted, PAGES, LLMCritic(chat, "batches"), 0.5)
    assert len(chat.asked) == 3
    assert [item["probability"] for item in found] == [0.9] * 5 + [0.0]
    assert [item["verdict"] for item in found] == ["supported"] * 5 + ["unsupported"]
    assert [item["citations"] for item in found][:5] == [
        ["p0#0"], ["p0#0"], ["p1#0"], ["p1#0"], ["p2#0"]
    ]  # fmt: skip


def judged(chat: ScriptedChat) -> list[float]:
    """The supports of the first three statements by the first page."""
    premises = [[PAGES[0].text]] * 3
    return [support.probability for [support] in LLMCritic(chat, "b").judge(SAID[:3], premises)]


def test_each_statement_has_its_own_verdict() -> None:
    chat = judging("1: contradiction 70\n2. Entailment, 80%\n\n**3** neutral 100")
    assert judged(chat) == [0.0, 0.8, 0.0]
    assert chat.asked == [question(SAID[:3], PAGES[0].text)]


def test_lines_may_repeat_their_statement_and_give_a_reason() -> None:
    reply = (
        f"1: {SAID[0]} : contradiction: 70\n2. **{SAID[1]}** entailment 80. It says so.\n"
        f"3: neutral 100 - nothing about it"
    )
    chat = judging(reply)
    assert judged(chat) == [0.0, 0.8, 0.0]
    assert len(chat.asked) == 1


UNREADABLE = [
    f"1: {SAID[1]} : entailment 90\n2: {SAID[0]} : entailment 90\n3: entailment 90",
    "1: entailment 90\n2: entailment 90",  # the last is lacking: two may be taken for one
    "0: entailment 90\n1: entailment 90\n2: entailment 90",
    "1: entailment 90\n2: entailment 90\n4: entailment 90",
    "1: entailment 90\n1: entailment 90\n3: entailment 90",
    "3: entailment 90\n2: entailment 90\n1: entailment 90",
    "entailment 90\nentailment 90\nentailment 90",
    "entailment 90",
    "1: entailment 90\n2: not entailment 90\n3: entailment 90",
    "1: entailment 90\n2: entailment 900\n3: entailment 90",
    "Here are my verdicts: 1: entailment 90\n2: entailment 90\n3: entailment 90",
    "<think>1: entailment 90\n2: entailment 90\n3: entailment 90",
    "",
]


@pytest.mark.parametrize("reply", UNREADABLE)
def test_what_stays_unreadable_supports_none_of_them(reply: str) -> None:
    chat = judging(reply, reply)
    assert judged(chat) == [0.0, 0.0, 0.0]
    assert len(chat.asked) == 2
    assert "Reply with 3 lines" in chat.asked[1].partition("is not of the form")[2]


def test_a_statement_that_replies_lack_is_not_supported_and_the_others_are() -> None:
    lacking = "1: entailment 90\n3: entailment 70"
    assert judged(judging(lacking, lacking)) == [0.9, 0.0, 0.7]
    whole = "1: entailment 60\n2: entailment 60\n3: entailment 60"
    assert judged(judging(lacking, whole)) == [0.6, 0.6, 0.6]


@given(lines=st.lists(st.sampled_from("123"), max_size=4), word=st.text("entailmu 90:\n"))
def test_no_reply_supports_a_statement_that_no_line_is_on(lines: list[str], word: str) -> None:
    reply = "\n".join([*(f"{number}: entailment 90" for number in lines), word])
    found = read_verdicts(reply, 3)
    counts = Counter(lines)
    assert all(counts[str(place + 1)] == 1 for place in found if found[place] == (0.9, 0.0))


def test_a_statement_of_several_lines_is_asked_as_one() -> None:
    asked = question(["Aspirin is safe.\n2. Aspirin cures colds.", "It is old."], "A page.")
    assert "\n1. Aspirin is safe. 2. Aspirin cures colds.\n2. It is old.\n" in asked
    assert read_verdicts("1: neutral 90\n2: entailment 90", 2) == {
        0: Verdict(0.0, 0.0),
        1: Verdict(0.9, 0.0),
    }


def test_many_statements_are_asked_in_batches_that_leave_room_for_the_page() -> None:
    chat = judging()
    many = [f"Gout is known by the number {n} among all diseases." for n in range(50)]
    page = f"{many[7]} {many[41]} " + "Nothing of this matters to anyone. " * 150
    found = LLMCritic(chat, "b").judge(many, [[page]] * 50)
    assert [n for n, [support] in enumerate(found) if support.probability] == [7, 41]
    assert all(count_tokens(chat, asked) < 2048 for asked in chat.asked)
    assert len(chat.asked) < 20


def test_passages_are_asked_about_at_the_same_time() -> None:
    barrier = Barrier(3)

    def together(messages: list[BaseMessage]) -> str:
        if len(chat.seen) > 1:  # the first call of a model is let through alone
            barrier.wait(10)  # raises if the calls come one after the other
        return verdicts(messages)

    chat = ScriptedChat(together)
    pages = [page.text for page in PAGES]
    critic = LLMCritic(chat, "b")
    critic.judge(SAID[:2], [pages[:1]] * 2)
    supports = critic.judge(SAID[:2], [pages, pages])
    assert [support.probability for support in supports[0]] == [0.9, 0.0, 0.0]


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("entailment 95", (0.95, 0.0)),
        ("CONTRADICTION 100", (0.0, 1.0)),
        ("neutral 60", (0.0, 0.0)),
        ("**Entailment** (80%).\n", (0.8, 0.0)),
        ("support 95", (0.95, 0.0)),
        ("Supported: 70%", (0.7, 0.0)),
        ("contradict 90", (0.0, 0.9)),
        ("Contradicts (60)", (0.0, 0.6)),
        ("entailment 0.9", (0.9, 0.0)),
        ("Supported (.85)", (0.85, 0.0)),
        ("contradiction: 1.0.", (0.0, 1.0)),
        ("entailment 1", (0.01, 0.0)),
        ("entailment 90: The passage says so.", (0.9, 0.0)),
        ("Entailment 0.8\n\nThe passage says that it is safe.\nSo it is.", (0.8, 0.0)),
        ("contradiction (75%) - it says the opposite", (0.0, 0.75)),
        ("<think>\nentailment 99? No.\n</think>\n\nneutral 80", (0.0, 0.0)),
    ],
)
def test_a_verdict_is_read(reply: str, read: tuple[float, float]) -> None:
    assert read_verdict(reply) == read


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "entailment",
        "90",
        "entailment 101",
        "entailment -90",
        "entailment 1.01",
        "entailment 90.5",
        "entailment 0.9.1",
        "not entailment 90",
        "no entailment: 90",
        "entailment 90 contradiction 10",
        "entailment 90\nneutral 10",
        "entailment 90: it is not entailed",
        "entailment 90, or rather contradiction",
        "entailment 90, 80",
        "entailment 90: 10",
        "entailment: The passage says so.",
        "entailments 90",
        "unsupported 90",
        "not support 90",
        "does not contradict 90",
        "entailment90",
        "<think>entailment 90",
        "Reply: entailment 90",
    ],
)
def test_what_is_not_one_word_and_one_number_is_no_verdict(reply: str) -> None:
    assert read_verdict(reply) is None


@given(word=st.sampled_from(["entailment", "neutral", "contradiction"]), sure=st.integers(0, 100))
def test_no_word_but_entailment_supports(word: str, sure: int) -> None:
    found = read_verdict(f"{word} {sure}")
    assert found is not None
    assert found.probability == (sure / 100 if word == "entailment" else 0)
    assert found.contradiction == (sure / 100 if word == "contradiction" else 0)


@given(before=st.text("abn0 9.,:(\n", min_size=1).filter(lambda text: text.strip("( \n")))
def test_words_before_a_verdict_make_it_unreadable(before: str) -> None:
    assert read_verdict(f"{before} entailment 90") is None
