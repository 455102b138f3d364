"""What users say about their health: stored as their profile, and compared with the answer."""

import logging
import re
from collections.abc import Callable, Collection, Sequence
from functools import partial

from langchain_core.messages import HumanMessage

from anamnesis.corpus.cautions import comparison_key, condition_names, medicine_names
from anamnesis.errors import AnamnesisError
from anamnesis.memory.content import ProfileEntry
from anamnesis.memory.profile import Entry, Warned, latest
from anamnesis.memory.reading import read_profile
from anamnesis.memory.record import LONGEST, Memory, now
from anamnesis.memory.retention import expired
from anamnesis.models.health_message import is_about_health
from nodes.checking.fact_warning import fact_warnings
from nodes.checking.question_warning import mentioned_entries, question_warnings
from nodes.checking.warning import warnings
from nodes.fields.codes import NoteCode
from nodes.fields.passages import Near
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import Answer, State

UNREAD = (
    "Your stored profile could not be read, so this answer was compared only with what you said in "
    "this conversation."
)
UNREAD_FACTS = (
    "The facts of the knowledge base could not be compared with your profile, so a warning may be "
    "missing."
)
_log = logging.getLogger(__name__)


def answer_with_warnings(state: State, user: str | None, context: Context, parts: Parts) -> Answer:
    """The answer, with a warning on each text that conflicts with the user's profile.

    The texts that are examined are the question, the statements, and the sentences that are shown
    of pages (to read, alternatives, and nearest to withheld claims). The profile consists of the
    stored entries and what the user says about themselves in this thread. If the stored entries
    cannot be read and the answer has statements or pages to read, a note says so. The field
    ``text`` of the answer does not have the warnings yet: the caller renders it afterwards.
    """
    answer = state["answer"]
    if not context.memory.medicine_warnings or state["reason"] == "remembered":
        return answer
    stored, read_failed = _stored_entries(user, context, parts)
    question = _with_known_names(state)
    profile = latest([*read_profile(question), *_entries_of_thread(state), *stored])
    profile_and_mentioned = [*profile, *mentioned_entries(question, profile)]
    if not profile_and_mentioned and not read_failed:
        return answer
    # If the question is not about a person's health, a condition in it is only its topic, and no
    # reason for a warning on the statements.
    of_person = is_about_health(question)
    reasons = [
        item
        for item in profile_and_mentioned
        if of_person or not item.mentioned or item.field != "condition"
    ]
    # An emergency is answered without an index.
    urgent = answer["outcome"] == "urgent"
    by_facts = None if urgent else partial(fact_warnings, context=context, parts=parts)
    of_question = [] if urgent else question_warnings(question, profile_and_mentioned, now())
    warnings_on = _Warnings(reasons, by_facts, {item["why"] for item in of_question})
    with_warnings = _with_warnings(answer, warnings_on)
    if not urgent:
        with_warnings["warnings"] = of_question
    new_notes: dict[NoteCode, str] = {}
    if read_failed and (with_warnings["statements"] or with_warnings["nearest"]):
        new_notes["profile_unread"] = UNREAD
    if warnings_on.incomplete:
        new_notes["facts_unread"] = UNREAD_FACTS
    return {
        **with_warnings,
        "notes": [*answer["notes"], *new_notes.values()],
        "note_codes": [*answer["note_codes"], *new_notes],
    }


def _with_known_names(state: State) -> str:
    """The user's message with its spelling corrected, and with the term for each name that the
    tables of cautions do not have: 'Excedrin Migraine' contains aspirin.
    """
    text = state["original_question"]
    known = medicine_names() | condition_names()
    unknown = [
        item for item in state.get("aliases") or [] if comparison_key(item["written"]) not in known
    ]
    unknown.sort(key=lambda item: -len(item["written"]))  # 'Tylenol PM' before 'Tylenol'
    for item in (*(state.get("spelling") or []), *unknown):
        written = re.compile(rf"\b{re.escape(item['written'])}\b", re.IGNORECASE)
        text = item["searched"].join(written.split(text))
    return text


class _Warnings:
    """Finds the warnings on a text.

    They are those from the project's tables and, if there is ``by_facts``, those that it gives for
    a text and entries of the profile.
    What the question only mentions gives none for the reasons in ``said``, those of the warnings on
    the question. ``incomplete`` is True if the search for facts has failed for at least one text.
    """

    def __init__(
        self,
        profile: Sequence[Entry],
        by_facts: Callable[[str, Sequence[Entry]], list[Warned]] | None,
        said: Collection[str],
    ) -> None:
        self._profile, self._by_facts, self._today = profile, by_facts, now()
        self._said, self._mentioned = said, {item.text for item in profile if item.mentioned}
        self.incomplete = False

    def __call__(self, text: str) -> list[Warned]:
        found = [
            item
            for item in warnings(text, self._profile, self._today)
            if item["why"] not in self._said or item["entry"] not in self._mentioned
        ]
        if self._by_facts is None:
            return found
        warned = {warning["entry"] for warning in found}
        left = [item for item in self._profile if item.text not in warned and not item.mentioned]
        try:
            return [*found, *self._by_facts(text, left)]
        except Exception:
            self.incomplete = True
            _log.warning("the facts could not be compared with the profile", exc_info=True)
            return found


def _with_warnings(answer: Answer, warnings_on: Callable[[str], list[Warned]]) -> Answer:
    """The answer with the warnings on its statements and on the sentences of its pages."""

    def page(near: Near) -> Near:
        found = warnings_on(near["sentence"])
        return {**near, "warnings": found} if found else near

    def pages(named: Sequence[Near]) -> list[Near]:
        return [page(item) for item in named]

    return {
        **answer,
        "statements": [
            {**item, "warnings": found} if (found := warnings_on(item["text"])) else item
            for item in answer["statements"]
        ],
        "nearest": pages(answer["nearest"]),
        "alternatives": pages(answer.get("alternatives", [])),
        "parts": [{**part, "nearest": pages(part["nearest"])} for part in answer["parts"]],
        "withheld": [
            {**item, "near": page(item["near"])} if item["near"] else item
            for item in answer["withheld"]
        ],
    }


def _stored_entries(user: str | None, context: Context, parts: Parts) -> tuple[list[Entry], bool]:
    """The stored entries of the user, and True if they could not be read."""
    if not user or not context.memory.recall:
        return [], False
    try:
        days = context.memory.max_age_days
        found = parts.memories().all(user, "profile")
        return entries([item for item in found if not expired(item, now(), days)]), False
    except AnamnesisError as error:
        _log.warning("the profile could not be read: %s", error)
    except Exception:
        _log.warning("the profile could not be read", exc_info=True)
    return [], True


def entries(memories: Sequence[Memory]) -> list[Entry]:
    """The valid entries of a profile, in the order of ``FIELDS``.

    ``memories`` are the newest first. Entries that their owner rated as wrong are left out.
    """
    return latest([item.entry for item in memories if item.entry and item.rating != "bad"])


def profile_memories(user: str, message: str) -> list[Memory]:
    """The memories that store what a user says about their own health in a message.

    Each has the user's sentence in ``words``.
    """
    return [
        Memory.make(
            owner=user,
            kind="profile",
            content=ProfileEntry(field=item.field, value=item.value),
            words=item.words[:LONGEST],
        )
        for item in read_profile(message)
    ]


def _entries_of_thread(state: State) -> list[Entry]:
    """What the user has said about themselves in the thread, the latest first."""
    messages = reversed(state.get("messages") or [])
    texts = [message.text for message in messages if isinstance(message, HumanMessage)]
    return [found for text in texts for found in read_profile(text)]
