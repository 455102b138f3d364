"""The result of reading data files: how many records, what was skipped, and why."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from anamnesis.language.text import comma_list

_SHOWN = 5  # problems printed for each reason


class Problem(NamedTuple):
    """One record that was skipped.

    Args:
        file: The file with the problem; empty for records that are not from a file.
        where: The place in the file, such as "line 12" or "pair 3".
        reason: The reason in a few words, the same for every record with this problem.
        detail: The details of this record.
    """

    file: str
    where: str
    reason: str
    detail: str = ""

    def __str__(self) -> str:
        place = comma_list(self.file, self.where)
        return f"{place}: {self.reason}" + (f" ({self.detail})" if self.detail else "")


@dataclass
class Report:
    """Filled while records are read: give one to ``anamnesis.corpus.loading.read``."""

    read: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)

    def skip(self, file: Path | str, where: str, reason: str, detail: str = "") -> None:
        """Counts and lists a record that is left out."""
        self.skipped[reason] += 1
        self.problems.append(Problem(str(file), where, reason, detail))

    def __str__(self) -> str:
        """The counts, and the first few problems of each reason with file and place."""
        lines = [f"{self.read} records read, {self.skipped.total()} skipped"]
        for reason, count in self.skipped.most_common():
            lines.append(f"  {count} × {reason}")
            alike = [problem for problem in self.problems if problem.reason == reason]
            lines.extend(f"    {problem}" for problem in alike[:_SHOWN])
            if count > _SHOWN:
                lines.append(f"    … and {count - _SHOWN} more")
        return "\n".join(lines)
