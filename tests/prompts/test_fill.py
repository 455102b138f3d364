import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis import SettingError
from prompts import NOT_FOUND, fill, load


def words(text: str) -> int:
    return len(text.split())


def test_everything_that_fits_is_in_the_prompt() -> None:
    prompt = fill("Q?", ["one", "two"], ["mine"], ["wrong"], words, 1024)
    assert NOT_FOUND in prompt.system
    assert "[1] one\n[2] two" in prompt.user
    assert prompt.user.endswith("Question: Q?")
    assert "mine" in prompt.user
    assert "wrong" in prompt.user
    assert prompt.left_out == ()
    assert prompt.tokens == words(prompt.system) + words(prompt.user)


def test_what_does_not_fit_is_left_out_whole_lowest_rank_first() -> None:
    instructions = fill("Q?", [], [], [], words, 1024).tokens
    prompt = fill("Q?", ["a " * 20, "b " * 20], ["c " * 20], ["d " * 20], words, instructions + 60)
    assert prompt.documents == (0,)
    assert prompt.memories == (0,)
    assert prompt.left_out == ("note 1", "document 2")
    assert "b b" not in prompt.user
    assert prompt.tokens <= instructions + 60


def test_facts_have_a_budget_of_their_own() -> None:
    least = fill("Q?", [], [], [], words, 10_000).tokens
    documents = ["p " * 30, "p " * 30, *(f"fact {number}" for number in range(8))]
    facts = range(2, 10)
    # By rank alone the passages would take all the room.
    shared = fill("Q?", documents, [], [], words, least + 62)
    assert shared.documents == (0,)
    prompt = fill("Q?", documents, [], [], words, least + 62, None, facts, 15)
    assert prompt.documents == (0, 2, 3, 4, 5, 6, 7, 8, 9)
    assert "[3] fact 0" in prompt.user
    assert prompt.left_out == ("document 2",)
    # Facts beyond their budget leave the room to what is ranked before them.
    none = fill("Q?", documents, [], [], words, least + 62, None, facts, 0)
    assert none.documents[:1] == (0,)
    assert none.tokens <= least + 62


def test_a_fact_longer_than_its_budget_costs_no_passage() -> None:
    least = fill("Q?", [], [], [], words, 10_000).tokens
    prompt = fill("Q?", ["f " * 50, "p " * 20], [], [], words, least + 30, None, [0], 25)
    assert prompt.documents == (1,)


def test_a_budget_below_the_question_is_refused_with_the_remedy() -> None:
    with pytest.raises(SettingError, match=r"raise `generator\.prompt_tokens` or shorten"):
        fill("Q?", ["one"], [], [], words, 10)


@given(
    st.lists(st.integers(1, 60), max_size=6),
    st.lists(st.integers(1, 60), max_size=3),
    st.integers(0, 200),
    st.sets(st.integers(0, 5)),
    st.integers(0, 300),
)
def test_the_budget_is_never_exceeded_and_nothing_is_lost_silently(
    documents: list[int], memories: list[int], room: int, facts: set[int], reserve: int
) -> None:
    least = fill("Q?", [], [], [], words, 10_000).tokens
    prompt = fill(
        "Q?", ["d " * size for size in documents], ["m " * size for size in memories], [],
        words, least + room, None, facts, reserve,
    )  # fmt: skip
    assert prompt.tokens <= least + room
    kept = len(prompt.documents) + len(prompt.memories)
    assert kept + len(prompt.left_out) == len(documents) + len(memories)
    passages = [place for place in range(len(documents)) if place not in facts]
    kept_passages = [place for place in prompt.documents if place not in facts]
    assert kept_passages == passages[: len(kept_passages)]


def test_a_question_with_braces_is_taken_as_it_is() -> None:
    assert "{x}" in fill("What is {x}?", ["{y}"], [], [], words, 1024).user


def test_prompts_are_files() -> None:
    assert fill("Q?", [], [], [], words, 1024).files == ("system.md", "answer.md")
    chosen = fill("Q?", [], [], [], words, 1024, {"A": "aspirin", "B": "rest"})
    assert chosen.files == ("system.md", "answer.md", "options.md")
    assert "{not_found}" in load("answer")
