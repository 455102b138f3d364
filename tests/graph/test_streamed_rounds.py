"""Statements that are streamed in several rounds, and for several questions."""

from graph import Context, build_graph
from nodes.writing.render import WITHHELD
from retrievers.index import Index
from tests.fakes import FakeCritic
from tests.graph.conftest import (
    ASK,
    GOOD,
    TREATED,
    WORSE,
    WRONG,
    ScriptedCritic,
)
from tests.graph.test_several_questions import CAUSES, FIRST, LOOP, NAMED, SECOND
from tests.graph.test_streamed_statements import KNOWN, SEVERE, STREAMED, Chat, made, run, same


def test_of_several_questions_each_statement_says_which_it_is_for(
    small_index: Index, queue: Chat
) -> None:
    crystals = "Uric acid crystals are the cause of gout."
    critic = ScriptedCritic({**KNOWN, crystals: 0.9})
    chat = queue(f"{TREATED} [1] {WRONG} {SEVERE} [1]", f"{crystals} [1] {WORSE}")
    graph = build_graph(index=small_index, chat=chat, critic=critic, reranker=NAMED)
    asked = {"question": f"I am 40. {FIRST} {SECOND}"}
    context = Context(
        triage={"classifier": "patterns"},
        generator={"stream_statements": True},
        loop={"max_rounds": 1},
    )
    events, answer = run(graph, context, asked)
    assert [(item["part"], item["text"]) for item in events] == [
        (1, TREATED),
        (1, SEVERE),
        (2, crystals),
    ]
    assert same(events, answer)


def test_each_question_keeps_what_was_streamed_in_every_round(
    small_index: Index, queue: Chat
) -> None:
    asked = {"question": f"I am 40. {FIRST} {CAUSES}"}
    replies = [f"{TREATED} {WRONG} [1]", f"{WORSE} [1]", f"{SEVERE} {WORSE} [1]", f"{GOOD} [1]"]
    graph = build_graph(
        index=small_index, chat=queue(*replies), critic=ScriptedCritic(KNOWN), reranker=NAMED
    )
    context = LOOP.changed({"generator.stream_statements": True, "loop.max_rounds": 2})
    events, answer = run(graph, context, asked)
    stays = [(1, TREATED), (1, SEVERE), (2, GOOD)]
    assert [(item["part"], item["text"]) for item in events] == stays
    assert same(events, answer)
    assert answer["outcome"] == "partial"
    assert WRONG in answer["unconfirmed"]


def test_the_quotations_for_one_question_are_streamed_after_what_stays_of_another(
    small_index: Index, queue: Chat
) -> None:
    asked = {"question": f"I am 40. {SECOND} {FIRST}"}
    chat = queue(f"{WRONG} [1]", f"{TREATED} [1]", f"{WORSE} [1]", f"{WRONG} [1]")
    graph = build_graph(index=small_index, chat=chat, critic=ScriptedCritic(KNOWN), reranker=NAMED)
    events, answer = run(graph, LOOP.changed({"generator.stream_statements": True}), asked)
    assert [item["part"] for item in events][:2] == [2, 1]
    assert events[0]["text"] == TREATED
    # The answer has the statements in the order of the questions.
    assert same(sorted(events, key=lambda item: item["part"]), answer)
    assert [part["note"] for part in answer["parts"]] == [WITHHELD, None]
    assert WRONG in answer["unconfirmed"]


def test_what_another_round_states_is_not_listed_as_unconfirmed(
    small_index: Index, queue: Chat
) -> None:
    def later(said: str, premise: str) -> float:
        """Supports one statement only when it is judged again."""
        again = critic.asked.count((said, premise)) > 1
        return (0.9 if again else 0.1) if said == TREATED else KNOWN.get(said, 0.0)

    critic = FakeCritic(later)
    chat = queue(f"{GOOD} {TREATED}", f"{TREATED} {WRONG} {WORSE}")
    context = STREAMED.changed({"loop.max_rounds": 2})
    events, answer = run(made(small_index, chat, critic), context)
    assert [item["text"] for item in events] == [GOOD, TREATED]
    assert same(events, answer)
    assert TREATED not in answer["unconfirmed"]


def test_reasons_for_an_option_are_streamed_with_it(small_index: Index, queue: Chat) -> None:
    asked = {**ASK, "options": ["Wheezing", "Honey"]}
    context = Context.model_validate(
        {
            "preset": "self-medrag",
            "generator.stream_statements": True,
            "loop.max_rounds": 1,
            "memory.recall": False,
        }
    )
    chat = queue(f"Answer: A\n{GOOD} [1] {WRONG} [1]")
    events, answer = run(made(small_index, chat), context, asked)
    assert answer["choice"] == "A"
    assert [item["text"] for item in events] == [GOOD]
    assert same(events, answer)


def test_where_a_later_reply_is_unusable_the_answer_is_still_the_models(
    small_index: Index, queue: Chat
) -> None:
    chat = queue(f"{GOOD} {WRONG}", "", "")
    events, answer = run(made(small_index, chat), STREAMED.changed({"loop.max_rounds": 2}))
    assert GOOD in [item["text"] for item in events]
    assert same(events, answer)
    assert not any("quoted" in note for note in answer["notes"])
