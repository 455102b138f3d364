"""End a turn: return the answer as a message and store memories, with consent [H1, H7, M1]."""

import logging

from langchain_core.messages import AnyMessage, RemoveMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime

from anamnesis.errors import AnamnesisError
from anamnesis.memory.extract import Note, extract
from anamnesis.memory.record import LONGEST, Kind, Memory
from anamnesis.models.cascade import first_of
from anamnesis.models.wrapped import Chat
from nodes.context import Context, owner, settings
from nodes.cost.calls import spent_so_far
from nodes.cost.usage import usage
from nodes.evidence.safety import INSTRUCTION, unsafe
from nodes.parts import Parts
from nodes.question.followup import topic_of
from nodes.recall import audience
from nodes.remembering.contradictions import contradicted
from nodes.remembering.exchanges import exchanged
from nodes.remembering.experts import wait, waits
from nodes.remembering.outdated import grounds_of, noticed
from nodes.remembering.warned import own_profile, warned
from nodes.state import Answer, State, Update
from nodes.writing.for_experts import for_experts
from nodes.writing.render import render
from nodes.writing.replies import Turn, message_of, turns

KEPT_MESSAGES = 10
"""Maximum messages in a thread's state. Follow-ups need only the last turn; every checkpoint
contains all of them, so that a long thread would make every later checkpoint larger.
"""

_log = logging.getLogger(__name__)


