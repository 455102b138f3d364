"""Facts of the index that speak against a medicine for its reader stand in warnings."""

import pytest

from anamnesis.corpus.record import Record
from anamnesis.corpus.triplets import Fact, record
from anamnesis.memory.profile import entry
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from graph import Context
from nodes.checking.fact_warning import fact_warnings
from nodes.parts import Parts
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.graph.conftest import built


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("facts")
    page = Record(
        "gout", "Gout", "Gout is treated with ketorolac.", "What treats gout?", "Test", "", "Gout"
    )
    triplets = [
        Fact("Porphyria", "may_contraindicate", "Orphenadrine", ("kb",)),
        Fact("Tolbutamide", "interacts_with", "Ethanol", ("kb",)),
        Fact("Colchicine", "may_treat", "Gout", ("kb",)),
        Fact("Ketorolac", "interacts_with", "Probenecid", ("kb",)),
    ]
    facts = [record(triplet, {"porphyria": ["vampire disease"]}) for triplet in triplets]
    build([page], folder, HashEmbedder(), "passages")
    build(facts, folder, HashEmbedder(), "kb")
    return Index.open(folder, HashEmbedder())


@pytest.mark.parametrize(
    ("profile", "statement"),
    [
        ("medicine: tolbutamide", "Metformin helps."),
        ("condition: gout", "Colchicine treats an attack."),
        ("allergy: ethanol", "Tolbutamide lowers sugar."),
        ("medicine: ethanol", "Do not take tolbutamide."),
        ("medicine: ethanol", "People who drink ethanol should not have tolbutamide."),
    ],
)
def test_other_facts_and_statements_are_not_warned_of(
    index: Index, profile: str, statement: str
) -> None:
    assert not fact_warnings(statement, [entry(profile)], Context(), Parts(given_index=index))


@pytest.mark.parametrize(
    ("profile", "statement", "medicine", "fact"),
    [
        (
            "medicine: ethanol",
            "Colchicine and tolbutamide help.",
            "tolbutamide",
            "Tolbutamide interacts with Ethanol",
        ),
        (
            "condition: vampire disease",
            "Orphenadrine relaxes.",
            "Orphenadrine",
            "Orphenadrine may be contraindicated in Porphyria",
        ),
    ],
)
def test_a_fact_is_quoted(
    index: Index, profile: str, statement: str, medicine: str, fact: str
) -> None:
    [warning] = fact_warnings(statement, [entry(profile)], Context(), Parts(given_index=index))
    assert (warning["entry"], warning["medicine"]) == (profile, medicine)
    assert f"A fact of the index says: “{fact}”" in warning["text"]


def test_an_answer_has_the_warning(index: Index, memories: Memories) -> None:
    graph = built(index, None, {}, memories=memories)
    memories.add("ann", [Memory.entered("ann", "medicine: probenecid")])
    ann = Context(user="ann", retrieval={"min_relevance": 0.0})
    asked = {"question": "What treats gout?"}
    [item] = graph.invoke(asked, context=ann)["answer"]["statements"]
    assert [one["entry"] for one in item["warnings"]] == ["medicine: probenecid"]
    off = graph.invoke(asked, context=ann.changed({"memory.medicine_warnings": False}))["answer"]
    assert all("warnings" not in one for one in off["statements"])
