"""The next query as a chat model words it: one short new line, or none."""

import pytest

from nodes.question.worded_query import written_by
from tests.graph.conftest import Queue

EARLIER = ["treatment of gout"]


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        ("colchicine in a gout attack", "colchicine in a gout attack"),
        ('Query: "colchicine in a gout attack"', "colchicine in a gout attack"),
        ("Treatment of gout", None),
        ("first line\nsecond line", None),
        ("gout " * 61, None),
        ("…", None),
        ("", None),
    ],
)
def test_only_one_short_new_line_is_a_query(reply: str, query: str | None) -> None:
    found = written_by(Queue(messages=iter([reply])), EARLIER, [])
    assert found == query


def test_the_model_reads_the_earlier_queries_and_the_unconfirmed_statements() -> None:
    chat = Queue(messages=iter(["gout and kidney stones"]), seen=[])
    written_by(chat, [*EARLIER, "gout pills"], ["Gout is cured by rest."])
    assert chat.seen[0][-1].content.splitlines() == [
        "Question: treatment of gout",
        "Searched already: gout pills",
        "Not confirmed: Gout is cured by rest.",
    ]
