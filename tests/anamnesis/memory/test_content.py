"""What a memory says, in fields, which its text is rendered from."""

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis import MemoryFolderError, SettingError
from anamnesis.memory.content import (
    Accepted,
    Content,
    Exchange,
    Inferred,
    Meaning,
    ProfileEntry,
    Said,
    Shown,
)
from anamnesis.memory.record import Kind, Memory
from anamnesis.memory.store import Memories
from tests.anamnesis.memory.conftest import Make
from tests.anamnesis.memory.test_forgetting import SECRET, traces

RENDERED: list[tuple[Kind, Content, str]] = [
    ("question", Said(words="I have gout"), "The user said: “I have gout”"),
    ("question", Said(type="prefers", words="use kg"), "The user prefers: “use kg”"),
    ("question", Meaning(type="term", of="AF", meaning="atrial fibrillation"),
     "“AF” stands for “atrial fibrillation”."),
    ("residual", Meaning(type="question", of="What is it?", meaning="gout"),
     "By “What is it?” the user meant “gout”"),
    ("response", Accepted(question="What is gout?"),
     "The user was content with the answer to “What is gout?”"),
    ("residual", Inferred(note="The user has gout."), "Inferred: The user has gout."),
    ("exchange", Exchange(question="What is gout?", statements=(Shown(text="It hurts."),)),
     "What is gout?\nIt hurts."),
    ("exchange", Exchange(question="What is gout?"), "What is gout?\nThis was not answered."),
    ("exchange",
     Exchange(question="Gout?", statements=(Shown(text="A.", checked=False), Shown(text="B."))),
     "Gout?\nA. (not checked) B."),
    ("profile", ProfileEntry(field="condition", value="gout"), "condition: gout"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content", "text"), RENDERED)
def test_the_text_is_rendered_from_the_fields(kind: Kind, content: Content, text: str) -> None:
    assert content.text == text
    memory = Memory.make(owner="ann", kind=kind, content=content)
    assert (memory.text, memory.content) == (text, content)
    assert Memory.read(memory.model_dump_json(), "a row") == memory


def test_a_text_without_fields_is_a_note_that_nothing_is_read_from() -> None:
    for kind, _, text in RENDERED:
        memory = Memory.make(owner="ann", kind=kind, text=text)
        assert memory.text == memory.editable == text
        assert (memory.content is None) == (kind != "profile")


def test_an_entry_of_the_profile_that_was_stored_without_fields_keeps_its_meaning() -> None:
    row = {"owner": "ann", "kind": "profile", "text": "allergy: penicillin"}
    memory = Memory.read(json.dumps(row), "a row")
    assert memory.content == ProfileEntry(field="allergy", value="penicillin")


def test_fields_are_kept_by_every_other_change(kept: Memories) -> None:
    meaning = Meaning(type="question", of="What is “mild gout”?", meaning="a short attack")
    memory = Memory.make(owner="ann", kind="residual", content=meaning)
    kept.add("ann", [memory])
    kept.count_recalls("ann", [memory.id])
    kept.rate("ann", memory.id, correct=True)
    kept.add("ann", [memory.changed(id="0" * 32)])
    [stored] = kept.all("ann")
    assert (stored.content, stored.recalls) == (meaning, 1)


@pytest.mark.parametrize(
    ("kind", "content", "part", "edited"),
    [
        ("question", Said(words="I have gout"), "I have gout", Said(words="new")),
        ("question", Said(type="prefers", words="use kg"), "use kg",
         Said(type="prefers", words="new")),
        ("question", Meaning(type="term", of="AF", meaning="flutter"), "flutter",
         Meaning(type="term", of="AF", meaning="new")),
        ("response", Accepted(question="Gout?"), "Gout?", Accepted(question="new")),
        ("residual", Inferred(note="Has gout."), "Has gout.", Inferred(note="new")),
        (
            "exchange",
            Exchange(question="Gout?", statements=(Shown(text="A."), Shown(text="B."))),
            "A. B.",
            Exchange(question="Gout?", statements=(Shown(text="new", checked=False),)),
        ),
    ],
)  # fmt: skip
def test_the_owner_edits_one_part_and_the_text_follows(
    kept: Memories, kind: Kind, content: Content, part: str, edited: Content
) -> None:
    [memory] = kept.add("ann", [Memory.make(owner="ann", kind=kind, content=content)])
    assert memory.editable == part
    kept.edit("ann", memory.id, "new")
    [stored] = kept.all("ann")
    assert (stored.content, stored.text) == (edited, edited.text)


def test_the_owner_edits_an_entry_of_the_profile_as_it_is_written(kept: Memories) -> None:
    [memory] = kept.add("ann", [Memory.entered("ann", "allergy: nuts")])
    kept.edit("ann", memory.id, f"{memory.editable.replace('nuts', 'milk')}")
    assert kept.get("ann", memory.id).content == ProfileEntry(field="allergy", value="milk")
    with pytest.raises(SettingError, match="not a profile entry"):
        kept.edit("ann", memory.id, "milk")


@pytest.mark.parametrize(
    ("kind", "text", "content"),
    [
        ("question", "The user said: “I have gout”", Said(words="I have asthma")),
        ("question", "Gout?\nA.", Exchange(question="Gout?", statements=(Shown(text="A."),))),
        ("exchange", "The user said: “I have gout”", Said(words="I have gout")),
        ("question", "sex: male", ProfileEntry(field="sex", value="male")),
        ("profile", "The user said: “I have gout”", Said(words="I have gout")),
    ],
)
def test_fields_that_do_not_fit_the_text_or_the_kind_are_reported(
    kind: Kind, text: str, content: Content
) -> None:
    with pytest.raises(SettingError, match="other fields"):
        Memory.make(owner="ann", kind=kind, text=text, content=content)


@pytest.mark.parametrize("content", ["gout", {"type": "dreamt"}, {"type": "said"}])
def test_fields_that_cannot_be_read_are_reported(content: Any) -> None:
    row = {"owner": "ann", "kind": "question", "text": "Gout.", "content": content}
    with pytest.raises(MemoryFolderError, match="content"):
        Memory.read(json.dumps(row), "a row")


@pytest.mark.parametrize("deleted", [True, False])
def test_the_bytes_of_the_fields_go_with_those_of_the_text(
    kept: Memories, folder: Path, make: Make, deleted: bool
) -> None:
    shown = (Shown(text="It hurts.", checked=False), Shown(text=f"It is {SECRET}."))
    contents: list[tuple[Kind, Content]] = [
        ("question", Said(words=f"I have {SECRET}")),
        ("exchange", Exchange(question="What is it?", statements=shown)),
        ("residual", Meaning(type="question", of="What is it?", meaning=SECRET)),
        ("response", Inferred(note=SECRET)),
    ]
    made = [Memory.make(owner="ann", kind=kind, content=content) for kind, content in contents]
    kept.add("ann", [make("rash"), *made])
    assert "memories.sqlite" in traces(folder, SECRET)
    if deleted:
        kept.delete("ann", [memory.id for memory in made])
    else:
        for memory in made:
            kept.edit("ann", memory.id, f"{memory.kind}, edited")
    assert traces(folder, SECRET) == []


def test_an_entry_of_a_profile_is_stored_tidy_and_is_read_back() -> None:
    memory = Memory.make(owner="a", kind="profile", text="Allergy:   Penicillin")
    assert memory.text == "allergy: Penicillin"
    assert Memory.model_validate_json(memory.model_dump_json()) == memory


def test_an_entry_of_a_profile_has_a_value_that_its_field_allows() -> None:
    with pytest.raises(SettingError, match="age is a number of years"):
        Memory.make(owner="a", kind="profile", text="age: abc")
    with pytest.raises(ValueError, match="age is a number of years"):
        ProfileEntry(field="age", value="abc")
