"""Writes a corpus into Milvus: a new generation that replaces the old one at the end."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Protocol

import numpy as np

from anamnesis.corpus.passage import Passage, split_all
from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError, IndexFolderError, SettingError
from anamnesis.models.embedding import Embedder
from retrievers.build import Changes, Progress, batches, check_collection, content_of
from retrievers.corpus import Accept, Corpus
from retrievers.manifest import EmbedderId, Manifest, made_otherwise
from retrievers.milvus_draft import Draft
from retrievers.milvus_tables import (
    GENERATIONS,
    NOW,
    all_rows_of,
    answering,
    drop,
    passages_of,
    records_of,
)
from retrievers.provenance import Approval
from retrievers.server_records import check
from retrievers.vectors import checked

_RECORDS_AT_ONCE = 512
_writing = threading.Lock()


class Target(Protocol):
    """The server that is written to."""

    client: Any
    name: str

    def current(self) -> tuple[str, Manifest] | None:
        """The current generation."""

    def drafted(self, generation: str, manifest: Manifest, embedder: Embedder) -> Corpus:
        """A generation that is not yet the current one."""

    def sweep(self) -> None:
        """Delete generations that no reader can be using any more."""


class MilvusWriter:
    """Makes the next generation; vectors of unchanged passages are copied."""

    def __init__(self, target: Target, embedder: Callable[[], Embedder]) -> None:
        self._target, self._embedder = target, embedder

    def put(
        self,
        records: Iterable[Record],
        collection: str,
        progress: Progress | None = None,
        *,
        rebuild: bool = False,
        approval: Approval | None = None,
        accept: Accept | None = None,
    ) -> Changes:
        """Store exactly ``records`` as the collection.

        Raises SettingError, CorpusError and IndexFolderError as ``retrievers.build.build`` does,
        and CorpusError for facts: they are also searched by their names, which Milvus cannot do.
        """
        check_collection(collection)
        embedder = self._embedder()
        made = EmbedderId.of(embedder)
        report: Progress = progress or (lambda stage, done, total: None)

        def fill(run: "_Run") -> Changes:
            return run.add(records, collection, embedder, report, approval)

        def see(generation: str, manifest: Manifest) -> None:
            if accept is not None:
                accept(self._target.drafted(generation, manifest, embedder))

        return self._write(fill, collection, made, rebuild, approval is not None, see)

    def remove(self, collection: str) -> Changes:
        """Remove a collection; SettingError if no collection has that name."""
        with answering(self._target.name):
            found = self._target.current()
        collections = found[1].collections if found else {}
        if found is None or collection not in collections:
            known = ", ".join(collections) or "none"
            raise SettingError(
                f"{self._target.name} has no collection {collection!r}. It has: {known}."
            )
        gone = Changes(removed=collections[collection].records)
        return self._write(lambda run: gone, collection, found[1].embedder)

    def content_hashes(self) -> dict[str, str]:
        """The content hash of each stored record; see ``Writer.content_hashes``."""
        with answering(self._target.name):
            found = self._target.current()
            known = _known(self._target.client, *found) if found else {}
        return {key: item["content"] for key, item in known.items()}

    def _write(
        self,
        fill: Callable[["_Run"], Changes],
        collection: str,
        made: EmbedderId,
        rebuild: bool = False,
        always: bool = False,
        see: Callable[[str, Manifest], None] = lambda generation, manifest: None,
    ) -> Changes:
        target = self._target
        if not _writing.acquire(blocking=False):
            raise IndexFolderError(
                f"Another run is writing the index in {target.name}. Wait until it has ended"
            )
        try:
            with answering(target.name):
                now = target.current()
                old = None if rebuild else now
                if old is not None:
                    was = old[1].embedder
                    if (was.fingerprint, was.window) != (made.fingerprint, made.window):
                        raise made_otherwise(target.name, was, made.reference, made.fingerprint)
                draft = Draft(target.client, made)
                try:
                    changes = self._switch(draft, fill, collection, now, old, always, see)
                except BaseException:
                    drop(target.client, draft.name)
                    raise
                target.sweep()
                return changes
        finally:
            _writing.release()

    def _switch(
        self, draft: Draft, fill: Callable[["_Run"], Changes], collection: str,
        now: tuple[str, Manifest] | None, old: tuple[str, Manifest] | None, always: bool,
        see: Callable[[str, Manifest], None],
    ) -> Changes:  # fmt: skip
        target, client = self._target, self._target.client
        # Stored at the start, so that the data of a killed run are found and deleted.
        _note(client, draft.name, {"begun": time.time()})
        run = _Run(client, draft, old)
        run.take_others(collection)
        changes = fill(run)
        if old is not None and draft.corpus() == old[1].corpus and not always:
            drop(client, draft.name)
            return changes
        manifest = draft.finish()
        see(draft.name, manifest)
        present = target.current()
        if (present and present[0]) != (now and now[0]):
            raise IndexFolderError(
                f"Another run has written the index in {target.name} meanwhile. Nothing of this "
                f"run was stored; run it again"
            )
        # A reader that follows the alias finds the manifest, and a reader with a manifest finds the
        # alias.
        if now is None:
            client.create_alias(collection_name=passages_of(draft.name), alias=NOW)
            _note(client, draft.name, {"manifest": asdict(manifest)})
        else:
            _note(client, draft.name, {"manifest": asdict(manifest)})
            client.alter_alias(collection_name=passages_of(draft.name), alias=NOW)
            _note(client, now[0], {"manifest": asdict(now[1]), "replaced": time.time()})
        return changes


class _Run:
    """The data that a run puts into the new generation."""

    def __init__(self, client: Any, draft: Draft, old: tuple[str, Manifest] | None) -> None:
        """``old`` is the generation to copy from, if there is one."""
        self._draft = draft
        self._old, self._collections = (old[0], old[1].collections) if old else ("", {})
        self._known = _known(client, *old) if old else {}

    def take_others(self, collection: str) -> None:
        """Copy all other collections."""
        for name in sorted(set(self._collections) - {collection}):
            self._draft.take(self._old, name, self._collections[name].passages)
        for key, item in self._known.items():
            if item["collection"] != collection:
                self._draft.note(key, item)

    def add(
        self, records: Iterable[Record], collection: str, embedder: Embedder, report: Progress,
        approval: Approval | None,
    ) -> Changes:  # fmt: skip
        """Write the records of the collection."""
        old, seen = self._known, dict[str, str]()
        added = changed = embedded = 0
        by, at = approval or Approval("", "")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for batch in batches(records, _RECORDS_AT_ONCE):
            fresh: list[Record] = []
            for record in batch:
                content, before = content_of(record), old.get(record.id)
                kept = None if before is None else (before["collection"],)
                if record.kind == "fact":
                    raise CorpusError(
                        f"Record {record.id!r} of collection {collection!r} is a fact. "
                        "Milvus cannot search facts by their names. Put facts and passages into "
                        "an index folder or into PostgreSQL (--index postgresql://…)."
                    )
                check(record, content, seen.get(record.id), kept, collection)
                if record.id in seen:
                    continue
                seen[record.id] = content
                fresh.append(record)
                same = before is not None and before["content"] == content
                added += before is None
                changed += before is not None and not same
                noted = {
                    "collection": collection, "content": content, "origin": record.origin,
                    "sha256": record.sha256, "indexed": now, "approved_by": by, "approved": at,
                }  # fmt: skip
                self._draft.note(record.id, before if before and same and not by else noted)
            pages = list(split_all(fresh, embedder.count_tokens, embedder.window))
            embedded += self._add_pages(pages, collection, embedder)
            report("embedding", len(seen), None)
        mine = {key for key, item in old.items() if item["collection"] == collection}
        return Changes(added, changed, len(mine - set(seen)), len(seen) - added - changed, embedded)

    def _add_pages(self, pages: list[Passage], collection: str, embedder: Embedder) -> int:
        """Write passages, with the vectors of equal passages from the old generation."""
        known = self._draft.vectors(self._old, pages) if self._old else {}
        texts = list(dict.fromkeys(item.embedded for item in pages if item.id not in known))
        made = EmbedderId.of(embedder)
        new = {}
        if texts:
            vectors = checked(embedder.embed_documents(texts), len(texts), made)
            new = dict(zip(texts, vectors, strict=True))
        if pages:
            every = [known[item.id] if item.id in known else new[item.embedded] for item in pages]
            self._draft.add(pages, collection, np.stack(every))
        return len(texts)


def _known(client: Any, generation: str, manifest: Manifest) -> dict[str, dict[str, Any]]:
    """The records of a generation, by id."""
    rows = all_rows_of(
        client, records_of(generation), ["body"], expected=manifest.records, what="records"
    )
    items = [json.loads(row["body"]) for row in rows]
    return {item.pop("id"): item for item in items}


def _note(client: Any, generation: str, values: Mapping[str, Any]) -> None:
    """Store the data about a generation."""
    row = {"key": generation, "body": json.dumps(values), "none": [0.0, 0.0]}
    client.upsert(GENERATIONS, [row])
