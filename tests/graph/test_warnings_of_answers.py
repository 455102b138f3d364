"""What a user says of their own health is kept with consent, and warned of where it matters."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis import MemoryFolderError
from anamnesis.corpus.record import Record
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from graph import Context, build_graph
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.graph.conftest import ask, built

THROAT = "Amoxicillin treats strep throat. Strep throat is sore and red."
ANN = Context(user="ann", retrieval={"min_relevance": 0.0})


@pytest.fixture(scope="module")
def throat(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("throat")
    record = Record("throat", "Strep throat", THROAT, "What treats strep throat?", "Test", "", "")
    build([record], folder, HashEmbedder(), "small")
    return Index.open(folder, HashEmbedder())


def warned(answer: Any) -> list[str]:
    return [
        one["entry"] for statement in answer["statements"] for one in statement.get("warnings", [])
    ]


def kept(memories: Memories, owner: str = "ann") -> list[str]:
    return sorted(memory.text for memory in memories.all(owner, "profile"))


def test_the_question_itself_is_warned_of_and_nothing_is_stored(
    throat: Index, memories: Memories
) -> None:
    answer = ask(throat, memories, "I am allergic to penicillin. What treats strep throat?", ANN)
    assert set(warned(answer)) == {"allergy: penicillin"}
    [warning] = answer["statements"][0]["warnings"]
    assert warning["medicine"] == "Amoxicillin"
    assert "You said that you are allergic to penicillin" in warning["text"]
    assert f"Warning: {warning['text']}" in answer["text"]
    assert kept(memories) == []


@pytest.mark.parametrize(
    ("question", "text", "warning"),
    [
        (
            "My mum is on Coumadin. What helps her knee?",
            "Ibuprofen helps a sore knee.",
            "The question mentions Coumadin; this statement is about Ibuprofen. Taken together",
        ),
        (
            "My mum is on Difene. What helps her knee?",
            "Aspirin helps a sore knee. Diclofenac is sold as a gel.",
            "The question mentions diclofenac; this statement is about Aspirin",
        ),
        (
            "What helps a sore knee in pregnancy?",
            "Ibuprofen helps a sore knee.",
            "The question mentions pregnancy; this statement is about Ibuprofen, which should be",
        ),
        (
            "what helps a sore knee of a toddler",
            "Aspirin helps a sore knee.",
            "The question mentions a child; this statement is about Aspirin, which can cause",
        ),
        (
            "my dad has kidney disease, what helps his sore knee",
            "Ibuprofen helps a sore knee.",
            "The question mentions kidney disease; this statement is about Ibuprofen, which can",
        ),
    ],
)
def test_what_the_question_mentions_of_another_person_is_warned_of(
    tmp_path: Path, question: str, text: str, warning: str
) -> None:
    record = Record("knee", "Sore knee", text, "What helps a sore knee?", "Test", "", "")
    build([record], tmp_path / "index", HashEmbedder(), "small")
    index = Index.open(tmp_path / "index", HashEmbedder())
    context = Context(retrieval={"min_relevance": 0.0})
    answer = built(index, None, {}).invoke({"question": question}, context=context)["answer"]
    [found] = answer["statements"][0]["warnings"]
    assert found["text"].startswith(warning)


def test_a_question_about_a_condition_is_no_reason_for_a_warning(tmp_path: Path) -> None:
    text = "Ibuprofen helps with pain in kidney disease."
    record = Record(
        "kidney", "Kidney disease", text, "How is kidney disease treated?", "Test", "", ""
    )
    build([record], tmp_path / "index", HashEmbedder(), "small")
    index = Index.open(tmp_path / "index", HashEmbedder())
    context = Context(retrieval={"min_relevance": 0.0})
    question = "How is kidney disease treated?"
    answer = built(index, None, {}).invoke({"question": question}, context=context)["answer"]
    assert "warnings" not in answer["statements"][0]


def test_with_consent_it_is_kept_with_the_users_words_and_warned_of_later(
    throat: Index, memories: Memories
) -> None:
    said = "I am allergic to penicillin. What treats strep throat?"
    ask(throat, memories, said, ANN.changed({"memory.consent": True}))
    [entry] = memories.all("ann", "profile")
    assert (entry.text, entry.words) == ("allergy: penicillin", "I am allergic to penicillin.")
    answer = ask(throat, memories, "What treats strep throat?", ANN)
    [warning] = answer["statements"][0]["warnings"]
    assert f"You said on {entry.created.day} {entry.created:%B %Y}" in warning["text"]
    assert warned(ask(throat, memories, "What treats strep throat?", Context(user="bob"))) == []


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("My son is allergic to penicillin.", ["allergy: penicillin"]),
        ("My son is not allergic to penicillin.", []),
        ("Is penicillin safe?", []),
    ],
)
def test_what_is_said_of_others_or_asked_is_not_kept(
    throat: Index, memories: Memories, said: str, found: list[str]
) -> None:
    consents = ANN.changed({"memory.consent": True})
    answer = ask(throat, memories, f"{said} What treats strep throat?", consents)
    assert (kept(memories), warned(answer)) == ([], found)


@pytest.mark.parametrize("least", [0.0, 1.0])
def test_what_the_question_puts_together_is_warned_of_whether_or_not_it_is_answered(
    throat: Index, least: float
) -> None:
    context = Context(retrieval={"min_relevance": least})
    asked = {"question": "My mum has a strep throat and is on warfarin. May she take Nurofen?"}
    answer = built(throat, None, {}).invoke(asked, context=context)["answer"]
    assert (answer["outcome"] == "abstained") == (least == 1.0)
    [warning] = answer["warnings"]
    assert warning["text"] == (
        "The question mentions warfarin and Nurofen. Taken together, they raise the risk of "
        "bleeding (BNF interactions: warfarin). Ask a doctor or pharmacist first."
    )
    above = answer["text"].index(f"Warning: {warning['text']}\n")
    assert above < answer["text"].index("Not found" if least == 1.0 else "Amoxicillin")


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("I am allergic to penicillin, amoxicillin ok?", ["allergy: penicillin"]),
        ("I'm 35. Can my toddler have aspirin?", ["age: 5"]),
        ("I'm 12. Can I have aspirin like my baby brother?", ["age: 12"]),
        ("I am 10 years sober. Is codeine ok?", []),
        ("I am not pregnant, is ibuprofen ok?", []),
        ("is spironolactone ok with potassium chloride", ["medicine: spironolactone"]),
        ("rubbing alcohol and diazepam", []),
        ("Does lithium bring on psoriasis?", ["condition: psoriasis"]),
    ],
)
def test_what_a_question_puts_together(throat: Index, question: str, found: list[str]) -> None:
    answer = built(throat, None, {}).invoke({"question": question}, context=Context())["answer"]
    assert [one["entry"] for one in answer["warnings"]] == found


def test_misspelt_names_are_compared_with_the_corrected_ones(tmp_path: Path) -> None:
    text = "Ibuprofen and warfarin do not mix. Warfarin and ibuprofen raise the risk of bleeding."
    records = [Record(f"w{at}", "Warfarin", text, "", "Test", "", "") for at in (1, 2, 3)]
    build(records, tmp_path / "index", HashEmbedder(), "small")
    index = Index.open(tmp_path / "index", HashEmbedder())
    asked = {"question": "can she take ibuprofin with warfarine"}
    answer = built(index, None, {}).invoke(asked, context=Context())["answer"]
    [warning] = answer["warnings"]
    assert warning["text"].startswith("The question mentions ibuprofen and warfarin.")


def test_an_emergency_is_not_preceded_by_a_warning(tmp_path: Path) -> None:
    context = Context(index=str(tmp_path / "none"))
    asked = {"question": "I took warfarin and a whole box of ibuprofen to end my life"}
    answer = build_graph().invoke(asked, context=context)["answer"]
    assert answer["outcome"] == "urgent"
    assert "warnings" not in answer


@pytest.mark.parametrize("off", [{"memory.medicine_warnings": False}, {"memory.recall": False}])
def test_settings_switch_it_off(throat: Index, memories: Memories, off: dict[str, Any]) -> None:
    paired = "Is ibuprofen safe with warfarin, and what treats strep throat?"
    warnings = ask(throat, memories, paired, ANN.changed(off)).get("warnings")
    assert (warnings is None) == ("memory.medicine_warnings" in off)
    memories.add("ann", [Memory.make(owner="ann", kind="profile", text="allergy: penicillin")])
    assert warned(ask(throat, memories, "What treats strep throat?", ANN)) == [
        "allergy: penicillin"
    ]
    assert warned(ask(throat, memories, "What treats strep throat?", ANN.changed(off))) == []


def test_what_its_owner_deletes_or_rates_as_wrong_is_not_warned_of(
    throat: Index, memories: Memories
) -> None:
    [memory] = memories.add(
        "ann", [Memory.make(owner="ann", kind="profile", text="allergy: penicillin")]
    )
    memories.rate("ann", memory.id, correct=False)
    assert warned(ask(throat, memories, "What treats strep throat?", ANN)) == []
    memories.delete("ann")
    assert memories.all("ann", "profile") == []


def test_first_aid_is_warned_of_without_an_index(tmp_path: Path, memories: Memories) -> None:
    memories.add("ann", [Memory.entered("ann", "allergy: aspirin")])
    context = ANN.changed({"index": str(tmp_path / "none")})
    asked = {"question": "My chest hurts and my left arm is numb"}
    answer = build_graph(memories=memories).invoke(asked, context=context)["answer"]
    assert answer["outcome"] == "urgent"
    about = [
        statement for statement in answer["statements"] if "aspirin" in statement["text"].lower()
    ]
    assert [
        statement["text"] for statement in answer["statements"] if statement.get("warnings")
    ] == [item["text"] for item in about if "allerg" not in item["text"].lower()]


def test_facts_that_cannot_be_read_cost_nobody_the_answer(
    throat: Index, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.add("ann", [Memory.entered("ann", "condition: gout")])

    def broken(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(Index, "facts", broken)
    answer = ask(throat, memories, "What treats strep throat?", ANN)
    assert answer["statements"]
    assert any("facts of the knowledge base could not" in note for note in answer["notes"])


def test_a_profile_that_cannot_be_read_is_said_to_be_unread(
    throat: Index, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[Memory]:
        raise MemoryFolderError("no")

    monkeypatch.setattr(memories, "all", broken)
    answer = ask(throat, memories, "What treats strep throat?", ANN)
    assert any("profile could not be read" in note for note in answer["notes"])
    assert "profile could not be read" in answer["text"]


def test_pages_to_read_and_other_answers_are_warned_of(tmp_path: Path, memories: Memories) -> None:
    texts = {"one": THROAT, "two": "Amoxicillin also treats strep throat of adults."}
    records = [
        Record(key, f"Strep throat {key}", text, "", "Test", "", "") for key, text in texts.items()
    ]
    build(records, tmp_path / "two", HashEmbedder(), "small")
    index = Index.open(tmp_path / "two", HashEmbedder())
    said = "I am allergic to penicillin. What treats strep throat?"
    found = ask(index, memories, said, ANN.changed({"generator.alternatives": 1}))
    [other] = found["alternatives"]
    assert [one["entry"] for one in other["warnings"]] == ["allergy: penicillin"]
    assert f"“{other['sentence']}”\n  Warning: {other['warnings'][0]['text']}" in found["text"]
    silent = ask(index, memories, said, ANN.changed({"retrieval.min_relevance": 1.0}))
    assert silent["outcome"] == "abstained"
    assert [one["entry"] for one in silent["nearest"][0]["warnings"]] == ["allergy: penicillin"]
