"""Warnings on a question, above its answer on the page."""

import pytest

from app.web.answering import answer_html
from tests.app.web.pages import answer, one, read


@pytest.mark.parametrize("silent", [False, True])
def test_warnings_on_the_question_are_above_what_is_stated(silent: bool) -> None:
    about = {"entry": "medicine: a<b", "medicine": "c", "text": "The question mentions a<b and c."}
    nothing = {"outcome": "abstained", "reason": "weak_evidence", "statements": []}
    page = read(answer_html(answer(warnings=[about], **(nothing if silent else {}))))
    warning = one(page, ".warning")
    assert warning.get_text(" ", strip=True) == "Warning: The question mentions a<b and c."
    assert one(page, ".notice" if silent else ".outcome") in warning.find_all_next()
