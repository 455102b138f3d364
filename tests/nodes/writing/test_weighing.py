"""Sources that say the same are cited by type, and then the newest first; some are weaker."""

from typing import Any

import pytest

from anamnesis.corpus.passage import Passage
from graph import Context
from nodes.writing.weighing import is_weaker, source_ranks


def page(kind: str = "qa", **metadata: Any) -> Passage:
    return Passage("a#0", "a", 0, 4, "Rest", kind=kind, metadata=metadata)  # type: ignore[arg-type]


GUIDELINE = page(source_type="guideline", date="2019")
ABSTRACT = page("abstract", date="2026-01-31")
NEW = page(source_type="page", date="2026-02")
OLD = page(source_type="page", date="2025-12-31")
UNDATED = page(source_type="page")
UNKNOWN = page(source_type="poem", date="2026")


def test_the_default_weighs_type_before_date() -> None:
    rank = source_ranks(Context())
    found = sorted([UNKNOWN, UNDATED, OLD, ABSTRACT, NEW, GUIDELINE], key=rank)
    assert found[0] is GUIDELINE
    assert [item for item in found if item in (NEW, OLD, UNDATED)] == [NEW, OLD, UNDATED]
    assert found[-1] is UNKNOWN


@pytest.mark.parametrize("order", [("page", "abstract"), ("abstract", "page")])
def test_the_settings_order_the_types(order: tuple[str, ...]) -> None:
    rank = source_ranks(Context.model_validate({"generator.source_order": order}))
    found = sorted([NEW, ABSTRACT, GUIDELINE], key=rank)
    first = NEW if order[0] == "page" else ABSTRACT
    assert (found[0], found[-1]) == (first, GUIDELINE)


def test_without_an_order_all_sources_are_alike() -> None:
    rank = source_ranks(Context.model_validate({"generator.source_order": ()}))
    assert {rank(item) for item in (GUIDELINE, ABSTRACT, NEW, UNDATED, UNKNOWN)} == {(0, 0)}


@pytest.mark.parametrize(
    ("other", "cited", "weaker"),
    [
        (ABSTRACT, [NEW], True),
        (UNDATED, [OLD], True),
        (UNDATED, [UNDATED], False),
        (OLD, [NEW], False),
        (GUIDELINE, [NEW], False),
        (ABSTRACT, [ABSTRACT, GUIDELINE], True),
        (UNDATED, [], False),
    ],
)
def test_a_weaker_type_and_a_missing_date_are_weaker_but_an_older_date_is_not(
    other: Passage, cited: list[Passage], weaker: bool
) -> None:
    rank = source_ranks(Context())
    assert is_weaker(rank(other), [rank(item) for item in cited]) is weaker


def test_without_an_order_nothing_is_weaker() -> None:
    rank = source_ranks(Context.model_validate({"generator.source_order": ()}))
    assert not is_weaker(rank(UNKNOWN), [rank(GUIDELINE)])
