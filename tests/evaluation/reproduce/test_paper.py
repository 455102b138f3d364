"""A paper's file."""

import pytest

from anamnesis.models.embedding import parse_embedder
from evaluation.reproduce.paper import SYSTEMS, System, load
from nodes.settings.names import value_of


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_papers_file_holds_what_a_run_needs(system: System) -> None:
    paper = load(system)
    assert paper.system == system == paper.context({}).preset
    assert any(need.files for need in paper.data)
    assert all(paper.quick[name] >= 0 for name in paper.sizes)
    for model in paper.models:
        if model.setting:
            value_of(paper.context({}), model.setting)
    assert all(sentence.endswith(".") for sentence in paper.deviations)
    assert len({table.name for table in paper.tables}) == len(paper.tables)


def test_the_papers_embedders_are_pooled_and_compared_as_published() -> None:
    # Inner products of CLS vectors [H3] or of means [S2]; the files of these models name neither.
    papers = {name: {model.role: model.paper for model in load(name).models} for name in SYSTEMS}
    for named, pooling in (
        (papers["hybrid-memory"]["embedder"], "cls"),
        (papers["self-medrag"]["medcpt"], "cls"),
        (papers["self-medrag"]["embedder"], "mean"),
        (papers["mkrag"]["embedder"], "mean"),
        (papers["mkrag"]["sapbert"], "cls"),
    ):
        for reference in parse_embedder(named):
            assert reference.options == {"pooling": pooling, "normalize": "false"}, named
