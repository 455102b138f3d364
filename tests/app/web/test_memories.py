"""What is remembered, as HTML."""

import json
from urllib.parse import unquote

from anamnesis.memory.record import Memory
from app.web.memories import memories_html
from tests.app.web.pages import one, read

HOSTILE = "\n</textarea><script>x</script>\nsecond line"


def memory(**changes: object) -> Memory:
    return Memory.make(**{"owner": "ann", "kind": "question", "text": "I have gout.", **changes})


def test_a_memory_shows_what_it_says_and_its_counts() -> None:
    shown = memory(recalls=3, correct=1, rating="good", trust=0.5)
    page = read(memories_html([shown], {}, {}))
    item = one(page, f"li[data-id='{shown.id}']")
    assert one(item, ".text").get_text() == "I have gout."
    assert one(item, ".scores").get_text() == "trust 0.50, recalled 3 times, rated right"
    assert [button["data-act"] for button in item.select("button")] == [
        "right", "wrong", "delete", "edit"
    ]  # fmt: skip
    assert not item.select(".used")


def test_a_memory_that_shaped_the_answer_says_so_with_its_score() -> None:
    first, other = memory(), memory(text="Short answers.")
    page = read(memories_html([first, other], {other.id: {"cosine": 0.614, "mrs": 0.5}}, {}))
    element = one(page, ".used")
    assert element.parent is not None
    assert element.parent["data-id"] == other.id
    assert "cosine 0.61, mrs 0.50" in element.get_text()


def test_what_is_out_of_play_or_an_experts_is_called_so() -> None:
    text = read(
        memories_html([memory(scope="expert", superseded_by="0" * 32, rating="bad")], {}, {})
    ).get_text()
    assert "shared as an expert's" in text
    assert "inactive" in text
    assert "rated wrong" in text


def test_a_memory_stays_text_also_in_the_field_where_it_is_edited() -> None:
    page = read(memories_html([memory(text=HOSTILE)], {}, {}))
    assert not page.select("script")
    # A browser drops the first line break of a textarea.
    assert one(page, "li textarea").get_text().removeprefix("\n") == HOSTILE
    assert [element.get_text() for element in page.select(".text")] == HOSTILE.splitlines()


def test_the_file_to_take_away_holds_everything() -> None:
    export = {"user": "Ünal", "memories": [{"text": 'a "quote" & <b>, %41#'}], "audit": []}
    button = one(read(memories_html([memory()], {}, export)), "a[download]")
    head, _, data = str(button["href"]).partition(",")
    assert head == "data:application/json;charset=utf-8"
    assert json.loads(unquote(data)) == export


def test_deletion_is_asked_about_with_the_number() -> None:
    page = read(memories_html([memory(), memory(text="b")], {}, {}))
    warning = one(page, "[data-act=delete-all]")["data-sure"]
    assert warning == "Delete all 2 memories, and all recorded runs, for good?"
    assert "1 memory" in read(memories_html([memory()], {}, {})).get_text()


def test_where_nothing_is_remembered_that_is_said() -> None:
    page = read(memories_html([], {}, {}))
    assert one(page, ".none").get_text() == "Nothing is remembered about you."
    assert [element["data-act"] for element in page.select("button")] == ["add"]


def test_a_profile_stands_first_with_its_source_and_can_be_added_to() -> None:
    said = memory(kind="profile", text="allergy: penicillin", words="I'm allergic to penicillin.")
    entered = memory(kind="profile", text="age: 67")
    page = read(memories_html([memory(), said, entered], {}, {}))
    assert [element["data-id"] for element in page.select("ul.memories li")][:2] == [
        said.id,
        entered.id,
    ]
    item = one(page, f"li[data-id='{said.id}']")
    assert one(item, ".said").get_text() == "You said: “I'm allergic to penicillin.”"
    assert one(page, f"li[data-id='{entered.id}'] .said").get_text() == "Entered by hand"
    for shown in (page, read(memories_html([], {}, {}))):
        assert one(shown, "[data-id='new'] button")["data-act"] == "add"
