"""Who may not read every document recalls only what repeats none of the others."""

from typing import Any, cast

from anamnesis.memory.grounds import Grounds
from anamnesis.memory.matching import ALL, NEAREST, MatchedMemory
from anamnesis.memory.record import Memory
from graph import Context
from nodes.parts import Parts
from nodes.remembering.readable import nearest_memories
from retrievers.index import Index
from tests.graph.conftest import ASTHMA

TEXT = "What is asthma?\nIt hurts."


class Store:
    """Memories in the order in which they are near."""

    def __init__(self, *memories: Memory) -> None:
        self.found = [MatchedMemory(item, 0.9, 0.0, 0.9) for item in memories]
        self.asked: dict[str, Any] = {}

    def nearest(self, *given: Any, **more: Any) -> list[MatchedMemory]:
        self.asked = more
        return self.found


def recalled(index: Index, *memories: Memory, restricted: bool = True, **settings: Any) -> Any:
    store = Store(*memories)
    parts = Parts(given_index=index, given_memories=cast(Any, store))
    context = Context.model_validate(settings)
    found = nearest_memories("What is asthma?", "ann", {}, context, parts, restricted=restricted)
    return [one.memory for one in found], store.asked["n"]


def exchange(index: Index, *, text: str = ASTHMA, whole: bool = True, key: str = "asthma#0") -> Any:
    digest = index.find(["asthma#0"])["asthma#0"].digest if text == ASTHMA else "0"
    grounds = Grounds(place="here", corpus="one", passages={key: digest}, whole=whole)
    return Memory.make(
        owner="ann", kind="exchange", text="What is asthma?\nIt hurts.", grounds=grounds
    )


def note(**more: Any) -> Memory:
    return Memory.make(**{"owner": "ann", "kind": "question", "text": "I wheeze.", **more})


def test_an_exchange_is_recalled_if_all_its_passages_may_be_read_unchanged(
    small_index: Index,
) -> None:
    kept = exchange(small_index)
    changed = exchange(small_index, text="")
    hidden = exchange(small_index, key="secret#0")
    partly = exchange(small_index, whole=False)
    bare = Memory.make(owner="ann", kind="exchange", text=TEXT)
    found, most = recalled(small_index, changed, hidden, partly, kept, bare)
    assert (found, most) == ([kept], ALL)


def test_the_users_own_words_are_always_recalled_but_not_what_a_model_inferred(
    small_index: Index,
) -> None:
    memory, expert = note(), note(scope="expert")
    assert recalled(small_index, memory, expert)[0] == [memory, expert]
    inferred = {"memory.notes": "inferred"}
    assert recalled(small_index, memory, expert, **inferred)[0] == [expert]


def test_who_may_read_everything_recalls_all_that_is_near(small_index: Index) -> None:
    memories = [exchange(small_index, text=""), note()]
    found, most = recalled(small_index, *memories, restricted=False)
    assert (found, most) == (memories, NEAREST)
    adaptive = {"memory.threshold": "adaptive"}
    assert recalled(small_index, *memories, restricted=False, **adaptive)[1] == ALL
