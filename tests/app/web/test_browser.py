"""The page in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from anamnesis.memory.opening import open_memories
from anamnesis.memory.questions import Questions
from anamnesis.paths import default_memory
from app.web.examples import examples
from retrievers.index import open_index

Visit = Callable[..., Page]

expect.set_options(timeout=60_000)


def field(page: Page) -> Locator:
    return page.get_by_label("Question", exact=True).locator("visible=true")


def ask(page: Page, question: str) -> None:
    field(page).fill(question)
    field(page).press("Enter")
    expect(page.locator(".answer h2, .notice.urgent")).to_be_visible()


def to(page: Page, tab: str) -> None:
    page.get_by_role("tab", name=tab).click()


def test_a_statement_shows_its_sentence_by_click_and_by_keyboard(visit: Visit) -> None:
    page = visit()
    ask(page, "What are the symptoms of asthma?")
    statements = page.locator(".statement")
    evidence = page.locator(".evidence:visible")
    expect(evidence).to_have_count(1)
    expect(evidence.locator("mark")).to_contain_text("wheezing")
    expect(evidence.locator("a")).to_have_attribute("href", re.compile("^https://"))

    statements.nth(1).click()
    expect(statements.nth(1)).to_have_attribute("aria-expanded", "true")
    expect(statements.nth(0)).to_have_attribute("aria-expanded", "false")
    shown = statements.nth(1).locator(".text").inner_text().rpartition("\xa0[")[0]
    expect(evidence).to_have_count(1)
    expect(evidence.locator("mark")).to_have_text(shown)

    # What is shown lies between this statement and the next one in the order of the keys.
    for _ in range(6):
        page.keyboard.press("Tab")
        if statements.nth(2).evaluate("own => own === document.activeElement"):
            break
    expect(statements.nth(2)).to_be_focused()
    expect(statements.nth(2)).to_have_attribute("aria-expanded", "true")
    expect(evidence).to_have_count(1)


def test_a_follow_up_stays_in_its_conversation_until_a_new_one_begins(visit: Visit) -> None:
    page = visit(390)
    ask(page, "What are the symptoms of asthma?")
    expect(field(page)).to_have_value("")
    field(page).fill("How is it treated?")
    field(page).press("Enter")
    last = page.locator("#answer .answer").first
    expect(last.locator(".understood")).to_have_text("Understood as: How is asthma treated?")

    # An earlier turn opens by the keyboard, and choosing in it leaves the last answer as it is.
    turn = page.locator(".turn")
    turn.locator("summary").first.focus()
    page.keyboard.press("Enter")
    turn.locator(".statement").nth(1).click()
    expect(turn.locator(".evidence:visible mark")).to_have_count(1)
    expect(last.locator(".statement").first).to_have_attribute("aria-expanded", "true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    anew = page.get_by_role("button", name="New conversation")
    anew.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_have_count(0)
    expect(anew).to_be_hidden()
    field(page).fill("How is it treated?")
    field(page).press("Enter")
    expect(page.locator(".answer h2")).to_have_text("How is it treated?")
    expect(page.locator(".understood, .turn")).to_have_count(0)


def test_an_emergency_and_a_question_without_answer_are_said_plainly(visit: Visit) -> None:
    page = visit()
    ask(page, "crushing chest pain and I cannot breathe")
    expect(page.get_by_role("alert").filter(has_text="emergency number")).to_be_visible()
    field(page).fill("Who won the 1998 football world cup?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".answer .notice")).to_contain_text("Not found")
    expect(page.locator(".statement")).to_have_count(0)


def test_the_run_just_made_is_drawn_with_its_steps(visit: Visit) -> None:
    page = visit()
    ask(page, "Is psoriasis contagious?")
    to(page, "Trace")
    expect(page.locator("svg.graph .node.taken", has_text="verify")).to_be_visible()
    expect(page.locator("svg.graph .node.taken", has_text="rewrite")).to_have_count(0)
    page.locator(".timeline summary", has_text="rerank").click()
    expect(page.locator(".timeline pre:visible")).to_contain_text("the best relevance")


def test_four_ways_to_search_stand_side_by_side(visit: Visit, page_home: Path) -> None:
    page = visit()
    to(page, "Compare")
    asked = examples(open_index(page_home / "index"))[0]
    page.get_by_role("button", name=asked, exact=True).click()
    expect(field(page)).to_have_value(asked)
    page.get_by_role("button", name="Compare", exact=True).click()
    headings = page.locator(".listing h3")
    expect(headings).to_have_text(["BM25", "Dense", "Hybrid", "Re-ranked"])
    tops = {heading.bounding_box()["y"] for heading in headings.all() if heading.bounding_box()}
    assert len(tops) == 1
    expect(page.locator(".moved").first).to_contain_text(re.compile("rank"))


def test_a_memory_is_corrected_and_deleted_and_is_gone(
    visit: Visit, page_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(page_home))
    page = visit()
    page.on("dialog", lambda asked: asked.accept())
    page.get_by_label("Your name").fill("browser")
    page.get_by_label("Remember what I ask").check()
    ask(page, "I have asthma, what are its symptoms?")
    to(page, "Memory")
    memories = page.locator(".memories li")
    expect(memories).to_have_count(3)

    element = memories.filter(has_text="The user said")
    element.get_by_text("Edit").click()
    hostile = "<img src=x onerror=alert(1)> ${1+1} {{value}} zygomycosis"
    element.get_by_role("textbox").fill(hostile)
    element.get_by_role("button", name="Save").click()
    expect(page.locator(".memories .text", has_text="zygomycosis")).to_contain_text(hostile)
    expect(page.locator(".memories img")).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_text("Export").click()
    assert "zygomycosis" in Path(download.value.path()).read_text("utf-8")

    memories.filter(has_text="zygomycosis").get_by_role("button", name="Delete").click()
    expect(memories).to_have_count(2)
    page.get_by_label("Add to your health profile").fill("allergy: penicillin")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(memories.filter(has_text="allergy: penicillin")).to_contain_text("Entered by hand")
    kept = open_memories().all("browser")
    assert sorted(memory.text for memory in kept if memory.kind == "profile") == [
        "allergy: penicillin", "condition: asthma"
    ]  # fmt: skip
    for path in default_memory().rglob("*"):
        assert path.is_dir() or b"zygomycosis" not in path.read_bytes()
    page.get_by_role("button", name="Delete all").click()
    expect(page.locator("#kept")).to_contain_text("Nothing is remembered about you")


def test_a_question_for_experts_gets_a_note_and_is_deleted_by_its_user(
    visit: Visit, page_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(page_home))
    assert Questions(default_memory()).ask("asker", "What is scurvy?", "abstained", "None.")
    page = visit()
    page.on("dialog", lambda asked: asked.accept())
    page.get_by_label("Your name").fill("asker")
    to(page, "Experts")
    waiting = page.locator("li[data-id]:visible").filter(has_text="What is scurvy?")
    waiting.get_by_role("textbox").fill("Eat fruit.")
    waiting.get_by_role("button", name="Write note").click()
    expect(page.get_by_text("No question waits for an expert.")).to_be_visible()
    to(page, "Memory")
    element = page.locator("li[data-id]:visible").filter(has_text="An expert wrote: “Eat fruit.”")
    element.get_by_role("button", name="Delete").click()
    expect(element).to_have_count(0)
    assert Questions(default_memory()).of("asker") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_every_tab_without_scrolling_sideways(visit: Visit, scheme: str) -> None:
    page = visit(390, scheme)

    def fits() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390

    ask(page, "What are the symptoms of asthma?")
    fits()
    below = page.locator(".evidence:visible").bounding_box()
    above = page.locator(".statement").first.bounding_box()
    assert below
    assert above
    assert below["y"] >= above["y"] + above["height"]
    to(page, "Trace")
    page.locator(".timeline summary").nth(3).click()
    fits()
    to(page, "Compare")
    field(page).fill("signs of a stroke")
    field(page).press("Enter")
    expect(page.locator(".listing")).to_have_count(4)
    fits()
    dark = "document.body.classList.contains('dark')"
    assert page.evaluate(dark) == (scheme == "dark")
