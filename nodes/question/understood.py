"""Read what a message asks: its urgency, and the question to search for."""

import logging
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from langchain_core.messages import AnyMessage, HumanMessage

from anamnesis import AnamnesisError, SettingError
from anamnesis.language.text import well_formed
from anamnesis.models.question_sentences import question_sentences
from nodes.evidence.safety import all_safe
from nodes.fields.queries import SubQuestion
from nodes.fields.turns import Turn
from nodes.parts import Parts
from nodes.question.condensing import condense, is_long
from nodes.question.offers import Offered, accepted_offer, asks_nothing, offered_by
from nodes.question.several import sub_questions
from nodes.question.sizes import check_options, check_question
from nodes.question.standalone import standing_alone
from nodes.question.triage import more_urgent, needs_immediate_answer, triage, with_first_aid
from nodes.settings.context import Context
from nodes.state import State, Urgency
from retrievers.aliases import Renamed, rename, with_aliases
from retrievers.spelling import Respelt

_log = logging.getLogger(__name__)


class UnderstoodMessage(NamedTuple):
    """What a message asks: ``query`` is the question to search for, with corrected names.

    ``lines`` are the questions to which a long message was condensed, if it was.
    """

    urgency: Urgency
    asks_nothing: bool
    query: str
    spelling: list[Respelt]
    aliases: list[Renamed]
    lines: Sequence[str] = ()

    @property
    def is_answered_at_once(self) -> bool:
        """Whether nothing is searched for: an emergency is answered at once."""
        return self.asks_nothing or needs_immediate_answer(self.urgency)


def question_in(state: State, messages: Sequence[AnyMessage]) -> tuple[str, str]:
    """The question, and the words of the user's last message, which may be the same.

    Raises SettingError if there is no question, if it is not a text, or if it or the options are
    too long.
    """
    last = messages[-1] if messages else None
    message = well_formed(last.text).strip() if isinstance(last, HumanMessage) else ""
    asked = state.get("question") or ""
    if not isinstance(asked, str):
        raise SettingError(f"the question is a {type(asked).__name__}; give a text")
    question = well_formed(asked).strip() or message
    if not question:
        raise SettingError(
            'there is no question: send {"question": "…"}, or messages that end with one '
            "from the user"
        )
    check_question(question)
    check_options(state.get("options"))
    return question, message


def understand_message(
    message: str, earlier: Sequence[Turn], state: State, context: Context, parts: Parts
) -> UnderstoodMessage:
    """The urgency of the message, and its question: spelt, made standalone, with known names.

    ``earlier`` are the earlier turns, oldest first.
    """
    urgent = with_first_aid(message, triage(message, parts.triage(context)))
    possible = bool(urgent["kind"]) and not needs_immediate_answer(urgent)
    if possible and not _has_index(context, parts):
        urgent["possible"] = False
    talks = context.question.conversation
    offered = offered_by(earlier[-1]) if earlier else Offered()
    accepted = accepted_offer(message, offered.offers) if talks else None
    empty = talks and asks_nothing(message, offered) and not urgent["kind"] and not accepted
    found = UnderstoodMessage(urgent, empty, message, [], [])
    if found.is_answered_at_once:  # an emergency needs neither an index nor a chat model
        return found
    if context.question.spelling and not accepted:
        query, respelt = parts.index(context).speller.repair(message)
        found = found._replace(query=query, spelling=respelt)
    if found.spelling:
        spelt = with_first_aid(found.query, triage(found.query, parts.triage(context)))
        found = found._replace(urgency=more_urgent(urgent, spelt))
    if talks and not found.is_answered_at_once:
        asked = [turn.message for turn in earlier]
        query = standing_alone(accepted or found.query, asked, state, context, parts)
        found = found._replace(query=query)
    if not found.is_answered_at_once and not state.get("options"):
        found = found._replace(lines=_condensed(found.query, context, parts))
        found = found._replace(query="\n".join(found.lines) or found.query)
    if context.question.names and not found.is_answered_at_once:
        find = partial(parts.find, context=context)
        known = with_aliases(found.query, parts.index(context), find)
        query, renamed = rename(found.query, all_safe(known))
        found = found._replace(query=query, aliases=renamed)
    if found.lines:
        lines = found.query.splitlines()
        found = found._replace(query=" ".join(lines), lines=lines)
    return found


def questions_of(
    understood: UnderstoodMessage, state: State, context: Context
) -> list[SubQuestion]:
    """The questions of a message with several: its condensed lines, or those found in it."""
    if len(understood.lines) == 1:
        return []
    if understood.lines:
        return [{"question": line, "query": line} for line in understood.lines]
    if understood.is_answered_at_once or not context.question.split or state.get("options"):
        return []
    return sub_questions(understood.query, question_sentences)


def _condensed(message: str, context: Context, parts: Parts) -> list[str]:
    """The lines of a long message, if there is a chat model that can condense it."""
    if not context.question.summarise or not is_long(message):
        return []
    chat = parts.chat(context)
    return condense(chat, message, parts.index(context).idf) if chat else []


def _has_index(context: Context, parts: Parts) -> bool:
    """Whether documents can be searched: if not, a possible emergency is answered all the same."""
    try:
        parts.index(context)
    except AnamnesisError:
        _log.exception("a possible emergency is answered without the documents")
        return False
    return True
