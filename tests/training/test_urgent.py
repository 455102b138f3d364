"""Messages and their kinds as the triage learns them."""

import gzip
import json

import pytest

from models.reading import URGENCY_KINDS, URGENCY_LEVELS
from training.asked import OWN as OWN_ASKED
from training.urgent import OWN, kind_of


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("stroke", "medical"),
        ("suicidal_plan", "self-harm"),
        ("overdose_paracetamol", "poisoning"),
        ("eclampsia", "pregnancy"),
        ("newborn_fever", "child"),
        ("medical_burn_chemical", "medical"),
        ("selfharm_hint", "self-harm"),
        ("child_metabolic", "child"),
    ],
)
def test_kinds_are_read_from_the_names_that_the_data_use(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_the_projects_own_rows_are_whole() -> None:
    with gzip.open(OWN, "rt", encoding="utf-8") as lines:
        messages = [json.loads(line) for line in lines]
    assert {own["level"] for own in messages} == set(URGENCY_LEVELS)
    assert {kind_of(own["kind"]) for own in messages} <= set(URGENCY_KINDS)
    with gzip.open(OWN_ASKED, "rt", encoding="utf-8") as lines:
        asked = [json.loads(line) for line in lines]
    for own in asked:
        assert all(1 <= place <= len(own["spans"]) for place in own["answers"])
        assert bool(own["answers"]) == (own["style"] != "nearmiss")
        assert own["polar"] in (None, "yes", "no", "depends")
