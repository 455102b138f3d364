"""What stands beside a claim that is not stated."""

from typing import cast

from anamnesis.corpus.passage import Passage
from nodes.state import Statement
from nodes.writing.withheld import withheld

CLAIM = cast(
    Statement,
    {"text": "Colchicine treats gout.", "verdict": "unsupported", "failed": []},
)


def page(text: str, heading: str = "Gout") -> Passage:
    return Passage("p#0", "p", 0, len(text), text, heading)


def test_the_nearest_sentence_stands_beside_a_claim() -> None:
    [own] = withheld(
        [CLAIM], [page("Beer is bad. Gout is treated with colchicine.")], lambda *_: False
    )
    assert own["near"]
    assert own["near"]["sentence"] == "Gout is treated with colchicine."


def test_a_sentence_that_stands_alone_against_other_sources_does_not() -> None:
    [own] = withheld([CLAIM], [page("Gout is treated with colchicine.")], lambda *_: True)
    assert own["near"] is None


def test_what_people_wrongly_believe_does_not() -> None:
    myth = "Myths about gout\n\nGout is treated with colchicine."
    [own] = withheld([CLAIM], [page(myth, "Myths about gout")], lambda *_: False)
    assert own["near"] is None
