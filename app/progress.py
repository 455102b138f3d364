"""Progress bars of commands, on standard error if that is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm


@contextmanager
def bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, if that is a terminal."""
    with tqdm(desc=doing, disable=None, leave=False, unit="") as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


class Bars:
    """A progress bar for each stage of indexing, on standard error if that is a terminal."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Any = None

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Show the progress of a stage, and remove the previous stage's bar."""
        if stage != self._stage:
            if self._bar is not None:
                self._bar.close()
            self._stage = stage
            self._bar = tqdm(total=total, desc=stage, disable=None, leave=False, unit="")
        self._bar.update(done - self._bar.n)
