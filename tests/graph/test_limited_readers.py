"""What the user may not read is neither quoted nor counted, in a whole run."""

from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

from anamnesis import SettingError
from anamnesis.corpus.record import Record
from anamnesis.memory.grounds import Grounds
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from graph import Context, build_graph
from nodes.settings.context import owner
from retrievers.build import build
from retrievers.filter import Filter
from retrievers.index import Index
from retrievers.langchain import HybridRetriever
from tests.fakes import HashEmbedder
from tests.graph.conftest import Always, ScriptedCritic

OPEN = "Adults with fever take 400 mg of ibuprofen."
SECRET = "Adults with fever take 200 mg of ibuprofen."
ASKED = {"question": "How much ibuprofen do adults with fever take?"}


@pytest.fixture
def index(tmp_path: Path) -> Index:
    records = [
        Record("open", "Ibuprofen", OPEN, focus="Ibuprofen"),
        Record("secret", "Ibuprofen", SECRET, focus="Ibuprofen", metadata={"access": "staff"}),
    ]
    build(records, tmp_path, HashEmbedder(), "one")
    return Index.open(tmp_path, HashEmbedder())


def asked(index: Index, limits: Any, user: str | None = None) -> Any:
    graph = build_graph(index=index, critic=ScriptedCritic({}), reranker=Always(), filter=limits)
    context = Context(user=user, retrieval={"min_relevance": 0.0}, memory={"recall": False})
    return graph.invoke(ASKED, context=context)["answer"]


def recalled(graph: Any, context: Context) -> set[str]:
    """The kinds of the memories that a run recalls."""
    updates = graph.stream(ASKED, context=context, stream_mode="updates")
    return {
        memory["kind"] for item in updates for memory in item.get("recall", {}).get("recalled", [])
    }


def test_without_a_filter_both_are_read_and_disagree(index: Index) -> None:
    answer = asked(index, None)
    assert {source["id"] for source in answer["sources"]} == {"open", "secret"}
    assert any(statement["conflict"] for statement in answer["statements"])


def test_what_is_not_to_be_read_is_neither_quoted_nor_held_against_a_statement(
    index: Index,
) -> None:
    answer = asked(index, Filter())
    assert [(statement["text"], statement["conflict"]) for statement in answer["statements"]] == [
        (OPEN, None)
    ]
    assert [source["id"] for source in answer["sources"]] == ["open"]
    assert "200 mg" not in str(answer)


def test_the_filter_also_limits_our_own_retriever_given_as_a_part(index: Index) -> None:
    graph = build_graph(
        retriever=HybridRetriever(index=index, k=5),
        critic=ScriptedCritic({}),
        reranker=Always(),
        filter=Filter(),
    )
    context = Context(retrieval={"min_relevance": 0.0})
    answer = graph.invoke(ASKED, context=context)["answer"]
    assert [statement["text"] for statement in answer["statements"]] == [OPEN]
    assert "200 mg" not in str(answer)


def test_the_filter_can_follow_the_user(index: Index) -> None:
    def limits(runtime: Any) -> Filter:
        return Filter(access=("staff",) if owner(runtime) == "ann" else ())

    assert len(asked(index, limits, "ann")["sources"]) == 2
    assert len(asked(index, limits, "eve")["sources"]) == 1


def test_a_function_that_gives_no_filter_stops_the_run(index: Index) -> None:
    with pytest.raises(SettingError, match="filter: the function returned NoneType"):
        asked(index, lambda runtime: None)
    with pytest.raises(SettingError, match="filter: str has no __call__"):
        build_graph(filter="staff")  # type: ignore[arg-type]


def test_what_was_said_with_more_rights_is_not_recalled(index: Index, tmp_path: Path) -> None:
    groups: dict[str, tuple[str, ...]] = {"ann": ("staff",)}
    graph = build_graph(
        index=index,
        critic=ScriptedCritic({}),
        reranker=Always(),
        memories=Memories(tmp_path / "memories", HashEmbedder()),
        filter=lambda runtime: Filter(access=groups.get(str(owner(runtime)), ())),
    )
    context = Context(
        user="ann", retrieval={"min_relevance": 0.0}, memory={"consent": True, "threshold": -1}
    )
    assert SECRET in graph.invoke(ASKED, context=context)["answer"]["text"]
    groups.clear()
    assert "exchange" not in recalled(graph, context)


@pytest.mark.parametrize("grouped", [False, True])
def test_who_may_read_everything_is_reminded_of_exchanges(tmp_path: Path, grouped: bool) -> None:
    metadata = {"access": "staff"} if grouped else {}
    folder = tmp_path / "index"
    build([Record("open", "Ibuprofen", OPEN, metadata=metadata)], folder, HashEmbedder(), "one")
    graph = build_graph(
        index=Index.open(folder, HashEmbedder()),
        critic=ScriptedCritic({}),
        reranker=Always(),
        memories=Memories(tmp_path / "memories", HashEmbedder()),
        # As the server's graph has it: with tokens, and without.
        filter=lambda runtime: Filter(access=None) if grouped else Filter(),
    )
    context = Context(
        user="ann", retrieval={"min_relevance": 0.0}, memory={"consent": True, "threshold": -1}
    )
    graph.invoke(ASKED, context=context)
    assert "exchange" in recalled(graph, context)


def test_a_group_that_is_no_text_is_a_group_all_the_same(tmp_path: Path) -> None:
    records = [Record("zero", "Ibuprofen", SECRET, metadata={"access": 0})]
    build(records, tmp_path, HashEmbedder(), "one")
    assert asked(Index.open(tmp_path, HashEmbedder()), Filter())["sources"] == []


