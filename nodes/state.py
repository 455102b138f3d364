"""What the graph carries from step to step: plain JSON-able data, documents by id only."""

from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.channels import EphemeralValue, UntrackedValue
from langgraph.graph.message import add_messages

# Pydantic, which makes the server's schemas, takes no other before Python 3.12.
from typing_extensions import TypedDict

from memory.record import Kind, Scope
from nodes.evidence import Ask, Dropped, Near, Read, Selected
from nodes.usage import Calls, Spent, Usage, add_up
from retrievers.provenance import Provenance
from retrievers.search import Hit
from retrievers.spelling import Respelt

Outcome = Literal["answered", "partial", "abstained", "urgent"]
Reason = Literal[
    "supported",  # every statement is supported
    "unchecked",  # no critic was set: statements are shown as not checked
    "some_unsupported",  # only the supported statements are shown
    "part_unanswered",  # of several questions one has no answer
    "unsupported",  # no statement was supported, and no round is left
    "no_evidence",  # nothing was found
    "weak_evidence",  # what was found does not fit the question
    "undecided",  # no option of a multiple choice question was confirmed
    "not_found",  # the generator found no answer in the evidence
    "nothing_asked",  # the words are a greeting, a thank-you, a yes or no to nothing
    "emergency",  # the words describe an emergency
]
Level = Literal["emergency", "urgent", "routine"]
Verdict = Literal["supported", "unsupported", "contradicted", "unchecked"]


class Evidence(TypedDict):
    """The place that supports a statement.

    ``start`` and ``end`` are character offsets in the text of the source (in an answer) or of
    the passage (in the state) that ``document`` names.
    """

    document: str
    start: int
    end: int


class Statement(TypedDict):
    """One claim with the ids of what it cites, and what the critic said of it.

    ``conflict`` is the place in another source that says the opposite, or None. ``part`` is the
    question that it answers, from 1, where the message has several.
    """

    text: str
    citations: list[str]
    probability: float | None
    verdict: Verdict
    evidence: Evidence | None
    failed_checks: list[str]
    conflict: Evidence | None
    part: NotRequired[int]


class Source(TypedDict):
    """A cited record: what of its text was used, and where to look it up.

    ``provenance`` is where it came from, when, and who approved it, or None if that is not known.
    """

    id: str
    title: str
    url: str
    source: str
    text: str
    provenance: Provenance | None


class Memory(TypedDict):
    """A recalled memory, with the parts of its score: no source of any claim.

    ``kind`` and ``scope`` are those of ``memory.record.Memory``; an exchange's text is its
    question and, on the next line, its answer.
    """

    id: str
    kind: Kind
    scope: Scope
    text: str
    created: str
    score: dict[str, float]


class Withheld(TypedDict):
    """A claim of the draft that is not stated, for the sources do not confirm it.

    ``near`` is the sentence of the evidence that comes nearest, with its source, or None.
    """

    text: str
    verdict: Verdict
    failed_checks: list[str]
    near: Near | None


class Confidence(TypedDict):
    """How sure an answer is, in two parts.

    ``support``: that its sources say all that is shown (None: no entailment model checked it).
    ``relevance``: that it answers what was asked (None: nothing is shown).
    """

    support: float | None
    relevance: float | None


class Premise(TypedDict):
    """What a question takes for granted, and whether the passages bear it out.

    ``evidence`` is the sentence that denies it where it is contradicted. One that is not ``plain``
    (see ``premise.Assumption``) is contradicted or stays unchecked.
    """

    text: str
    plain: bool
    verdict: Verdict
    evidence: Evidence | None


class Part(TypedDict):
    """What came of one of several questions; ``nearest`` are pages to read where nothing is stated.

    ``relevance`` and ``verdict`` are as in ``Answer``, for this question.
    """

    question: str
    answered: bool
    verdict: Literal["yes", "no", "depends"] | None
    relevance: float | None
    nearest: list[Near]


