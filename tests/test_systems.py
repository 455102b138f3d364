"""Each row of the published systems: how it is switched on, and the tests that execute it."""

import json
import re
from pathlib import Path

import pytest

from evaluation.reproduce.paper import SYSTEMS
from nodes.settings.context import Context
from nodes.settings.names import fields, value_of
from nodes.settings.presets import PRESETS
from tests.rows import NUMBERS, ROWS

ROOT = Path(__file__).parents[1]
# What a preset takes over of the default, though its paper lacks it, is switched off.
OFF = (
    "question.spelling",
    "question.names",
    "question.split",
    "question.premises",
    "retrieval.reduce_query",
    "retrieval.query_adapter",
    "retrieval.gate",
    "generator.source_order",
    "memory.verify_again",
    "memory.quote_user",
    "memory.medicine_warnings",
    "verification.safety_checks",
)


def test_no_row_is_left_out() -> None:
    assert list(ROWS) == [f"{letter}{n}" for letter, most in NUMBERS.items()
                          for n in range(1, most + 1)]  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_executed_by_tests_that_are_there(row: str) -> None:
    for named in ROWS[row]:
        file, _, function = named.partition("::")
        assert f"def {function}(" in (ROOT / "tests" / file).read_text("utf-8"), named


def rows_of_page() -> dict[str, list[str]]:
    """The cells of each row on the page of the systems."""
    page = (ROOT / "docs" / "systems.md").read_text("utf-8")
    lines = re.findall(r"^\| ([HMRKSA]\d+) \|(.*)\|$", page, re.MULTILINE)
    return {row: [cell.strip() for cell in rest.split("|")] for row, rest in lines}


def test_the_page_has_for_every_row_how_what_figure_and_deviation() -> None:
    assert list(rows_of_page()) == list(ROWS)
    for row, cells in rows_of_page().items():
        assert len(cells) == 4, row
        assert all(cells), row


def test_each_figure_is_on_the_page_that_it_names() -> None:
    for row, (_, _, figure, _) in rows_of_page().items():
        if figure == "–":
            continue
        value, page = re.findall(r": (-?\d\.\d+ \[.+?\]) \(\[[\w-]+\]\((\S+)\)\)$", figure)[0]
        assert f"| {value} |" in (ROOT / "docs" / page).read_text("utf-8"), row


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_page_leads_to_the_figures_of_each_system(system: str) -> None:
    page = (ROOT / "docs" / "systems.md").read_text("utf-8")
    part = page.partition(f"\n## {system}\n")[2].partition("\n## ")[0]
    assert f"(results/{system}.md)" in part


def test_what_the_page_names_as_a_setting_is_one() -> None:
    for row, cells in rows_of_page().items():
        named = re.findall(r"the preset: ((?:`[\w.]+`(?:, )?)+)", cells[0])
        for name in re.findall(r"`([\w.]+)`", " ".join(named)):
            assert name in fields(Context), (row, name)


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "default"])
def test_a_preset_has_no_gate_and_no_reading_of_the_question_that_its_paper_lacks(
    preset: str,
) -> None:
    context = Context.model_validate({"preset": preset})
    assert not [name for name in OFF if value_of(context, name)]
    # Its budget is the paper's, or none but the model's window.
    assert context.generator.prompt_tokens == (1024 if preset == "hybrid-memory" else "window")


def test_the_default_is_what_it_was() -> None:
    context = Context.model_validate({})
    assert all(value_of(context, name) for name in (*OFF, "question.conversation"))
    assert (context.generator.prompt_format, context.retrieval.rerank_by, context.loop.history) == (
        "numbered",
        "both",
        "unsupported",
    )
    assert (
        context.verification.verdicts,
        context.memory.notes,
        context.memory.stored_exchanges,
    ) == (
        "checked",
        "quoted",
        "checked",
    )
    assert (
        context.generator.alternatives,
        context.memory.contradictions,
        context.memory.rankings_by_kind,
    ) == (
        2,
        None,
        {},
    )


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "default"])
def test_the_page_of_settings_has_the_values_of_a_preset(preset: str) -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    common = re.search(r"^\| all others \|(.*)\|$", page, re.MULTILINE)
    row = re.search(rf"^\| `{preset}` \|(.*)\|$", page, re.MULTILINE)
    assert common
    assert row
    for name, value in PRESETS[preset].items():
        shown = f"`{name}` {json.dumps(value)}"
        assert shown in row[1] or (f"`{name}`" not in row[1] and shown in common[1]), shown


def test_the_page_of_settings_has_the_defaults() -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    for name, field in fields(Context).items():
        assert f"| `{name}` | `{json.dumps(field.default)}` |" in page, name
