"""What a person wrote below the figures of a reproduction."""

from pathlib import Path

import pytest

from anamnesis import SettingError
from evaluation.reproduce.paper import SYSTEMS
from evaluation.reproduce.remarks import LINE, Earlier, earlier, with_remarks

PAGES = Path(__file__).parents[3] / "docs" / "results"
OLD = "# mark\n\nMeasured by `anamnesis reproduce mark --quick`. Asked: 5.\n"
NEW = "# mark\n\nMeasured by `anamnesis reproduce mark`. Asked: 50.\n"
SAID = "## What I think\n\nThe figures are low."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mark.md"


def again(file: Path, page: str) -> str:
    file.write_text(with_remarks(page, earlier(file)), "utf-8")
    return file.read_text("utf-8")


def test_a_first_page_ends_with_the_line(file: Path) -> None:
    assert earlier(file) == Earlier()
    assert again(file, OLD) == f"{OLD}\n{LINE}\n"
    assert again(file, NEW) == f"{NEW}\n{LINE}\n"


def test_remarks_stay_and_name_the_command_they_were_written_for(file: Path) -> None:
    file.write_text(f"{OLD}\n{LINE}\n{SAID}", "utf-8")
    assert again(file, OLD) == f"{OLD}\n{LINE}\n\n{SAID}\n"
    text = (
        "*The text below was written for earlier figures, of `anamnesis reproduce mark --quick`.*"
    )
    assert again(file, NEW) == f"{NEW}\n{LINE}\n\n{text}\n\n{SAID}\n"
    # A third measurement leaves it as it is, and its author can remove it.
    assert again(file, NEW.replace("50", "60")).endswith(f"{LINE}\n\n{text}\n\n{SAID}\n")
    file.write_text(file.read_text("utf-8").replace(text, ""), "utf-8")
    assert again(file, NEW.replace("50", "60")).endswith(f"{LINE}\n\n{SAID}\n")


def test_remarks_stay_on_a_page_without_a_command_and_with_the_line_twice(file: Path) -> None:
    file.write_text(f"{LINE}\r\n{SAID}\r\n{LINE}", "utf-8", newline="")
    text = "*The text below was written for earlier figures.*"
    assert again(file, NEW) == f"{NEW}\n{LINE}\n\n{text}\n\n{SAID}\n{LINE}\n"


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (f"{OLD}\n{SAID}".encode(), "lacks the line"),
        (b"", "lacks the line"),
        (f"{OLD}\n<!-- Remarks: \n{SAID}".encode(), "lacks the line"),
        (f"{OLD}\n{LINE}\n".encode() + b"\xff", "cannot be read"),
    ],
)
def test_a_page_whose_remarks_cannot_be_recognised_is_not_replaced(
    page: bytes, said: str, file: Path
) -> None:
    file.write_bytes(page)
    with pytest.raises(SettingError, match=said):
        earlier(file)


def test_a_folder_is_no_page(file: Path) -> None:
    file.mkdir()
    with pytest.raises(SettingError, match="cannot be read"):
        earlier(file)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_pages_of_the_docs_can_be_written_again(system: str) -> None:
    assert earlier(PAGES / f"{system}.md").written
