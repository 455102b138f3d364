"""The memories of a turn, and the earlier ones that they replace [H1, M1, M8]."""

from typing import Any

from anamnesis.memory.extract import ExtractedMemory, extract_memories
from anamnesis.memory.infer import infer
from anamnesis.memory.record import LONGEST, Memory
from anamnesis.memory.refine import refine
from anamnesis.models.cascade import first_of
from anamnesis.models.structured import can_structure
from anamnesis.models.wrapped import Chat
from nodes.evidence.safety import INSTRUCTION, unsafe
from nodes.fields.turns import Turn
from nodes.parts import Parts
from nodes.remembering.exchanges import exchanged
from nodes.remembering.judged_memories import contradicted
from nodes.remembering.outdated import grounds_of, store_notices
from nodes.remembering.profile import profile_memories
from nodes.remembering.replies import turns
from nodes.settings.context import Context
from nodes.state import Answer, State


def store_turn(
    state: State, answer: Answer, user: str, seen_by: dict[str, str], context: Context, parts: Parts
) -> None:
    """Store which memories were used, the notices shown and, with consent, new memories.

    ``seen_by`` are the attributes that decide which notes of experts the user may see.
    """
    shaping = [*answer["memories"], *(state.get("user_quotes") or [])]
    if used := [memory["id"] for memory in shaping]:
        parts.memories().count_recalls(user, used)
    if notices := state.get("notices"):
        store_notices(user, notices, parts)
    if context.memory.consent:
        asks = context.generator.structured or context.memory.notes == "inferred"
        chat = parts.chat(context) if asks else None
        if memories := memories_of(state, answer, user, chat, context, parts):
            keep(user, memories, context, parts, state.get("requested_at"), seen_by)


def memories_of(
    state: State, answer: Answer, user: str, chat: Chat | None, context: Context, parts: Parts
) -> list[Memory]:
    """The memories of the turn: the exchange, and what the user's words say.

    Three things are never stored: recalled text, an emergency, and words of an earlier turn without
    consent to storing it.
    """
    if answer["urgency"] == "emergency":
        return []
    question = state["original_question"]
    # Words of the previous turn are quoted only if this user consented to storing them.
    earlier = turns((state.get("messages") or [])[:-1])[-1:]
    last = earlier[0] if earlier and state.get("consenting_user") == user else Turn("")
    notes = extract_memories(question, last.message, previous_answered=last.sourced)
    if chat is not None and context.memory.notes == "inferred":
        # If the model writes no note, the rules' notes are used.
        notes = _inferred(chat, state, answer, user, context) or notes
    elif chat is not None and can_structure(chat):
        notes += refine(chat, question, last.message, last.reply)
    # A memory that both a rule and a model found is stored once, in the rule's words; if two
    # contradict each other, the later one counts.
    notes.reverse()
    notes.sort(key=lambda note: question.find(note.words))
    texts = {note.text: note for note in notes}
    if exchange := exchanged(state["queries"][0], answer, context.memory.stored_exchanges):
        texts[exchange.text] = ExtractedMemory("exchange", exchange)
    kinds = context.memory.stored_kinds
    memories = profile_memories(user, question) if "profile" in kinds else []
    for text, note in texts.items():
        if len(text) > LONGEST or note.kind not in kinds:
            continue  # a truncated text could say something else
        fields: dict[str, Any] = {"owner": user, "kind": note.kind, "content": note.content}
        if note.kind == "exchange":
            fields["grounds"] = grounds_of(state, answer, context, parts)
            # The stored question was rewritten; only these are the user's own words.
            fields["words"] = question if len(question) <= LONGEST else ""
        memories.append(Memory.make(**fields))
    return memories


def _inferred(
    chat: Chat, state: State, answer: Answer, user: str, context: Context
) -> list[ExtractedMemory]:
    """What a chat model infers from the turns that may be stored, including this one."""
    number = consented(state, user)
    before = turns((state.get("messages") or [])[:-1])[-number:] if number else []
    earlier = [(item.message, item.reply.strip()) for item in before]
    exchange = exchanged(state["original_question"], answer, "all")
    now = (state["original_question"], exchange.reply if exchange else "")
    found = infer(chat, [*earlier, now], context.generator.structured)
    return [note for note in found if INSTRUCTION not in unsafe(note.text)]


def consented(state: State, user: str | None) -> int:
    """How many consecutive turns before this one are of this user and may be stored."""
    consents = user and state.get("consenting_user") == user
    return (state.get("consented_turns") or 0) if consents else 0


def keep(
    user: str,
    memories: list[Memory],
    context: Context,
    parts: Parts,
    requested_at: float | None,
    seen_by: dict[str, str],
) -> None:
    """Store memories, deactivate those that are contradicted [M8], and delete those over the limit.

    New memories are compared with all notes of experts. Earlier memories are compared only with the
    notes that were written after the latest of them.
    """
    store = parts.memories()
    kept = store.add(user, memories, requested_at)
    # If nothing checks statements, the default critic compares memories, if they are compared.
    critic = parts.chooser(context) if context.memory.contradictions else parts.critic(context)
    if critic is not None and context.memory.contradictions is not False:
        visible = store.active(user, seen_by)
        new = {item.id for item in kept}
        times = [item.created for item in visible if item.scope == "private" and item.id not in new]
        notes = [item for item in visible if item.scope == "expert"]
        notes = [item for item in notes if item.created >= max(times, default=item.created)]
        for loser, winner in contradicted([*notes, *kept], visible, first_of(critic), parts):
            store.supersede(user, loser.id, winner.id, seen_by)
    if context.memory.max_age_days or context.memory.max_memories:
        store.prune(user, days=context.memory.max_age_days, limit=context.memory.max_memories)
