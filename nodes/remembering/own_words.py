"""Quote what users said about themselves in reply to a question about their record [H1, H5].

Their words are a source only for facts about the user: no medical statement is based on them.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from anamnesis.corpus.passage import Passage
from anamnesis.memory.matching import Found
from anamnesis.memory.record import Memory
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.own_record import LEAST, about_own_record
from nodes.remembering.recalled import Said
from nodes.state import Statement
from nodes.writing.draft import quoted

SOURCE = "Your memory"
"""The name of the source of the user's own words."""
_MOST = 5
_READ = 20
_LEAST = 0.25
"""Minimum cosine of the question and the user's words, both without any other text."""
_NEAR = 0.7
"""The same, as a share of the highest cosine of the user's memories."""


def own_words(
    question: str, found: Sequence[Found], profile: Callable[[], Sequence[Memory]] = tuple
) -> list[Said]:
    """What the user said that is nearest to a question about their own record, best first.

    ``found`` are memories near the question, ``profile`` gives those of the user's profile. Empty
    for any other question (``anamnesis.models.own_record``), and if nothing is near. Notes that a
    model inferred or an expert wrote are not the user's words. Raises ModelError if the
    classifier's weights are missing.
    """
    if about_own_record(question) < LEAST:
        return []
    own = [one.memory for one in sorted(found, key=lambda one: -one.closeness)]
    own = [item for item in own if _quoted(item)][:_READ]
    entries = sorted(profile(), key=lambda item: item.created, reverse=True)
    said = {_quoted(item): item for item in reversed(entries[:_READ]) if item.rating != "bad"}
    said = {text: item for text, item in said.items() if not any(text in _quoted(o) for o in own)}
    said |= {_quoted(item): item for item in own}
    if not said:
        return []
    asked, *vectors = load_embedder(DEFAULT_EMBEDDER).embed_queries([question, *said])
    near = sorted(
        ((float(asked @ item), own) for item, own in zip(vectors, said.values(), strict=True)),
        key=lambda pair: (-pair[0], pair[1].id),
    )
    least = max(_LEAST, _NEAR * near[0][0])
    return [
        {"id": memory.id, "text": _quoted(memory), "created": memory.created.isoformat()}
        for cosine, memory in near[:_MOST]
        if cosine >= least
    ]


def _quoted(memory: Memory) -> str:
    """The user's words in a memory; "" if it does not quote them.

    An entry of the profile that the user typed belongs to no sentence, and is quoted itself.
    """
    if memory.kind == "profile":
        return memory.words or memory.text
    if memory.scope != "private" or memory.kind != "question":
        return ""
    before, _, rest = memory.text.partition("“")
    quote, closed, after = rest.rpartition("”")
    if before.startswith("The user ") and closed and not after.strip(". "):
        return quote
    return ""


def quoting(quotes: Sequence[Said]) -> tuple[list[Statement], list[Passage]]:
    """A statement for each, which cites the words as its passage."""
    statements: list[Statement] = []
    passages = []
    for item in quotes:
        day = f"{datetime.fromisoformat(item['created']):%d %B %Y}".lstrip("0")
        text = item["text"].strip()
        title = f"What you said on {day}"
        passages.append(
            Passage(item["id"], item["id"], 0, len(text), text, title=title, source=SOURCE)
        )
        statements.append(quoted(f"You said on {day}: “{text}”.", item["id"], 0, len(text)))
    return statements, passages
