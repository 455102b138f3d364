"""The tables of the docs are written in their places, and nothing else of a page is changed."""

import pytest

from benchmarks.doc_tables import TABLES, with_tables
from nodes.checking.checks import CHECKS, Check

HEAD = "# Answers\n\nBefore.\n\n| code | fails if |\n|---|---|\n"


@pytest.mark.parametrize("after", ["\n", "\n\nAfter.\n\n| code | x |\n|---|---|\n| `a` | b |\n"])
def test_the_rows_below_the_header_are_replaced(
    after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHECKS, "route", Check("a route is not in the passage", lambda *_: []))
    text = with_tables("answers.md", f"{HEAD}| `old` | it is old |{after}")
    assert text.startswith(HEAD)
    assert text.endswith(f"| `route` | a route is not in the passage |{after}")
    assert "old" not in text
    assert [f"| `{code}` |" in text for code in CHECKS] == [True] * len(CHECKS)


def test_a_page_without_its_table_is_an_error() -> None:
    assert "settings.md" in TABLES
    with pytest.raises(ValueError, match=r"settings\.md has no table"):
        with_tables("settings.md", "# Settings\n")
