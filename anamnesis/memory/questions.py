"""Questions that wait for an expert: not answered, or with an answer rated wrong [M9].

They are stored in the file of the memories and encrypted in the same way. When all data of a user
is deleted, the user's questions are deleted in the same transaction. A question is stored only with
its user's consent, and experts do not see who asked it.
"""

import logging
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from anamnesis.errors import MemoryFolderError, SettingError
from anamnesis.language.text import digest
from anamnesis.memory.database import Database, add_to_audit, has_questions_table, last_forgotten
from anamnesis.memory.encryption import Cipher, cipher
from anamnesis.memory.owners import check_owner
from anamnesis.memory.record import LONGEST, new_id, now
from anamnesis.memory.sweeping import deleting

Why = Literal["abstained", "rated wrong"]
State = Literal["waiting", "answered", "dismissed"]
TABLE = "questions"
_TABLE = (
    f"create table if not exists {TABLE} (id text primary key, owner text not null,"
    " gist text not null, state text not null, record text not null, unique (owner, gist))"
)
_MOST = 200
"""Maximum questions of one user; the oldest decided ones are deleted first, then the oldest."""
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class Question(BaseModel):
    """A question that waits for an expert, or that an expert has decided.

    ``times`` counts how often it was asked. ``note`` was written by the expert ``by``; ``document``
    is the collection that was approved for the question; ``answer`` is the program's answer, and
    after the decision the new one. ``seen`` is whether its owner was informed of the decision.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(default_factory=new_id, pattern="^[0-9a-f]{32}$")
    owner: str
    text: str = Field(max_length=LONGEST)
    why: Why
    answer: str = ""
    created: datetime = Field(default_factory=now)
    times: int = Field(1, ge=1)
    state: State = "waiting"
    by: str = ""
    note: str = Field("", max_length=LONGEST)
    document: str = ""
    seen: bool = False

    def changed(self, **fields: object) -> Self:
        """A copy with other values. Raises SettingError for an invalid value."""
        try:
            return type(self)(**{**self.model_dump(), **fields})
        except ValidationError as error:
            wrong = error.errors()[0]
            raise SettingError(f"{wrong['loc'][0]}: {wrong['msg']}") from error


class Questions:
    """The questions in the folder of the memories.

    Every call raises MemoryFolderError if the folder cannot be used, SettingError for a blank name.
    """

    def __init__(self, folder: Path) -> None:
        self._database = Database(folder)

    def ask(
        self, owner: str, text: str, why: Why, answer: str, requested_at: float | None = None
    ) -> Question | None:
        """Queue a question. If it is asked again, it is counted, and queued again if it was
        dismissed.

        Nothing is stored, and None is returned, for a run that was ``requested_at`` a time (in Unix
        seconds) before all data of the owner was deleted [H7].
        """
        check_owner(owner)
        if not text.strip():
            raise SettingError("a question that waits for an expert has words; this one is blank")
        values = {"owner": owner, "text": text[:LONGEST], "why": why, "answer": answer[:LONGEST]}
        new = Question.model_validate(values)
        with self._database.writing() as base:
            if requested_at is not None and requested_at <= last_forgotten(base, owner):
                return None
            base.execute(_TABLE)
            found = _select(base, "owner = ? and gist = ?", [owner, _content_key(text)])
            if found:
                again = {"times": found[0].times + 1, "answer": new.answer, "why": why}
                waits = {} if found[0].state == "answered" else {"state": "waiting"}
                new = found[0].changed(**again, **waits)
            else:
                _make_room(base, owner)
                add_to_audit(base, owner, "ask experts", new.id)
            _write(base, new)
        return new

    def of(self, owner: str) -> list[Question]:
        """The questions of a user, the newest first, without damaged ones."""
        check_owner(owner)
        return self._read(lambda base: _select(base, "owner = ?", [owner], strict=False))

    def ids(self, owner: str) -> list[str]:
        """The ids of all questions of a user, including damaged ones."""
        check_owner(owner)
        chosen = f"select id from {TABLE} where owner = ?"
        return self._read(lambda base: [item for (item,) in base.execute(chosen, [owner])])

    def all(self, state: State | None = None) -> list[Question]:
        """The questions of all users, for experts: those asked most often first.

        A damaged one is left out, so that the others can still be read.
        """
        where, values = ("state = ?", [state]) if state else ("true", [])
        found = self._read(lambda base: _select(base, where, values, strict=False))
        return sorted(found, key=lambda item: (-item.times, item.created, item.id))

    def get(self, question: str) -> Question:
        """A question by its id. Raises SettingError if it does not exist."""
        found = self._read(lambda base: _select(base, "id = ?", [question]))
        if not found:
            raise _unknown_question(question)
        return found[0]

    def decide(self, question: str, by: str, state: State, **fields: str) -> Question:
        """Store an expert's decision: the note, the document, or the new answer.

        Raises SettingError if the question does not exist, or if nobody is named.
        """
        if not by.strip():
            raise SettingError("say which expert decides")
        return self._change(
            question, by, lambda item: item.changed(state=state, by=by, seen=False, **fields)
        )

    def inform(self, owner: str, ids: Sequence[str]) -> None:
        """Store that the owner was informed of the decisions on these questions."""
        check_owner(owner)
        for item in ids:
            if any(found.id == item for found in self.of(owner)):
                self._change(item, None, lambda found: found.changed(seen=True))

    def delete(self, owner: str, ids: Sequence[str]) -> int:
        """Delete questions of the owner, with every byte of their text, and return their number.

        Raises SettingError, and deletes nothing, if one is not theirs.
        """
        mine = set(self.ids(owner))  # a damaged one can be deleted, too
        for item in ids:
            if item not in mine:
                raise _unknown_question(item)
        if not ids:
            return 0
        with deleting(self._database) as base:
            for item in ids:
                base.execute(f"delete from {TABLE} where id = ?", [item])
                add_to_audit(base, owner, "delete", item)
        return len(set(ids))

    def _change(
        self, question: str, by: str | None, change: Callable[[Question], Question]
    ) -> Question:
        self.get(question)
        with self._database.writing() as base:
            found = _select(base, "id = ?", [question])
            if not found:
                raise _unknown_question(question)
            new = change(found[0])
            _write(base, new)
            if by:
                add_to_audit(base, by, new.state, question)
        return new

    def _read(self, read: Callable[[sqlite3.Connection], list[_T]]) -> list[_T]:
        if not self._database.exists():
            return []
        with self._database.reading() as base:
            return read(base) if has_questions_table(base) else []


def delete_all(base: sqlite3.Connection, owner: str) -> None:
    """Delete all questions of a user; the file must be swept afterwards."""
    if has_questions_table(base):
        base.execute(f"delete from {TABLE} where owner = ?", [owner])


def _select(
    base: sqlite3.Connection, where: str, values: Sequence[str], *, strict: bool = True
) -> list[Question]:
    """The questions that match an SQL condition; ``strict`` as in ``database.records``."""
    chosen = f"select id, record from {TABLE} where {where} order by rowid desc"
    found = []
    for item, record in base.execute(chosen, values).fetchall():
        try:
            found.append(read_question(item, record))
        except MemoryFolderError as error:
            if strict:
                raise
            _log.warning("%s", error)
    return found


def read_question(id: str, record: str) -> Question:
    """A question from its stored record. Raises MemoryFolderError if it cannot be read."""
    key = cipher()
    try:
        text = key.decrypted(record, f"question {id}") if key else record
        return Question.model_validate_json(text)
    except ValidationError as error:
        raise MemoryFolderError(
            f"question {id} cannot be read. Restore the folder from a backup, or delete it."
        ) from error


def _write(base: sqlite3.Connection, question: Question) -> None:
    key, record = cipher(), question.model_dump_json()
    base.execute(
        f"insert into {TABLE} values (?, ?, ?, ?, ?) on conflict (id) do update set"
        " state = excluded.state, record = excluded.record",
        [
            question.id, question.owner, _content_key(question.text), question.state,
            key.encrypted(record) if key else record,
        ],
    )  # fmt: skip


def _content_key(text: str) -> str:
    """The identity of a question, regardless of case and spacing; keyed if a key is set."""
    key, plain = cipher(), digest(text)
    return key.digest(plain) if key else plain


def _make_room(base: sqlite3.Connection, owner: str) -> None:
    """Delete questions of a user over the limit, before another one is added."""
    chosen = f"select id from {TABLE} where owner = ? order by state = 'waiting', rowid"
    keys = [key for (key,) in base.execute(chosen, [owner])]
    for key in keys[: max(0, len(keys) - _MOST + 1)]:
        base.execute(f"delete from {TABLE} where id = ?", [key])


def _unknown_question(question: str) -> SettingError:
    return SettingError(
        f"there is no question {question!r}; list the ids with: anamnesis experts list"
    )


def reseal_questions(base: sqlite3.Connection, before: Cipher | None, after: Cipher | None) -> int:
    """Encrypt or decrypt every question, as ``anamnesis.memory.resealing``; return their number."""
    stored = f"select id, record from {TABLE}"
    rows = base.execute(stored).fetchall() if has_questions_table(base) else []
    for item, record in rows:
        text = before.decrypted(record, f"question {item}") if before else record
        plain = digest(Question.model_validate_json(text).text)
        new = (after.digest(plain), after.encrypted(text)) if after else (plain, text)
        base.execute(f"update {TABLE} set gist = ?, record = ? where id = ?", [*new, item])
    return len(rows)
