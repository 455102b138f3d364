"""All readers know the same words for groups of people."""

from datetime import UTC, datetime

import pytest

from anamnesis.language.lexicon import listed
from anamnesis.memory.profile import entry
from nodes.checking.disagreeing import disagreeing_evidence
from nodes.checking.opposing import opposing
from nodes.checking.warning import warns_itself
from nodes.question.followup import stand_alone
from nodes.question.person import groups_mentioned
from tests.nodes.pages import page_on_topic


@pytest.mark.parametrize("child", listed("children"))
def test_a_child_is_one_for_every_reader(child: str) -> None:
    said = f"In {child} patients ibuprofen is given."
    assert groups_mentioned(said) == {"children"}
    assert warns_itself(f"Do not use it in {child} patients.", entry("age: 5"))
    text, other = "Take 1 g of ibuprofen.", f"Take 100 mg of ibuprofen, {child} dose."
    assert disagreeing_evidence(
        text, page_on_topic("one", text), [page_on_topic("two", "Take 100 mg of ibuprofen.")]
    )
    assert not disagreeing_evidence(text, page_on_topic("one", text), [page_on_topic("two", other)])
    assert opposing(f"The {child} dose is small.", "The adult dose is small.")
    asked = stand_alone(f"what about {child}?", "How is asthma treated?", "asthma")
    assert asked == f"How is asthma treated for {child}?"


@pytest.mark.parametrize(
    "said", ["breast-feeding", "breast feeding", "breastfed", "breast milk", "Nursing", "lactation"]
)
def test_breastfeeding_is_one_however_it_is_written(said: str) -> None:
    assert groups_mentioned(f"{said} is not affected.") == {"breastfeeding"}
    today = datetime(2026, 5, 4, tzinfo=UTC)
    stated = entry("pregnancy: breastfeeding", "I breastfeed.", today)
    assert warns_itself(f"Avoid it: {said} is affected.", stated)
