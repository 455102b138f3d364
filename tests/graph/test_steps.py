"""What is said of the steps is said of each of them, and of no other."""

from pathlib import Path

from app.trace.runs import TAKES
from app.web import drawing, progress
from graph import graph
from graph.build import STEPS, conditional_edges
from nodes.cost.reply_cache import CACHED_STEPS
from nodes.routes import NEXT

PAGE = Path(__file__).parents[2] / "docs" / "graph.md"


def test_nothing_forgets_a_step() -> None:
    rows = [line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if "|" in line]
    written = [name.strip() for row in rows for name in row.split(",")]
    assert [name for name in written if name in STEPS] == list(STEPS)
    assert set(TAKES) == set(STEPS)
    assert list(progress.STEPS) == list(STEPS)
    assert set(drawing.PLACES) == {drawing.START, *STEPS, drawing.END}
    assert set(CACHED_STEPS) <= set(STEPS)


def test_a_step_can_choose_what_the_graph_leads_to() -> None:
    # recall is never chosen alone: it runs together with retrieve.
    assert {end for _, end in conditional_edges(graph)} == {*NEXT, "recall"}
