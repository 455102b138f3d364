"""Reading long conversations with questions about them, in the format of LoCoMo."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Malformed
from anamnesis.errors import CorpusError
from evaluation.reading import fields_of

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D\d+:\d+")
_DATE = "%I:%M %p on %d %B, %Y"


class Turn(NamedTuple):
    """An utterance of a speaker, and the time of its session."""

    id: str
    speaker: str
    text: str
    session: int
    when: datetime


class ConversationQuestion(NamedTuple):
    """A question, and the turns that contain its answer."""

    text: str
    evidence: frozenset[str]


class Conversation(NamedTuple):
    """The turns of all sessions in order, and the questions about them.

    ``unanswerable`` counts the questions left out because they have no answer, although they name
    turns. ``excluded`` counts the other questions left out because their evidence names no turn of
    the conversation.
    """

    id: str
    turns: list[Turn]
    questions: list[ConversationQuestion]
    excluded: int
    unanswerable: int = 0


def read_conversations(file: Path) -> list[Conversation]:
    """Conversations of a JSON or JSON Lines file, which may be compressed, in LoCoMo's format.

    Each has a ``sample_id``, a ``conversation`` with lists of turns ``session_1`` … and their
    ``session_1_date_time``, and questions ``qa`` with their ``answer`` and ``evidence``, ids of
    turns. The description of a photo is appended to its turn's text.

    Raises CorpusError, with file and place, if a record cannot be read or is invalid.
    """
    found = []
    for row in files.json_rows(file):
        with fields_of(row, file) as values:
            found.append(_conversation(values))
    if not any(item.questions for item in found):
        raise CorpusError(f"{file}: no question on its {len(found)} conversations has evidence")
    return found


def _conversation(values: Mapping[str, Any]) -> Conversation:
    spoken, asked = values.get("conversation"), values.get("qa")
    if not isinstance(spoken, dict) or not isinstance(asked, list):
        raise Malformed("it needs an object 'conversation' and a list 'qa'")
    sessions = sorted(int(found[1]) for name in spoken if (found := _SESSION.fullmatch(name)))
    turns = [turn for number in sessions for turn in _session(spoken, number)]
    known = {turn.id for turn in turns}
    questions, unanswerable = [], 0
    for item in asked:
        fields = building.fields(item)
        if fields.get("answer") in (None, ""):
            unanswerable += 1
            continue
        # Some texts name several turns.
        named = frozenset(_TURN.findall(" ".join(map(str, fields.get("evidence") or []))))
        questions.append(ConversationQuestion(building.answer(fields, "question"), named & known))
    judged = [entry for entry in questions if entry.evidence]
    name = building.answer(values, "sample_id")
    return Conversation(name, turns, judged, len(questions) - len(judged), unanswerable)


def _session(values: Mapping[str, Any], number: int) -> list[Turn]:
    name = f"session_{number}"
    items, date = values[name], values.get(f"{name}_date_time")
    if not isinstance(items, list):
        raise Malformed(f"field {name!r} is not a list of turns")
    try:
        when = datetime.strptime(str(date), _DATE).replace(tzinfo=UTC)
    except ValueError:
        raise Malformed(
            f"field '{name}_date_time' is not a time",
            f"found {date!r}; '1:56 pm on 8 May, 2023' is",
        ) from None
    turns = []
    for item in items:
        fields = building.fields(item)
        text = building.answer(fields, "text")
        if photo := fields.get("blip_caption"):
            text = f"{text} [photo: {photo}]"
        key, speaker = building.answer(fields, "dia_id"), building.answer(fields, "speaker")
        turns.append(Turn(key, speaker, text, number, when))
    return turns
