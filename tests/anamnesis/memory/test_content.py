"""What a memory says, in fields: rendered to its text, and read from an edited or earlier text."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis import MemoryFolderError
from anamnesis.memory.content import (
    Accepted,
    Content,
    Exchange,
    Inferred,
    Meaning,
    Said,
    Shown,
    read_content,
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
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content", "text"), RENDERED)
def test_the_text_is_rendered_from_the_fields_and_read_back(
    kind: Kind, content: Content, text: str
) -> None:
    assert content.text == text
    assert read_content(kind, text) == content
    made = Memory.make(owner="ann", kind=kind, text=text, content=content)
    assert Memory.read(made.model_dump_json(), "a row") == made
    # One that was stored before there were fields.
    row = {name: value for name, value in made.model_dump(mode="json").items() if name != "content"}
    assert Memory.read(json.dumps(row), "a row") == made


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("residual", "Peak flow is written in litres a minute here."),
        ("question", "The user said: “I have gout”, which was wrong"),
        ("question", "The user said: I have gout"),
        ("profile", "condition: gout"),
    ],
)
def test_nothing_is_known_of_any_other_text(kind: Kind, text: str) -> None:
    assert read_content(kind, text) is None


ONE_LINE = st.text(max_size=40).map(lambda text: " ".join(text.split()))


@given(ONE_LINE, st.lists(st.sampled_from(["A.", "B!", "C? (not checked)"])))
def test_reading_an_exchange_loses_nothing_but_its_marks(question: str, shown: list[str]) -> None:
    reply = " ".join(shown)
    found = read_content("exchange", f"{question}\n{reply}")
    assert isinstance(found, Exchange)
    assert found.question == question
    assert " ".join(item.text for item in found.statements) == reply.replace(" (not checked)", "")
    assert not shown or found.reply == reply


def test_fields_that_no_text_could_be_read_for_are_kept(kept: Memories) -> None:
    asked = "What did “mild gout” mean?"
    meaning = Meaning(type="question", of=asked, meaning="a short attack")
    assert read_content("residual", meaning.text) is None
    made = Memory.make(owner="ann", kind="residual", text=meaning.text, content=meaning)
    kept.add("ann", [made])
    kept.count_recalls("ann", [made.id])
    kept.rate("ann", made.id, correct=True)
    kept.add("ann", [made.changed(id="0" * 32)])
    [stored] = kept.all("ann")
    assert (stored.content, stored.recalls) == (meaning, 1)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("The user said: “I have no gout”", Said(words="I have no gout")),
        ("Ask about gout again.", None),
        ("Inferred: no gout.", Inferred(note="no gout.")),
    ],
)
def test_an_edited_text_has_no_fields_that_contradict_it(
    kept: Memories, text: str, content: Content | None
) -> None:
    said = Said(words="I have gout")
    [made] = kept.add(
        "ann", [Memory.make(owner="ann", kind="question", text=said.text, content=said)]
    )
    assert kept.edit("ann", made.id, text).content == content
    [stored] = kept.all("ann")
    assert (stored.text, stored.content) == (text, content)


@pytest.mark.parametrize(
    "content",
    [
        Said(words="I have asthma"),
        {"type": "said", "words": "I have asthma"},
        Exchange(question="The user said: “I have gout”"),
    ],
)
def test_fields_that_the_text_is_not_rendered_from_are_dropped(content: Any) -> None:
    said = "The user said: “I have gout”"
    made = Memory.make(owner="ann", kind="question", text=said, content=content)
    assert made.content == Said(words="I have gout")
    assert made.changed(text="Gout.").content is None
    assert made.changed(kind="profile", text="condition: gout").content is None


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
        ("exchange", Exchange(question=SECRET, statements=shown)),
        ("residual", Meaning(type="question", of=SECRET, meaning="gout")),
        ("response", Inferred(note=SECRET)),
    ]
    made = [make(content.text, kind=kind, content=content) for kind, content in contents]
    kept.add("ann", [make("rash"), *made])
    assert all(
        memory.content == content for memory, (_, content) in zip(made, contents, strict=True)
    )
    assert "memories.sqlite" in traces(folder, SECRET)
    if deleted:
        kept.delete("ann", [memory.id for memory in made])
    else:
        for memory in made:
            kept.edit("ann", memory.id, f"{memory.kind}, edited")
    assert traces(folder, SECRET) == []


def test_a_record_without_fields_gets_them_with_the_next_write(
    kept: Memories, folder: Path, make: Make
) -> None:
    [memory] = kept.add("ann", [make("The user said: “I have gout”")])
    base = sqlite3.connect(folder / "memories.sqlite")
    base.execute("update memories set record = json_remove(record, '$.content')")
    base.commit()
    assert kept.all("ann") == [memory]
    kept.count_recalls("ann", [memory.id])
    [(record,)] = base.execute("select record from memories").fetchall()
    base.close()
    assert json.loads(record)["content"] == {"type": "said", "words": "I have gout"}
