"""Fill the answer prompt, within a budget of tokens [H4].

Parts that do not fit are left out whole, the lowest rank first, and reported to the caller.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import accumulate

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from anamnesis import SettingError
from anamnesis.replaced_prompts import replaced_prompt
from prompts.forms import EXAMPLES, FORMS, REPLY, UNSUPPORTED, FormName

NOT_FOUND = "Answer not found in context"
"""What a generator says when its context does not hold the answer [R5]. One spelling for the
prompt, the code and the tests."""

_Part = tuple[int, int, str, str]  # place, rank among equals, kind, text


@dataclass(frozen=True)
class Prompt:
    """A filled prompt: its two messages, its size, and what was left out of it.

    ``documents`` and ``memories`` are the positions (from 0) of those that are in; ``left_out``
    names the others. ``tokens`` is the size of both messages in the generator's tokens, with what
    its template puts around them. ``files`` are the prompt files, ``sha256`` that of their texts.
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
    """The text of the prompt file ``name``.md, or the text that replaces it in this run."""
    replacement = replaced_prompt(name)
    if replacement is not None:
        return replacement
    return resources.files(__name__.rpartition(".")[0]).joinpath(f"{name}.md").read_text("utf-8")


def conversation(name: str) -> list[BaseMessage]:
    """A prompt with examples as the turns of a chat: the instructions, then each with its reply."""
    system, *examples = load(name).split(EXAMPLES)
    messages: list[BaseMessage] = [SystemMessage(system.strip())]
    for example in examples:
        said, _, expected = example.partition(REPLY)
        messages += [HumanMessage(said.strip()), AIMessage(expected.strip())]
    return messages


def fingerprint(*names: str) -> str:
    """The SHA-256, in hexadecimal, of the joined texts of prompt files."""
    return hashlib.sha256("\n".join(load(name) for name in names).encode()).hexdigest()


def fill(
    question: str,
    documents: Sequence[str],
    memories: Sequence[str],
    history: Sequence[str],
    count: Callable[[str], int],
    budget: int,
    options: Mapping[str, str] | None = None,
    facts: Collection[int] = (),
    fact_budget: int = 0,
    whole: Callable[[str, str], int] | None = None,
    form: FormName = "numbered",
    notes: str = UNSUPPORTED,
) -> Prompt:
    """The answer prompt that holds as much as fits into ``budget`` tokens [H4, S1, S6].

    Documents, memories and notes on earlier rounds each come best first. They are ranked
    together by place, a document before a memory before a note of the same place, and left out
    whole from the lowest rank upwards until the rest fits. ``facts`` are the places of the
    documents that are facts: those that fit into ``fact_budget``, a part of the budget, are always
    in, and more of them only if nothing else needs the room [K3]. An empty document is left out.
    Document numbers stay what they were: the first document is [1] whether or not others are left
    out. ``options`` are those of a multiple choice question by key [K4]. ``whole`` gives the tokens
    of both messages with what the chat template puts around them; left out, there is nothing.
    ``form`` is the form of the prompt, and ``notes`` the heading of the notes on earlier rounds.

    Raises ``SettingError`` if the instructions and the question alone exceed the budget.
    """
    files = FORMS[form].choosing if options else FORMS[form].files
    instructions = "\n\n".join(load(name).strip("\n") for name in files)
    system = instructions.replace("{not_found}", NOT_FOUND).strip()
    line = FORMS[form].option
    chosen = [line.format(key=key, text=text) for key, text in (options or {}).items()]
    asked = "\n".join([f"Question: {question}", *chosen])
    parts = sorted(
        [(place, 0, "document", text) for place, text in enumerate(documents) if text]
        + [(place, 1, "memory", text) for place, text in enumerate(memories)]
        + [(place, 2, "note", text) for place, text in enumerate(history)]
    )

    def size(kept: Sequence[_Part]) -> int:
        user = _user(asked, sorted(kept), form, notes)
        return count(system) + count(user) if whole is None else whole(system, user)

    if size([]) > budget:
        raise SettingError(
            f"the instructions and the question alone take {size([])} tokens, more than the "
            f"prompt's budget of {budget}; raise `generator.prompt_tokens` or shorten the question"
        )
    kept = _fitting(
        parts, set(facts), fact_budget, budget, size, lambda part: count(_line(part, form) + "\n")
    )
    left_out = [part for part in parts if part not in kept]
    user = _user(asked, kept, form, notes)
    return Prompt(
        system,
        user,
        tuple(place for place, _, kind, _ in kept if kind == "document"),
        tuple(place for place, _, kind, _ in kept if kind == "memory"),
        tuple(f"{kind} {place + 1}" for place, _, kind, _ in left_out),
        size(kept),
        tuple(f"{name}.md" for name in files),
        fingerprint(*files),
    )


def _fitting(
    parts: Sequence[_Part],
    facts: Collection[int],
    fact_budget: int,
    budget: int,
    size: Callable[[Sequence[_Part]], int],
    own_size: Callable[[_Part], int],
) -> list[_Part]:
    """The parts that fit, in their order: facts within their budget first, then by rank."""
    known = [part for part in parts if part[2] == "document" and part[0] in facts]
    others = [part for part in parts if part not in known]
    sure = sum(size_so_far <= fact_budget for size_so_far in accumulate(map(own_size, known)))
    while others and size([*known[:sure], *others]) > budget:
        others.pop()
    while sure and size([*known[:sure], *others]) > budget:
        sure -= 1
    while sure < len(known) and size([*known[: sure + 1], *others]) <= budget:
        sure += 1
    return sorted([*known[:sure], *others])


def _line(part: _Part, form: FormName) -> str:
    place, _, kind, text = part
    return f"{FORMS[form].mark.format(n=place + 1)}{text}" if kind == "document" else f"- {text}"


def _user(asked: str, parts: Sequence[_Part], form: FormName, notes: str) -> str:
    """The user's message: documents, memories and notes under headings, then the question."""
    blocks = []
    for kind, heading in (
        ("document", FORMS[form].heading),
        ("memory", "Earlier exchanges with this user and notes on them (not a source)"),
        ("note", notes),
    ):
        lines = [_line(part, form) for part in parts if part[2] == kind]
        if lines:
            blocks.append("\n".join([f"{heading}:", *lines]))
    return "\n\n".join([*blocks, asked])
