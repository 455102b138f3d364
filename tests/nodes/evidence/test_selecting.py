"""Which hits are selected for the generator, and whether a round found anything new."""

from nodes.evidence.selecting import finds_nothing_new, read_and_select
from nodes.parts import Parts
from nodes.settings.context import Context
from retrievers.index import Index
from tests.fakes import ScriptedReader
from tests.nodes.steps import judged, round_of, selected, state_of


def test_what_is_not_selected_says_why(small_index: Index) -> None:
    reader = ScriptedReader(lambda _, pages: [0.9 if "sthma" in text else 0.2 for _, text in pages])
    parts = Parts(given_index=small_index, given_reranker=reader)
    hits = [selected(name) for name in ("gout", "asthma", "measles")]
    context = Context.model_validate({"generator.passages": 1, "retrieval.rerank_depth": 2})
    found = read_and_select(state_of(hits=hits), context, parts)
    assert [item["id"] for item in found.selected] == ["asthma#0"]
    assert [item["id"] for item in found.read] == ["asthma#0", "gout#0"]
    why = {item["passage"]: item["why"] for item in found.dropped if "start" not in item}
    assert "1 passages are used" in why["gout#0"]
    assert why["measles#0"].startswith("not read: place 3")


def test_a_round_finds_nothing_new_if_earlier_ones_had_all_its_passages() -> None:
    earlier = [round_of(judged("Asthma narrows the airways."), score=1.0)]
    both = [selected("asthma"), selected("gout")]
    assert finds_nothing_new(both[:1], earlier)  # type: ignore[arg-type]
    assert not finds_nothing_new(both, earlier)  # type: ignore[arg-type]
    assert not finds_nothing_new(both, [])  # type: ignore[arg-type]
