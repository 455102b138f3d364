"""Pieces of HTML in which text stays text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.markup import link, marked, percent
from tests.app.web.pages import one, read


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (1.0, "over 99%"),
        (0.995, "over 99%"),
        (0.994, "99%"),
        (0.931, "93%"),
        (0.5, "50%"),
        (0.0051, "1%"),
        (0.0049, "under 1%"),
        (0.0, "under 1%"),
    ],
)
def test_a_probability_is_never_rounded_to_certainty(share: float, expected: str) -> None:
    assert percent(share) == expected


@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs"])),
    st.integers(-2, 12),
    st.integers(-2, 12),
)
def test_a_highlight_changes_no_character(text: str, start: int, end: int) -> None:
    # Inside an element: BeautifulSoup warns about a text such as '.HTM' that resembles a file name.
    page = read(f"<p>{marked(text, start, end)}</p>")
    assert page.get_text() == text
    marks = [element.get_text() for element in page.select("mark")]
    assert marks == ([text[start:end]] if 0 <= start < end <= len(text) else [])


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "data:text/html,x", "//a.test", "a"])
def test_only_web_pages_are_linked(url: str) -> None:
    assert str(link(url, "A & B")) == "A &amp; B"
    assert one(read(link('HTTPS://a.test/?q="x', "A")), "a")["href"] == 'HTTPS://a.test/?q="x'