def remember(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """End the turn. If storing memories fails, the user still gets the answer."""
    context, user = settings(runtime), owner(runtime)
    answer: Answer = {**warned(state, user, context, parts), "timings": state["timings"]}
    answer["text"] = render(answer, state["urgency"], context.triage.country)
    if user:
        try:
            shaping = [*answer["memories"], *(state.get("said") or [])]
            if used := [memory["id"] for memory in shaping]:
                parts.memories().recalled(user, used)
            if notices := state.get("notices"):
                noticed(user, notices, parts)
            asks = context.generator.structured or context.memory.notes == "inferred"
            chat = parts.chat(context) if context.memory.consent and asks else None
            consents = context.memory.consent
            memories = _memories(state, answer, user, chat, context, parts) if consents else []
            if memories:
                _keep(user, memories, context, parts, state.get("begun"), audience(runtime))
            # last, so that a failure does not prevent the other memories from being stored
            if waits(answer, context):
                wait(state, for_experts(answer), user, parts)
        except AnamnesisError as error:
            _log.warning("the exchange could not be remembered: %s", error)
        except Exception:
            _log.warning("the exchange could not be remembered", exc_info=True)
    focuses = []
    if answer["outcome"] in ("answered", "partial"):
        # An index that was rebuilt meanwhile may lack a passage.
        there = parts.find([item["id"] for item in state["selected"]], context)
        focuses = [there[item["id"]].focus for item in state["selected"] if item["id"] in there]
    # The update of this step comes too late for the answer, so its calls are added here.
    calls = {**(state.get("spent") or {}), "remember": spent_so_far()}
    answer["usage"] = usage(calls, answer["text"], state.get("session"))
    reply = message_of(answer, state["urgency"], context.triage.country)
    consents = context.memory.consent and answer["urgency"] != "emergency"
    return {
        "quotable": user if consents else "",
        "quotable_turns": _consented(state, user) + 1 if consents else 0,
        "answer": answer,
        "session": answer["usage"]["session"],
        "topic": topic_of(state["queries"][0], focuses),
        "messages": [*_outdated(state.get("messages") or []), reply],
    }


def _keep(
    user: str,
    memories: list[Memory],
    context: Context,
    parts: Parts,
    begun: float | None,
    seen_by: dict[str, str],
) -> None:
    """Store memories, deactivate those that are contradicted [M8], and delete those over the limit.

    New memories are compared with all notes of experts. Earlier memories are compared only with the
    notes that were written after the latest of them.
    """
    store = parts.memories()
    kept = store.add(user, memories, begun)
    # If nothing checks statements, the default critic compares memories, if they are compared.
    critic = parts.chooser(context) if context.memory.contradictions else parts.critic(context)
    if critic is not None and context.memory.contradictions is not False:
        visible = store.in_play(user, seen_by)
        new = {item.id for item in kept}
        times = [item.created for item in visible if item.scope == "private" and item.id not in new]
        notes = [item for item in visible if item.scope == "expert"]
        notes = [item for item in notes if item.created >= max(times, default=item.created)]
        for loser, winner in contradicted([*notes, *kept], visible, first_of(critic)):
            store.supersede(user, loser.id, winner.id, seen_by)
    if context.memory.max_age_days or context.memory.max_memories:
        store.prune(user, days=context.memory.max_age_days, limit=context.memory.max_memories)


def _memories(
    state: State, answer: Answer, user: str, chat: Chat | None, context: Context, parts: Parts
) -> list[Memory]:
    """The memories of the turn: the exchange, and what the user's words say.

    Three things are never stored: recalled text, an emergency, and words of an earlier turn without
    consent to storing it.
    """
    if answer["urgency"] == "emergency":
        return []
    asked = state["asked"]
    # Words of the previous turn are quoted only if this user consented to storing them.
    earlier = turns((state.get("messages") or [])[:-1])[-1:]
    last = earlier[0] if earlier and state.get("quotable") == user else Turn("")
    before, reply = last.said, last.reply
    notes = extract(asked, before, answered=last.sourced)
    inferred = context.memory.notes == "inferred" and chat is not None
    if chat is not None and inferred:
        # If the model writes no note, the rules' notes are used.
        notes = _inferred(chat, state, answer, user, context) or notes
    elif chat is not None:
        notes += _refined(chat, asked, before, reply)
    # A memory that both a rule and a model found is stored once, in the rule's words; if two
    # contradict each other, the later one counts.
    texts: dict[str, Kind] = {text: kind for kind, text in reversed(notes)}
    texts = dict(sorted(texts.items(), key=lambda note: asked.find(_quoted(note[0]))))
    if replied := exchanged(answer, context.memory.stored_exchanges):
        texts[f"{state['queries'][0]}\n{replied}"] = "exchange"
    exchange = "exchange" in texts.values()
    grounds = grounds_of(state, answer, context, parts) if exchange else None
    entries: list[Memory] = (
        own_profile(user, asked) if "profile" in context.memory.stored_kinds else []
    )
    # A truncated text could say something else.
    return entries + [
        Memory.make(
            owner=user, kind=kind, text=text, grounds=grounds if kind == "exchange" else None
        )
        for text, kind in texts.items()
        if len(text) <= LONGEST and kind in context.memory.stored_kinds
    ]


def _quoted(note: str) -> str:
    """The first quotation of a note."""
    return note.partition("“")[2].partition("”")[0]


def _refined(chat: Chat, message: str, before: str, reply: str) -> list[Note]:
    from anamnesis.memory.refine import refine
    from anamnesis.models.structured import can_structure

    if not can_structure(chat):
        return []
    # If streamed, these notes would look like a part of the answer.
    return refine(chat, message, before, reply, {"tags": [TAG_NOSTREAM]})


def _consented(state: State, user: str | None) -> int:
    """How many consecutive turns before this one are of this user and may be stored."""
    return (state.get("quotable_turns") or 0) if user and state.get("quotable") == user else 0


def _inferred(chat: Chat, state: State, answer: Answer, user: str, context: Context) -> list[Note]:
    """What a chat model infers from the turns that may be stored, including this one."""
    from anamnesis.memory.infer import infer

    number = _consented(state, user)
    before = turns((state.get("messages") or [])[:-1])[-number:] if number else []
    earlier = [(item.said, item.reply.strip()) for item in before]
    now = (state["asked"], exchanged(answer, "all"))
    found = infer(chat, [*earlier, now], {"tags": [TAG_NOSTREAM]}, context.generator.structured)
    return [note for note in found if INSTRUCTION not in unsafe(note.text)]


def _outdated(messages: list[AnyMessage]) -> list[RemoveMessage]:
    """Removals of all but the last messages of the thread."""
    return [
        RemoveMessage(id=message.id)
        for message in messages[: max(0, len(messages) + 1 - KEPT_MESSAGES)]
        if message.id
    ]
