"""Fill the answer prompt, within a budget of tokens [H4].

What does not fit is left out whole, the lowest rank first, and the caller is told what.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from anamnesis import SettingError

NOT_FOUND = "Answer not found in context"
"""What a generator says when its context does not hold the answer [R5]. One spelling for the
prompt, the code and the tests."""


@dataclass(frozen=True)
class Prompt:
    """A filled prompt: its two messages, its size, and what was left out of it.

    ``documents`` and ``memories`` are the positions (from 0) of those that are in; ``left_out``
    names the others. ``tokens`` is the size of both messages in the generator's tokens. ``files``
    are the prompt files, ``sha256`` is that of their texts.
    """

    system: str
    user: str
    documents: tuple[int, ...]
    memories: tuple[int, ...]
    left_out: tuple[str, ...]
    tokens: int
    files: tuple[str, ...]
    sha256: str


def load(name: str) -> str:
    """The text of the prompt file ``name``.md."""
    return resources.files(__name__.rpartition(".")[0]).joinpath(f"{name}.md").read_text("utf-8")


def fingerprint(*names: str) -> str:
    """The SHA-256, in hexadecimal, of the texts of prompt files, one behind the other."""
    return hashlib.sha256(_joined(names).encode()).hexdigest()


def _joined(names: Sequence[str]) -> str:
    return "\n".join(load(name) for name in names)


def fill(
    question: str,
    documents: Sequence[str],
    memories: Sequence[str],
    history: Sequence[str],
    count: Callable[[str], int],
    budget: int,
    options: Mapping[str, str] | None = None,
) -> Prompt:
    """The answer prompt that holds as much as fits into ``budget`` tokens [H4, S1, S6].

    Documents, memories and notes on earlier rounds each come best first. They are ranked
    together by place, a document before a memory before a note of the same place, and left out
    whole from the lowest rank upwards until the rest fits. Document numbers stay what they
    were: the first document is [1] whether or not others are left out. ``options`` are those of
    a multiple choice question by key [K4].

    Raises ``SettingError`` if the instructions and the question alone exceed the budget.
    """
    files = ("answer", "options") if options else ("answer",)
    system = _joined(files).format(not_found=NOT_FOUND).strip()
    asked = "\n".join(
        [f"Question: {question}", *(f"{key}. {text}" for key, text in (options or {}).items())]
    )
    parts = sorted(
        [(place, 0, "document", text) for place, text in enumerate(documents)]
        + [(place, 1, "memory", text) for place, text in enumerate(memories)]
        + [(place, 2, "note", text) for place, text in enumerate(history)]
    )
    kept = len(parts)
    while True:
        user = _user(asked, parts[:kept])
        tokens = count(system) + count(user)
        if tokens <= budget:
            break
        if kept == 0:
            raise SettingError(
                f"the instructions and the question alone take {tokens} tokens, more than the "
                f"prompt's budget of {budget}; raise `prompt_tokens` or shorten the question"
            )
        kept -= 1
    return Prompt(
        system,
        user,
        tuple(place for place, _, kind, _ in parts[:kept] if kind == "document"),
        tuple(place for place, _, kind, _ in parts[:kept] if kind == "memory"),
        tuple(f"{kind} {place + 1}" for place, _, kind, _ in parts[kept:]),
        tokens,
        tuple(f"{name}.md" for name in files),
        fingerprint(*files),
    )


def _user(asked: str, parts: Sequence[tuple[int, int, str, str]]) -> str:
    """The user's message: documents, memories and notes under headings, then the question."""
    blocks = []
    for kind, heading in (
        ("document", "Documents"),
        ("memory", "Earlier exchanges with this user and notes on them (not a source)"),
        ("note", "Claims of an earlier draft that no document supported: do not repeat them"),
    ):
        lines = [
            f"[{place + 1}] {text}" if kind == "document" else f"- {text}"
            for place, _, own, text in parts
            if own == kind
        ]
        if lines:
            blocks.append("\n".join([f"{heading}:", *lines]))
    return "\n\n".join([*blocks, asked])