REST = "Adults with fever rest in bed."
SAID = Context(
    user="ann", retrieval={"min_relevance": 0.0}, memory={"consent": True, "threshold": -1}
)


def limited(folder: Path, groups: Any, **more: Any) -> Any:
    """A graph over the index of a folder in its present state, for a user with these groups."""
    return build_graph(
        index=Index.open(folder / "index", HashEmbedder()),
        critic=ScriptedCritic({}),
        reranker=Always(),
        memories=Memories(folder / "memories", HashEmbedder()),
        filter=lambda runtime: Filter(access=tuple(groups)),
        **more,
    )


def put(folder: Path, rest: str = REST, **metadata: Any) -> None:
    """An index with a page for staff, one for nurses, and one with this metadata."""
    records = [
        Record("rest", "Rest", rest, focus="Rest", metadata=metadata),
        Record("secret", "Ibuprofen", SECRET, focus="Ibuprofen", metadata={"access": "staff"}),
        Record("nurses", "Baths", "Baths are for fever.", metadata={"access": "nurses"}),
    ]
    build(records, folder / "index", HashEmbedder(), "one")


@pytest.mark.parametrize(
    ("groups", "change", "again"),
    [
        ((), {}, True),
        (("nurses",), {}, True),
        ((), {"access": "staff"}, False),  # the page was limited afterwards
        ((), {"rest": "Adults with fever may get up."}, False),
    ],
)
def test_an_exchange_is_recalled_while_its_user_may_read_what_it_repeats(
    tmp_path: Path, groups: Any, change: dict[str, Any], again: bool
) -> None:
    put(tmp_path)
    assert REST in limited(tmp_path, groups).invoke(ASKED, context=SAID)["answer"]["text"]
    put(tmp_path, **change)
    graph = limited(tmp_path, groups)
    assert ("exchange" in recalled(graph, SAID)) == again


def test_a_page_that_is_no_longer_to_be_read_hides_every_exchange_that_cites_it(
    tmp_path: Path,
) -> None:
    put(tmp_path)
    whole = limited(tmp_path, ("staff",)).invoke(ASKED, context=SAID)["answer"]["text"]
    assert SECRET in whole
    assert REST in whole
    assert "exchange" not in recalled(limited(tmp_path, ()), SAID)
    assert "exchange" in recalled(limited(tmp_path, ("staff",)), SAID)


def test_a_question_that_names_what_another_page_is_about_is_not_recalled(tmp_path: Path) -> None:
    asked, then = "What do adults with fever take?", "How is it stored?"
    cool = "Medicines of adults are stored in a cool place."
    records = [
        Record("a", "Z", "Adults with fever take zoltraxane.", asked, focus="Zoltraxane for fever",
               metadata={"access": "staff"}),
        Record("b", "Storing", cool, "How are medicines stored?"),
    ]  # fmt: skip
    build(records, tmp_path / "index", HashEmbedder(), "one")
    staff = limited(tmp_path, ("staff",), checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    one = SAID.changed({"generator.passages": 1})
    staff.invoke({"question": asked}, thread, context=one)
    answer = staff.invoke({"question": then}, thread, context=one)["answer"]
    assert answer["query"] == "Zoltraxane for fever: How is it stored?"
    assert [statement["text"] for statement in answer["statements"]] == [cool]
    assert "exchange" not in recalled(limited(tmp_path, ()), SAID)


def test_what_was_not_checked_is_not_recalled_where_a_page_is_hidden(tmp_path: Path) -> None:
    put(tmp_path)
    words = f"{REST} [2] The other page says 200 mg [2]."
    chat = GenericFakeChatModel(messages=repeat(AIMessage(words)))
    context = SAID.changed({"verification.critic": None, "memory.stored_exchanges": "all"})
    staff = limited(tmp_path, ("staff",), chat=chat)
    answer = staff.invoke(ASKED, context=context)["answer"]
    assert "200 mg" in answer["text"]
    assert [source["id"] for source in answer["sources"]] == ["rest"]
    assert "exchange" not in recalled(limited(tmp_path, (), chat=chat), context)


def test_hidden_exchanges_do_not_crowd_out_those_that_may_be_recalled(tmp_path: Path) -> None:
    put(tmp_path)
    there = Index.open(tmp_path / "index", HashEmbedder()).find(["rest#0", "secret#0"])
    memories = Memories(tmp_path / "memories", HashEmbedder())

    def exchange(text: str, key: str) -> Memory:
        grounds = Grounds(place="", corpus="", passages={key: there[key].digest}, whole=True)
        return Memory(owner="ann", kind="exchange", text=text, grounds=grounds)

    hidden = [exchange(f"{ASKED['question']}\nNumber {n}.", "secret#0") for n in range(45)]
    memories.add("ann", [*hidden, exchange(f"What else?\n{REST}", "rest#0")])
    steps = limited(tmp_path, ()).stream(ASKED, context=SAID, stream_mode="updates")
    [found] = [step["recall"]["recalled"] for step in steps if "recall" in step]
    assert [memory["text"] for memory in found] == [f"What else?\n{REST}"]


def test_of_inferred_notes_those_of_experts_are_recalled(tmp_path: Path) -> None:
    put(tmp_path)
    memories = Memories(tmp_path / "memories", HashEmbedder())
    memories.add("ann", [Memory(owner="ann", kind="question", text="Inferred: takes 200 mg.")])
    memories.add(
        "eve", [Memory(owner="eve", kind="residual", scope="expert", text="Fever needs rest.")]
    )
    quoted = SAID.changed({"memory.consent": False})
    assert recalled(limited(tmp_path, ()), quoted) == {"residual", "question"}
    inferred = quoted.changed({"memory.notes": "inferred"})
    assert recalled(limited(tmp_path, ()), inferred) == {"residual"}
