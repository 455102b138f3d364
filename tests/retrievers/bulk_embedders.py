"""Embedders that workers load, and what they do to their processes."""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from anamnesis.errors import ModelError
from retrievers import bulk_spool
from retrievers.bulk import put_in_bulk
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import records

Progress = Callable[[int], None]


class Embedder(HashEmbedder):
    """Does ``what`` in every worker, or in the first alone; leaves a file ``folder``/process."""

    def __init__(self, what: str, folder: Path, driver: int) -> None:
        super().__init__()
        self._what, self._folder, self._driver = what, folder, driver

    def embed_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> npt.NDArray[np.float32]:
        if os.getpid() != self._driver:
            first = not list(self._folder.iterdir())
            (self._folder / str(os.getpid())).touch()
            if self._what == "always dies" or (self._what == "dies once" and first):
                os.kill(os.getpid(), signal.SIGKILL)
            if self._what == "fails":
                raise ModelError("the weights are damaged")
            if self._what == "is slow" and not first:
                time.sleep(0.4)
        return super().embed_documents(texts, progress)


def loading(what: str, folder: Path) -> Callable[[], Embedder]:
    folder.mkdir(exist_ok=True)
    return partial(Embedder, what, folder, os.getpid())


RECORDS = 400
IN_A_SHARD = 32
"""Records in a shard, so that few records have as many shards as a run of thousands."""


if __name__ == "__main__":  # a driver that is to be killed
    base, engine = Path(sys.argv[1]), sys.argv[2]
    bulk_spool._RECORDS = IN_A_SHARD
    put_in_bulk(
        records(RECORDS), base / "index", "one", loading("is slow", base / "seen"), base / "work",
        engine,
    )  # fmt: skip
