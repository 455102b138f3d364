"""The picture of the graph with the path that a run took."""

from app.web.drawing import END, PLACES, START, edge_counts, graph_svg, wired
from tests.app.web.pages import one, read
from tests.app.web.test_tracing import step

TWICE = [
    step(number, node)
    for number, nodes in enumerate(
        "screen recall,retrieve rerank generate verify rewrite retrieve rerank fallback "
        "remember".split(),
        1,
    )
    for node in nodes.split(",")
]


def test_every_step_of_the_graph_has_its_place_in_the_picture() -> None:
    assert {node for edge in wired() for node in edge} == set(PLACES)


def test_the_path_is_every_edge_as_often_as_it_was_taken() -> None:
    assert edge_counts(TWICE) == {
        (START, "screen"): 1,
        ("screen", "recall"): 1,
        ("screen", "retrieve"): 1,
        ("recall", "rerank"): 1,
        ("retrieve", "rerank"): 2,
        ("rerank", "generate"): 1,
        ("generate", "verify"): 1,
        ("verify", "rewrite"): 1,
        ("rewrite", "retrieve"): 1,
        ("rerank", "fallback"): 1,
        ("fallback", "remember"): 1,
        ("remember", END): 1,
    }


def test_the_path_of_an_emergency_goes_past_the_search() -> None:
    run = [step(1, "screen"), step(2, "fallback"), step(3, "remember")]
    assert set(edge_counts(run)) == {
        (START, "screen"), ("screen", "fallback"), ("fallback", "remember"), ("remember", END)
    }  # fmt: skip


def test_the_picture_draws_every_edge_and_marks_the_path() -> None:
    page = read(graph_svg(TWICE))
    assert len(page.select("path.edge")) == len(wired())
    assert len(page.select("path.edge.taken")) == len(edge_counts(TWICE))
    assert [element.get_text() for element in page.select("g.node.taken text")].count(
        "retrieve ×2"
    ) == 1
    assert "retrieve 2 times" in one(page, "title").get_text()
    assert not read(graph_svg([])).select("path.edge.taken")
