"""An option that nothing has checked is never shown as confirmed."""

from pathlib import Path
from typing import Any

import pytest

from app.web.answering import answer_html
from graph import Context, graph
from nodes.writing.render import chosen_line
from tests.app.web.pages import one, read

DRUGS: Any = {
    "question": "Which drug for pain and fever is also called acetaminophen?",
    "options": ["Paracetamol", "Insulin", "Warfarin", "Digoxin"],
}
POLAR: Any = {"question": "Do antibiotics cure a cold?", "options": ["yes", "no"]}


@pytest.mark.parametrize(
    ("asked", "settings", "expected"),
    [
        (POLAR, {"verification.critic": None}, "? no The draft's choice, not checked"),
        (
            DRUGS,
            {"verification.always_choose": True},
            "? A. Paracetamol Nearest to the sources, not checked",
        ),
        (POLAR, {}, "✓ no Best supported by the sources"),
    ],
)
def test_the_chosen_option_is_shown_in_the_words_of_the_text(
    starter_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    asked: Any,
    settings: dict[str, Any],
    expected: str,
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(starter_home))
    answer = graph.invoke(asked, context=Context.model_validate(settings))["answer"]
    page = read(answer_html(answer))
    assert one(page, ".options .chosen").get_text(" ", strip=True) == expected
    assert chosen_line(answer) in answer["text"]
    checked = expected.startswith("✓")
    outcome = one(page, ".outcome").get_text()
    assert ("Every statement is supported" in outcome) is checked
    assert ("not checked" in outcome) is not checked
