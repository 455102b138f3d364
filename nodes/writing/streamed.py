"""Statements that are streamed as soon as they are checked, and then stay in the answer."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict

from anamnesis.corpus.passage import Page, Passage
from anamnesis.language.negations import has_negation
from anamnesis.language.quotable import dangling
from anamnesis.language.words import content_stems
from anamnesis.models.critic import Critic
from nodes.checking.other_sources import with_others
from nodes.checking.published import judge_of
from nodes.checking.subject import on_subject, questions_asked
from nodes.evidence.safety import safe, turned_down
from nodes.fields.codes import Problem
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import Evidence, Round, State, Statement, Verdict

Judge = Callable[[Sequence[Statement]], list[Statement]]
Send = Callable[[Statement], None]


class Quote(Page):
    """A quotation and its source."""

    text: str


class Streamed(TypedDict):
    """The event of a supported statement, which is part of the answer too.

    ``evidence`` is the supporting sentence of each cited source, "" if the sentence is in another
    cited source; ``conflict`` is what another source says against the statement.
    """

    type: Literal["statement"]
    text: str
    verdict: Verdict
    probability: float | None
    part: int | None
    checked_by: str | None
    evidence: list[Quote]
    conflict: Quote | None


def streams_statements(state: State, context: Context) -> bool:
    """Whether statements are streamed before the answer is composed.

    Reasons for an option are not: the whole draft decides which option is chosen.
    """
    return context.generator.stream_statements and not state["keyed_options"]


def event_of(item: Statement, passages: Mapping[str, Passage]) -> Streamed:
    """The event of a statement that cites these passages, given by id."""
    first: dict[str, Quote] = {}
    for key in item["citations"]:
        if key in passages:
            quote = _quote(passages[key], item["evidence"])
            kept = first.setdefault(quote["id"], quote)
            kept["text"] = kept["text"] or quote["text"]
    against = item["conflict"]
    denying = passages.get(against["document"]) if against else None
    return {
        "type": "statement",
        "text": item["text"],
        "verdict": item["verdict"],
        "probability": item["probability"],
        "part": item.get("part"),
        "checked_by": item.get("checked_by"),
        "evidence": list(first.values()),
        "conflict": _quote(denying, against) if denying else None,
    }


def _quote(passage: Passage, place: Evidence | None) -> Quote:
    safe_passage, text = safe(passage), ""
    if place and place["document"] == passage.id:
        text = " ".join(safe_passage.text[place["start"] : place["end"]].split())
    return {**safe_passage.page, "text": text}


class SupportedStatements:
    """The supported statements of all rounds, which were streamed and remain in the answer.

    A later round adds a statement only if no earlier round has one with the same words, in any
    order. A statement that refers back to the one before it is added only together with that one.
    """

    def __init__(self, rounds: Sequence[Round]) -> None:
        self.statements: list[Statement] = []
        for entry in rounds:
            self._begin()
            for item in entry["statements"]:
                self.add(item)
        self._begin()

    def _begin(self) -> None:
        self._earlier, self._added = list(self.statements), False

    def add(self, item: Statement) -> bool:
        """Add a judged statement of this round if it is supported; returns whether it is new."""
        refers_back = bool(self._earlier) and dangling(item["text"]) and not self._added
        self._added = item["verdict"] == "supported" and not refers_back and not self.has(item)
        if self._added:
            self.statements.append(item)
        return self._added

    def has(self, item: Statement) -> bool:
        """Whether an earlier round has the statement."""
        return any(_same(item, entry) for entry in self._earlier)

    def in_order(self) -> list[Statement]:
        """The statements by the number of the question that they answer."""
        return sorted(self.statements, key=lambda item: item.get("part", 0))


def problem_of(rounds: Sequence[Round], problem: Problem | None) -> Problem | None:
    """The problem of the last draft, unless a round without problems has statements as well."""
    stated = [
        entry for entry in rounds
        if any(item["verdict"] == "supported" for item in entry["statements"])
    ]  # fmt: skip
    return problem if all(entry.get("problem") for entry in stated) else None


def never_supported(statements: Sequence[Statement], rounds: Sequence[Round]) -> list[Statement]:
    """Those of these unsupported statements that no other round supports in the same words."""
    left: list[Statement] = []
    for item in statements:
        others = SupportedStatements([entry for entry in rounds if item not in entry["statements"]])
        if not others.has(item):
            left.append(item)
    return left


def _same(one: Statement, other: Statement) -> bool:
    mine, theirs = content_stems(one["text"]), content_stems(other["text"])
    alike = one.get("part") == other.get("part") and bool(mine) and mine <= theirs
    return alike and has_negation(one["text"]) == has_negation(other["text"])


def judging(state: State, context: Context, parts: Parts, critic: Critic) -> Judge:
    """Judges statements of a round by the critic, the checks and the rest of the index."""
    # Two questions may share a passage.
    selected = dict.fromkeys(item["id"] for item in state["selected"])
    passages = parts.passages(list(selected), context)
    found = parts.passages(list(dict.fromkeys(hit["id"] for hit in state["hits"])), context)
    questions = questions_asked(state)

    def judged(statements: Sequence[Statement]) -> list[Statement]:
        each = judge_of(context, questions)(
            statements, passages, critic, context.verification.min_probability, found
        )
        return with_others(each, state["queries"][0], context, parts)

    return judged


def judged_draft(state: State, context: Context, parts: Parts, send: Send) -> Iterable[Statement]:
    """The statements of the draft with their verdicts; if they are streamed, each one at once."""
    drafted, critic = state["draft"]["statements"], parts.critic(context)
    if critic is None:
        statements = [turned_down(item) for item in drafted]
        statements = _on_subject(statements, state, context, parts)
        return with_others(statements, state["queries"][0], context, parts)
    judged = judging(state, context, parts, critic)
    if streams_statements(state, context):
        return one_by_one(drafted, judged, critic, SupportedStatements(state["rounds"]), send)
    # A draft judged by another run is judged again when it is resumed with other settings.
    return judged([{**item, "verdict": "unchecked"} for item in drafted])


def _on_subject(
    statements: Sequence[Statement], state: State, context: Context, parts: Parts
) -> list[Statement]:
    """The statements without a critic's verdict, after the checks that need the question."""
    questions = questions_asked(state)
    if not questions or context.verification.verdicts == "entailment":
        return list(statements)
    ids = dict.fromkeys(key for item in statements for key in item["citations"])
    passages = parts.passages(list(ids), context)
    return [
        on_subject(item, questions.get(item.get("part", 0), ""), passages) for item in statements
    ]


