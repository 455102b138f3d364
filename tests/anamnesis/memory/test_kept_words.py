"""Replies of models that are kept of a user: found again, forgotten with all else, by the bytes."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, Generation

from anamnesis.memory import replies
from anamnesis.memory.database import Database
from anamnesis.memory.record import Memory
from anamnesis.memory.replies import expire, forget_replies
from anamnesis.memory.reply_cache import Replies
from anamnesis.memory.store import Memories
from tests.anamnesis.memory.conftest import Make

SECRET = "Zanzibar syndrome of the left elbow"


def cache(folder: Path, owner: str = "ann", begun: float | None = None, days: int = 7) -> Replies:
    return Replies(folder, owner, time.time() + 1 if begun is None else begun, days)


def said(text: str) -> list[Generation]:
    usage: Any = {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4}
    return [ChatGeneration(message=AIMessage(text, usage_metadata=usage))]


def holding(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if b"Zanzibar" in path.read_bytes()]


def test_a_reply_is_found_by_prompt_model_and_user(folder: Path) -> None:
    replies = cache(folder)
    assert replies.lookup("asked", "model") is None
    replies.update("asked", "model", said("reply"))
    replies.update("plain", "model", [Generation(text="judged")])
    assert cache(folder).lookup("asked", "model") == said("reply")
    assert cache(folder).lookup("plain", "model") == [Generation(text="judged")]
    assert replies.lookup("other", "model") is replies.lookup("asked", "other") is None
    assert cache(folder, "bob").lookup("asked", "model") is None


def test_what_was_asked_is_kept_as_a_hash_alone(folder: Path) -> None:
    cache(folder).update(f"I have {SECRET}.", "model", said("reply"))
    assert holding(folder) == []
    # The proof would see it.
    cache(folder).update("asked", "model", said(SECRET))
    assert holding(folder) == ["memories.sqlite"]


def _all(kept: Memories, folder: Path, memory: str) -> None:
    kept.delete("ann")


def _one(kept: Memories, folder: Path, memory: str) -> None:
    kept.delete("ann", [memory])


def _edited(kept: Memories, folder: Path, memory: str) -> None:
    kept.edit("ann", memory, "other words")


def _pruned(kept: Memories, folder: Path, memory: str) -> None:
    kept.add("ann", [Memory.make(owner="ann", kind="question", text="rash")])
    assert kept.prune("ann", limit=1)


def _rated(kept: Memories, folder: Path, memory: str) -> None:
    while kept.all("ann"):
        kept.rate("ann", memory, correct=False)


def _replies(kept: Memories, folder: Path, memory: str) -> None:
    assert forget_replies(folder, "ann") == 1


def _cleared(kept: Memories, folder: Path, memory: str) -> None:
    cache(folder).clear()


@pytest.mark.parametrize("forget", [_all, _one, _edited, _pruned, _rated, _replies, _cleared])
def test_whatever_a_user_deletes_takes_all_their_replies_with_it(
    kept: Memories, folder: Path, make: Make, forget: Callable[[Memories, Path, str], None]
) -> None:
    [memory] = kept.add("ann", [make("gout")])
    begun = time.time()
    cache(folder).update("asked", "model", said(SECRET))
    cache(folder, "bob").update("asked", "model", said("of bob"))
    forget(kept, folder, memory.id)
    assert holding(folder) == []
    assert cache(folder).lookup("asked", "model") is None
    assert cache(folder, "bob").lookup("asked", "model") == said("of bob")
    # A run that was under way meanwhile keeps nothing more; a later one does.
    cache(folder, begun=begun).update("asked", "model", said(SECRET))
    assert holding(folder) == []
    cache(folder).update("asked", "model", said("again"))
    assert cache(folder).lookup("asked", "model") == said("again")


def test_where_nobody_knows_whose_it_was_all_go(folder: Path) -> None:
    begun = time.time()
    for owner in ("ann", "bob"):
        cache(folder, owner).update("asked", "model", said(SECRET))
    assert forget_replies(folder, None) == 2
    cache(folder, "bob", begun).update("asked", "model", said(SECRET))
    assert holding(folder) == []


def test_nothing_is_kept_of_a_run_that_began_before_a_deletion_where_nothing_was_kept_yet(
    kept: Memories, folder: Path
) -> None:
    begun = time.time()
    kept.delete("ann")
    cache(folder, begun=begun).update("asked", "model", said(SECRET))
    assert holding(folder) == []


def test_a_deletion_that_is_cut_short_is_finished_by_the_next(
    kept: Memories, folder: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.add("ann", [make("gout")])
    cache(folder).update("asked", "model", said(SECRET))
    swept: list[str] = []
    vacuum = Database.vacuum

    def killed(base: Database) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Database, "vacuum", killed)
    with pytest.raises(KeyboardInterrupt):
        forget_replies(folder, "ann")
    monkeypatch.setattr(Database, "vacuum", lambda base: swept.append("once") or vacuum(base))
    kept.sweep()
    kept.sweep()
    assert swept == ["once"]
    assert holding(folder) == []


def test_a_reply_goes_after_its_days(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache(folder, days=2).update("asked", "model", said(SECRET))
    later = time.time() + 2 * 24 * 3600 + 1
    monkeypatch.setattr(replies, "time", lambda: later)
    assert cache(folder).lookup("asked", "model") is None
    assert holding(folder)
    expire(Database(folder))
    assert holding(folder) == []


def test_a_file_that_cannot_be_used_costs_nobody_a_reply(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.mkdir()
    (folder / "memories.sqlite").write_bytes(b"no database" * 100)
    replies = cache(folder)
    replies.update("asked", "model", said("reply"))
    assert replies.lookup("asked", "model") is None
    assert "replies of models are not kept" in caplog.text


def test_what_is_no_json_costs_nobody_a_reply(folder: Path) -> None:
    odd = [Generation(text="yes", generation_info={"at": datetime.now(UTC)})]
    replies = cache(folder)
    replies.update("prompt", "model", odd)
    assert replies.lookup("prompt", "model") is None
