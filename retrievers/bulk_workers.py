"""Embed shards with workers: processes on this machine, or Ray actors.

A worker that ends is replaced, and its shard is started again. A shard's file is either complete or
missing, so that nothing is lost or repeated.
"""

import logging
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import Any

from anamnesis.errors import AnamnesisError, ModelError, SettingError
from retrievers.bulk_spool import Shard
from retrievers.bulk_vectors import ShardEmbedder

Made = Callable[[], ShardEmbedder]
Done = Callable[[Shard], bool]

_TRIES = 3  # times that a pool may fail in a row without finishing a shard


def in_processes(make: Made, shards: Sequence[Shard], done: Done, workers: int) -> Iterator[Shard]:
    """Yield each finished shard. Raises a worker's error, or ModelError if all workers die."""
    left = {shard.name: shard for shard in shards}
    died = 0
    while left:
        pool = ProcessPoolExecutor(
            workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(make,),
        )
        before = len(left)
        try:
            for future in as_completed([pool.submit(_embed, item) for item in left.values()]):
                shard = future.result()
                yield left.pop(shard.name)
        except BrokenProcessPool as error:
            for shard in [item for item in left.values() if done(item)]:
                yield left.pop(shard.name)
            died = 1 if len(left) < before else died + 1
            if died == _TRIES:
                raise ModelError(
                    f"The workers ended {_TRIES} times without finishing one of {len(left)} "
                    f"shards, perhaps because of too little memory. Finished work is kept: run "
                    f"the same command again with fewer --workers."
                ) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_make: Made | None = None
_worker: ShardEmbedder | None = None


def _start(make: Made) -> None:
    global _make
    _make = make
    threading.Thread(target=_end_with_the_driver, daemon=True).start()


def _end_with_the_driver() -> None:
    # A worker whose driver was killed would wait for work forever.
    driver = multiprocessing.parent_process()
    if driver is not None:
        wait([driver.sentinel])
        os._exit(1)


def _embed(shard: Shard) -> Shard:
    global _worker
    if _worker is None:
        assert _make is not None
        # Loaded here, because an error at the start of a process would be lost.
        _worker = _make()
    _worker(shard)
    return shard


def in_ray(make: Made, shards: Sequence[Shard], done: Done, workers: int) -> Iterator[Shard]:
    """Yield each finished shard, using Ray Data actors, with one GPU each if there are any.

    Uses the cluster that ``RAY_ADDRESS`` names, otherwise starts one on this machine. Raises
    SettingError if Ray is not installed, ModelError if the workers fail.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # telemetry
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise SettingError(
            f"--engine ray needs the package {error.name}: pip install 'anamnesis[ray]'"
        ) from error
    ours = not ray.is_initialized()
    if ours:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.WARNING)
    try:
        gpus = ray.cluster_resources().get("GPU", 0) > 0
        logging.getLogger("ray.data").setLevel(logging.WARNING)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        rows: list[dict[str, Any]] = [shard._asdict() for shard in shards]
        actors = ray.data.ActorPoolStrategy(min_size=1, max_size=workers)
        embedded = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
            _RayWorker, fn_constructor_args=(make,), compute=actors,
            num_cpus=1, num_gpus=1 if gpus else 0,
        )  # fmt: skip
        for row in _rows(embedded):
            if wrong := row.pop("wrong"):
                raise ModelError(wrong)
            yield Shard(**row)
    finally:
        if ours:
            ray.shutdown()


def _rows(embedded: Any) -> Iterable[dict[str, Any]]:
    import ray

    try:
        yield from embedded.iter_rows()
    except ray.exceptions.RayError as error:
        last = str(error).strip().rpartition("\n")[2]
        raise ModelError(
            f"The workers failed: {last}. Finished work is kept: remove the cause and run the same "
            "command again."
        ) from error


class _RayWorker:
    def __init__(self, make: Made) -> None:
        self._make = make
        self._embed: ShardEmbedder | None = None

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        try:
            # Loaded here, because Ray would repeat a failing start again and again.
            self._embed = self._embed or self._make()
            self._embed(Shard(**row))
        except AnamnesisError as error:
            # Returned as a value, because Ray reports an exception with its whole traceback.
            return {**row, "wrong": str(error)}
        return {**row, "wrong": ""}


ENGINES: dict[str, Callable[[Made, Sequence[Shard], Done, int], Iterator[Shard]]] = {
    "processes": in_processes,
    "ray": in_ray,
}