class Answer(TypedDict):
    """The one structure of an answer, in Python, on the server and on the command line.

    ``choice`` is the key of one of ``options``, or None: the question had none, or no option was
    confirmed. ``notes`` are for the reader, such as that the question assumes what no source
    confirms; ``premise`` is what it assumes, and what denies that is one of the ``sources``.
    ``verdict`` is what the sources say to a yes/no question. Where nothing is stated, ``nearest``
    are pages to read and ``clarify`` asks what would help; ``alternatives`` are other answers than
    the one that is stated. ``advice`` says when to seek care.
    ``parts`` are the questions of a message that has several: each statement names its ``part``.
    ``withheld`` has the claims of ``unconfirmed``, with what of the evidence comes nearest.
    """

    outcome: Outcome
    reason: Reason
    question: str
    query: str
    text: str
    options: dict[str, str]
    choice: str | None
    verdict: Literal["yes", "no", "depends"] | None
    statements: list[Statement]
    parts: list[Part]
    nearest: list[Near]
    alternatives: NotRequired[list[Near]]
    clarify: str | None
    advice: list[str]
    urgency: Level
    unconfirmed: list[str]
    withheld: list[Withheld]
    notes: list[str]
    premise: Premise | None
    sources: list[Source]
    memories: list[Memory]
    rounds: int
    confidence: Confidence
    generator: str
    critic: str | None
    timings: dict[str, float]
    usage: Usage


class Draft(TypedDict):
    """What the generator wrote, before it is checked; citations are passage ids.

    ``choice`` is the option it chose, with ``chosen`` the probability that the passages bear it
    out (None where only its reasons are to be checked). ``problem`` says why the chat model's
    words could not be used, in which case the passages are quoted.
    """

    statements: list[Statement]
    found: bool
    choice: str | None
    chosen: float | None
    prompt: dict[str, Any]
    problem: str | None


class Round(TypedDict):
    """One turn of the loop [S1]: what was asked, what came of it.

    ``choice`` is the option that the round confirmed, if any.
    """

    query: str
    choice: str | None
    passages: list[str]
    statements: list[Statement]
    score: float


class Urgency(TypedDict):
    """How urgent a message is, of which kind an emergency is, whether a crisis line is to be
    named too, and what decided."""

    level: Level
    kind: str
    crisis: bool
    why: str


class Route(TypedDict):
    """Which edge a step chose, and why."""

    to: str
    why: str


def merge(old: dict[str, float], new: dict[str, float]) -> dict[str, float]:
    """Add up the milliseconds of each step; the first step of a turn starts anew."""
    if "screen" in new:
        return new
    return {**old, **{step: old.get(step, 0.0) + ms for step, ms in new.items()}}


class Input(TypedDict, total=False):
    """What a caller sends: a question, or messages that end with one.

    ``options`` make it multiple choice: texts, lettered A, B, C …, or keys with texts. The texts
    yes and no, with maybe if it is allowed, make it a yes/no question [K5].
    """

    question: Annotated[str, EphemeralValue(str, guard=False)]
    options: Annotated[list[str] | dict[str, str], EphemeralValue(dict, guard=False)]
    messages: Annotated[list[AnyMessage], add_messages]


class Output(TypedDict, total=False):
    """What a caller gets back."""

    answer: Annotated[Answer, EphemeralValue(Answer, guard=False)]
    messages: Annotated[list[AnyMessage], add_messages]


class State(Input, total=False):
    """Everything a run carries. ``screen`` clears what belongs to the last turn."""

    asked: str
    begun: float  # when the turn began, in Unix seconds
    # When this run began, by the process's own clock: a run that goes on from a checkpoint is new.
    started: Annotated[float, UntrackedValue(float, guard=False)]
    choices: dict[str, str]
    premise: Premise | None
    urgency: Urgency
    spelling: list[Respelt]  # words of the question that were searched for in another spelling
    topic: str
    quotable: str  # whose words the last turn's may be kept as; "" if nobody's
    quotable_turns: int  # of how many turns on end that holds
    queries: list[str]
    asks: list[Ask]  # the questions of a message that has several, or none
    hits: list[Hit]
    recalled: list[Memory]
    read: list[Read]  # every passage that was read, best first
    selected: list[Selected]
    draft: Draft
    rounds: list[Round]
    route: Route
    reason: Reason
    # Those of the step before alone: what a trace keeps, a checkpoint need not.
    calls: Annotated[list[Calls], EphemeralValue(list, guard=False)]
    dropped: Annotated[list[Dropped], EphemeralValue(list, guard=False)]
    # Gone as soon as the next turn begins: no question is ever shown with an earlier answer.
    answer: Annotated[Answer, EphemeralValue(Answer, guard=False)]
    timings: Annotated[dict[str, float], merge]
    spent: Annotated[dict[str, Spent], add_up]


Update = dict[str, Any]
