"""What users say about their health: stored as their profile, and compared with the answer."""

import logging
import re
from collections.abc import Callable, Sequence
from functools import partial

from langchain_core.messages import HumanMessage

from anamnesis.corpus.cautions import (
    comparison_key,
    condition_names,
    medicine_names,
)
from anamnesis.errors import AnamnesisError
from anamnesis.memory.profile import Entry, Field, Warned, entry, latest
from anamnesis.memory.reading import read_profile
from anamnesis.memory.record import LONGEST, Memory, now
from anamnesis.memory.retention import expired
from anamnesis.models.health_message import is_about_health
from nodes.checking.fact_warning import fact_warnings
from nodes.checking.question_warning import question_warnings
from nodes.checking.warning import MENTIONED_CHILD, warnings
from nodes.fields.codes import NoteCode
from nodes.fields.passages import Near
from nodes.parts import Parts
from nodes.question.circumstances import ages, allergies, names_in
from nodes.question.person import asked_about
from nodes.settings.context import Context
from nodes.state import Answer, State
from retrievers.corpus import Corpus

_ADULT = 18
_PREGNANCY = {"pregnancy": "pregnant", "breastfeeding": "breastfeeding"}
UNREAD = "Your profile could not be read, so this answer was not checked against it."
UNREAD_FACTS = "The facts of the index could not be compared with your profile."
_log = logging.getLogger(__name__)


def warned(state: State, user: str | None, context: Context, parts: Parts) -> Answer:
    """The answer, with a warning on each text that conflicts with the user's profile.

    These are the question, statements, and the sentences of listed pages. The profile consists of
    the stored entries and what the user says about themselves in this thread. If the stored entries
    cannot be read, a note says so. The answer's text must be rendered afterwards.
    """
    answer = state["answer"]
    if not context.memory.warnings or state["reason"] == "remembered":
        return answer
    kept, unread = _stored_entries(user, context, parts)
    question = _spelt(state)
    profile = latest([*read_profile(question), *_entries_of_thread(state), *kept])
    asked = [*profile, *mentioned_entries(question, profile)]
    if not asked and not unread:
        return answer
    # A question about nobody's health asks about a condition, as its statements do.
    own = [item for item in asked if not _is_topic(item, question)]
    # An emergency is answered without an index.
    index = partial(parts.index, context) if answer["outcome"] != "urgent" else None
    find = _Warnings(own, index)
    made = _with_warnings(answer, find)
    if answer["outcome"] != "urgent":
        made["warnings"] = question_warnings(question, asked, now())
    added: dict[NoteCode, str] = {}
    if unread and (made["statements"] or made["nearest"]):
        added["profile_unread"] = UNREAD
    if find.incomplete:
        added["facts_unread"] = UNREAD_FACTS
    return {
        **made,
        "notes": [*answer["notes"], *added.values()],
        "note_codes": [*answer["note_codes"], *added],
    }


def _spelt(state: State) -> str:
    """The user's message with the corrections of its spelling."""
    text = state["original_question"]
    for item in state.get("spelling") or []:
        written = re.compile(rf"\b{re.escape(item['written'])}\b", re.IGNORECASE)
        text = item["searched"].join(written.split(text))
    return text


class _Warnings:
    """The warnings on a text: by the tables, and by the facts of an index, if there is one.

    ``incomplete`` is whether the facts could not be searched for some text.
    """

    def __init__(self, profile: Sequence[Entry], index: Callable[[], Corpus] | None) -> None:
        self._profile, self._index, self._today = profile, index, now()
        self.incomplete = False

    def __call__(self, text: str) -> list[Warned]:
        found = warnings(text, self._profile, self._today)
        named = {one["entry"] for one in found}
        try:
            others = [one for one in self._profile if one.text not in named and not one.mentioned]
            facts = [] if self._index is None else fact_warnings(text, others, self._index())
            return [*found, *facts]
        except Exception:
            self.incomplete = True
            _log.warning("the facts could not be compared with the profile", exc_info=True)
            return found


def _with_warnings(answer: Answer, find: Callable[[str], list[Warned]]) -> Answer:
    """The answer with the warnings on its statements and on the sentences of its pages."""

    def page(near: Near) -> Near:
        found = find(near["sentence"])
        return {**near, "warnings": found} if found else near

    def pages(named: Sequence[Near]) -> list[Near]:
        return [page(item) for item in named]

    return {
        **answer,
        "statements": [
            {**item, "warnings": found} if (found := find(item["text"])) else item
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
    """The stored entries of the user, and whether they could not be read."""
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
    """The valid entries of a profile, from its memories, the newest first.

    Entries that their owner rated as wrong are left out.
    """
    right = (item for item in memories if item.kind == "profile" and item.rating != "bad")
    return latest([entry(item.text, item.words, item.created) for item in right])


def own_profile(user: str, message: str) -> list[Memory]:
    """The memories to store of what users say about their health, with their words as source."""
    return [
        Memory.make(owner=user, kind="profile", text=item.text, words=item.words[:LONGEST])
        for item in read_profile(message)
    ]


def mentioned_entries(question: str, profile: Sequence[Entry]) -> list[Entry]:
    """Further reasons for a warning that the question mentions, such as a relative's medicine."""
    found: list[tuple[Field, str]] = [("allergy", each) for each in allergies(question)]
    allergic = {comparison_key(each) for _, each in found}
    names = medicine_names() - allergic
    found += [("medicine", each) for each in names_in(question, names)]
    found += [("condition", each) for each in names_in(question, condition_names())]
    groups = asked_about(question)
    found += [("pregnancy", own) for group, own in _PREGNANCY.items() if group in groups]
    years = ages(question)
    found += [("age", str(int(age))) for age in years]
    years += [item.age(now()) for item in profile if item.field == "age"]
    if "children" in groups and all(age >= _ADULT for age in years):
        found.append(("age", MENTIONED_CHILD))
    known = {(item.field, comparison_key(item.value)) for item in profile}
    made = [Entry(field, value, mentioned=True) for field, value in found]
    return [item for item in made if (item.field, comparison_key(item.value)) not in known]


def _is_topic(item: Entry, question: str) -> bool:
    """Whether an entry is a condition that the question asks about, and nobody's."""
    return item.mentioned and item.field == "condition" and not is_about_health(question)


def _entries_of_thread(state: State) -> list[Entry]:
    """What the user has said about themselves in the thread, the latest first."""
    own = [message for message in state.get("messages") or [] if isinstance(message, HumanMessage)]
    return [found for message in reversed(own) for found in read_profile(message.text)]
