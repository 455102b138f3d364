"""What a person wrote at the end of a page, kept when the page is written again."""

import re
from pathlib import Path
from typing import NamedTuple

from anamnesis.errors import SettingError

LINE = "<!-- Remarks: anamnesis reproduce keeps what is below this line. -->"
"""The end of what the command writes; the rendered page does not show it."""

_EARLIER = "*The text below was written for earlier figures"


class Earlier(NamedTuple):
    """An existing page: what the command wrote, and the remarks below ``LINE``."""

    written: str = ""
    remarks: str = ""


def earlier(file: Path) -> Earlier:
    """The page in ``file``; empty if there is none.

    Raises SettingError if it cannot be read or lacks ``LINE``: what a person wrote on it cannot be
    separated from the rest, and would be lost.
    """
    try:
        if not file.exists():
            return Earlier()
        written, line, remarks = file.read_text("utf-8").partition(LINE)
    except (OSError, ValueError) as error:
        raise SettingError(
            f"{file}: it cannot be read ({error}). Remove it, or name another folder with --out."
        ) from error
    if not line:
        raise SettingError(
            f"{file}: this page would be replaced, and lacks the line below which text is kept. "
            "Add the line above the text to keep, remove the page, or name another folder with "
            f"--out:\n{LINE}"
        )
    return Earlier(written.strip(), remarks.strip())


def with_remarks(page: str, before: Earlier) -> str:
    """The ``page`` with the remarks of the earlier one.

    If its figures are new, a line names the command that the remarks were written for. Such a line
    that is already there stays, because those figures are gone too.
    """
    parts = [page.strip(), LINE]
    if before.remarks:
        if before.written != page.strip() and not before.remarks.startswith(_EARLIER):
            measured = re.search(r"^Measured by (`[^`]+`)", before.written, re.MULTILINE)
            parts.append(f"{_EARLIER}{f', of {measured[1]}' if measured else ''}.*")
        parts.append(before.remarks)
    return "\n\n".join(parts) + "\n"