def statement_sender(
    context: Context, parts: Parts, write: Callable[[Any], None], extra: Sequence[Passage] = ()
) -> Send:
    """Writes the event of a statement to the ``custom`` stream.

    ``extra`` are cited passages that are not in the index.
    """

    def send(item: Statement) -> None:
        passages = {entry.id: entry for entry in extra}
        against = item["conflict"]
        ids = [*item["citations"], *([against["document"]] if against else [])]
        if others := [key for key in ids if key not in passages]:
            passages |= {entry.id: entry for entry in parts.passages(others, context)}
        write(event_of(item, passages))

    return send


def judges_singly(critic: Critic) -> bool:
    """Whether statements are judged one by one: a chat model judges all of them in one call."""
    return critic.method != "llm"


def one_by_one(
    drafted: Sequence[Statement],
    judged: Judge,
    critic: Critic,
    supported: SupportedStatements,
    send: Send,
) -> Iterator[Statement]:
    """The judged statements; each one that is new in ``supported`` is sent at once.

    Statements that were judged while the draft was written were streamed then.
    """
    at_once = [] if judges_singly(critic) else judged(drafted)
    before: list[Statement] = []
    for place, item in enumerate(drafted):
        found = at_once[place] if at_once else judged([*before, item])[-1]
        before = [found]
        if supported.add(found) and item["verdict"] == "unchecked":
            send(found)
        yield found
