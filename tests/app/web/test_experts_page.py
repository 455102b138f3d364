"""The page's part for experts, without a browser."""

from pathlib import Path

import pytest

from anamnesis.memory.questions import Question, Questions
from app.web.experts import Experts
from app.web.handlers import Handlers
from tests.app.web.pages import Known, asking, doing, read

PAGE = Experts(Handlers({}))
STRANGERS = Experts(Handlers({}, typed_names=False))


class Ranked(Known):
    """A user with a role."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__(name)
        self.permissions = [role]


EVE = Ranked("eve", "expert")
ANN = Ranked("ann", "asker")


@pytest.fixture
def waiting(home: Path) -> Question:
    found = Questions(home / "memory").ask("ann", "What is <b>scurvy</b>?", "abstained", "None.")
    assert found
    return found


def test_an_expert_reads_what_waits_and_not_whose_it_is(waiting: Question) -> None:
    shown = STRANGERS.listed(None, asking(EVE))
    assert read(shown).select_one(f'[data-id="{waiting.id}"]')
    assert "What is <b>" not in shown
    assert "ann" not in read(shown).get_text().split()


def test_others_read_nothing_and_decide_nothing(waiting: Question, home: Path) -> None:
    for request in (asking(ANN), asking()):
        assert "scurvy" not in STRANGERS.listed("eve", request)
        acted = STRANGERS.act("eve", request, doing("dismiss", waiting.id))
        assert "only an expert decides" in acted
    assert Questions(home / "memory").get(waiting.id).state == "waiting"
    assert not STRANGERS.arrive(asking(ANN))["visible"]
    assert STRANGERS.arrive(asking(EVE))["visible"]


def test_a_note_is_written_and_the_question_gone_from_the_list(
    waiting: Question, home: Path
) -> None:
    shown = PAGE.act("eve", asking(), doing("note", waiting.id, "Eat fruit."))
    assert "No question waits" in shown
    decided = Questions(home / "memory").get(waiting.id)
    assert (decided.note, decided.by) == ("Eat fruit.", "eve")
    memories = Handlers({}).memories("ann", None, asking())
    assert "An expert wrote: “Eat fruit.”" in read(memories).get_text()


def test_a_question_is_asked_again_dismissed_and_deleted_by_its_user(
    waiting: Question, home: Path
) -> None:
    PAGE.act("eve", asking(), doing("again", waiting.id))
    assert Questions(home / "memory").get(waiting.id).state == "answered"
    PAGE.act("eve", asking(), doing("dismiss", waiting.id))
    assert Questions(home / "memory").get(waiting.id).state == "dismissed"
    assert "no action" in PAGE.act("eve", asking(), doing("delete", waiting.id))
    Handlers({}).act("ann", None, asking(), doing("delete-question", waiting.id))
    assert Questions(home / "memory").of("ann") == []


def test_a_blank_note_is_refused_and_the_question_waits(waiting: Question, home: Path) -> None:
    assert "That did not work" in PAGE.act("eve", asking(), doing("note", waiting.id, " "))
    assert Questions(home / "memory").get(waiting.id).state == "waiting"
