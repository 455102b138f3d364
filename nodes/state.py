"""The state of the graph: JSON-serialisable data that refers to documents by id only."""

from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.channels import EphemeralValue, UntrackedValue
from langgraph.graph.message import add_messages

# Pydantic generates the server's schemas and accepts no other TypedDict before Python 3.12.
from typing_extensions import TypedDict

from anamnesis.corpus.passage import Page
from anamnesis.memory.profile import Warned
from nodes.fields.codes import FailedCheck, NoteCode, Problem, Reason
from nodes.fields.passages import Cited, Dropped, Near, ReadPassage, Selected
from nodes.fields.queries import NextQueries, SubQuestion
from nodes.fields.recalled import Memory, Notice, UserQuote
from nodes.fields.usage import Calls, Session, Spent, Usage, add_up, merge
from retrievers.aliases import Renamed
from retrievers.provenance import Provenance
from retrievers.search import Hit
from retrievers.spelling import Respelt

Outcome = Literal["answered", "partial", "abstained", "urgent"]
"""``partial``: statements are withheld, or one of several questions has no answer; ``urgent``:
answered as an emergency. The urgency is then ``emergency``; the urgency ``urgent`` is lower."""
Level = Literal["emergency", "urgent", "routine"]
Chooser = Literal["nearest", "draft", "sources"]
Verdict = Literal["supported", "unsupported", "contradicted", "unchecked"]  # on a statement
YesNo = Literal["yes", "no", "depends", "not_found"]  # on a yes/no question; last: none was found


class Evidence(TypedDict):
    """The span of text that supports a statement.

    ``start`` and ``end`` are character offsets in the text of the source (in an answer) or of
    the passage (in the state) that ``document`` names.
    """

    document: str
    start: int
    end: int


class Statement(TypedDict):
    """One claim with the ids of its citations and the critic's result.

    ``conflict`` is the span in another source that says the opposite, and ``outweighed`` whether
    that source is stronger or newer. ``part`` is the number of the question, from 1, if there are
    several; ``checked_by`` names the critic, of two, that decided; ``topic`` is the page's.
    ``failed_checks`` are those of ``failed`` as texts, once the statement is part of an answer.
    """

    text: str
    citations: list[str]
    probability: float | None
    verdict: Verdict
    evidence: Evidence | None
    failed: list[FailedCheck]
    failed_checks: NotRequired[list[str]]
    conflict: Evidence | None
    outweighed: NotRequired[bool]
    part: NotRequired[int]
    checked_by: NotRequired[str]
    topic: NotRequired[str]
    warnings: NotRequired[list[Warned]]


class Source(Page):
    """A cited record: the part of its text that was used, and where to look it up.

    ``type`` and ``date`` are as stated in its record (``anamnesis.corpus.weight``).
    ``provenance`` is its origin, when it was indexed, and who approved it, or None if unknown.
    ``metadata`` is the metadata of a document that another retriever found.
    """

    text: str
    type: NotRequired[str]
    date: NotRequired[str]
    provenance: Provenance | None
    metadata: NotRequired[dict[str, Any]]


class Withheld(TypedDict):
    """A statement of the draft that is not shown, because the sources do not confirm it.

    ``near`` is the most similar sentence of the evidence, with its source, or None.
    """

    text: str
    verdict: Verdict
    failed: list[FailedCheck]
    failed_checks: list[str]
    near: Near | None


class Confidence(TypedDict):
    """The confidence of an answer, as two probabilities.

    ``support``: probability that its sources say all that is shown (None: no entailment model
    checked it). ``relevance``: probability that it answers the question (None: nothing is shown).
    """

    support: float | None
    relevance: float | None


class Premise(TypedDict):
    """An assumption in the question, and whether the passages support it.

    ``evidence`` is the sentence that contradicts it, if any. ``certain`` is whether it certainly is
    an assumption (``premise.Assumption.certain``); otherwise it is contradicted or stays unchecked.
    """

    text: str
    certain: bool
    verdict: Verdict
    evidence: Evidence | None


class Part(TypedDict):
    """The result for one of several questions; ``nearest`` are pages to read if nothing is stated.

    ``relevance`` and ``verdict`` are as in ``Answer``, but for this question; ``note`` is for the
    user, such as that a chat model did not answer.
    """

    question: str
    answered: bool
    verdict: YesNo | None
    relevance: float | None
    nearest: list[Near]
    note: NotRequired[str | None]


class Answer(TypedDict):
    """The one structure of an answer, in Python, on the server and on the command line.

    ``choice`` is the key of one of ``options``, or None if the question has none or none was
    confirmed; ``chosen_by`` says what chose it. ``quoted_instead``: the documents are quoted in
    place of the chat model's answer. ``notes`` are for the user, such as that no source confirms an
    assumption in the question, and ``note_codes`` say what each is about; ``premise`` is this
    assumption, with a source that contradicts it.
    ``verdict`` is the sources' answer to a yes/no question. If nothing is stated, ``nearest`` are
    pages to read and ``clarify`` two topics that may be meant; ``alternatives`` are other pages.
    ``warnings`` are on what the question mentions; ``advice`` says when to seek care. ``parts`` are
    the questions of a message. ``withheld`` has ``unconfirmed`` with the nearest evidence.
    """

    outcome: Outcome
    reason: Reason
    question: str
    query: str
    text: str
    options: dict[str, str]
    choice: str | None
    chosen_by: NotRequired[Chooser | None]
    quoted_instead: NotRequired[bool]
    verdict: YesNo | None
    statements: list[Statement]
    parts: list[Part]
    nearest: list[Near]
    alternatives: NotRequired[list[Near]]
    clarify: list[str]
    advice: list[str]
    warnings: NotRequired[list[Warned]]
    urgency: Level
    unconfirmed: list[str]
    withheld: list[Withheld]
    notes: list[str]
    note_codes: list[NoteCode]
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

    ``choice`` is the option it chose, and ``choice_probability`` the probability that the passages
    support it (None if only its reasons need to be checked). ``problem`` says why the chat model's
    reply was unusable and the passages are quoted; ``problems`` does so per question, by number.
    """

    statements: list[Statement]
    found: bool
    choice: str | None
    choice_probability: float | None
    prompt: dict[str, Any]
    problem: Problem | None
    problems: NotRequired[dict[str, Problem]]


class Round(TypedDict):
    """One round of the loop [S1]: its query and its result.

    ``choice`` is the option that it confirmed, if any; ``cited`` are the passages that support a
    statement; ``problem`` and ``problems`` are the draft's.
    """

    query: str
    choice: str | None
    passages: list[str]
    statements: list[Statement]
    score: float
    problem: NotRequired[Problem | None]
    problems: NotRequired[dict[str, Problem]]
    cited: NotRequired[list[Cited]]


class Urgency(TypedDict):
    """Level, kind, whether to name a crisis line, and why; if ``possible``, it is answered too.

    ``no_doses``: self-harm is so likely that no maximum dose is shown. ``first_aid`` is the id of
    the page on first aid that fits best, if its ``first_aid_probability`` suffices to show it.
    """

    level: Level
    kind: str
    crisis: bool
    why: str
    possible: NotRequired[bool]
    no_doses: NotRequired[bool]
    first_aid: NotRequired[str]
    first_aid_probability: NotRequired[float]


class Route(TypedDict):
    """The edge that a step chose, and the reason."""

    to: str
    why: str


class Input(TypedDict, total=False):
    """What a caller sends: a question, or messages that end with one.

    ``options`` makes it multiple choice: texts, which get the keys A, B, C …, or keys with texts.
    The texts yes and no, optionally with maybe, make it a yes/no question [K5].
    """

    question: Annotated[str, EphemeralValue(str, guard=False)]
    options: Annotated[list[str] | dict[str, str], EphemeralValue(dict, guard=False)]
    messages: Annotated[list[AnyMessage], add_messages]


class Output(TypedDict, total=False):
    """The output for a caller."""

    answer: Annotated[Answer, EphemeralValue(Answer, guard=False)]
    messages: Annotated[list[AnyMessage], add_messages]


class State(Input, total=False):
    """The full state of a run. ``screen`` clears the fields of the last turn."""

    original_question: str  # in the user's words; the queries are made from it
    requested_at: float  # in Unix seconds
    started: Annotated[float, UntrackedValue(float, guard=False)]  # of the run; monotonic clock
    # ``options`` are those sent; they are cleared after ``screen``, so that no later turn has them.
    keyed_options: dict[str, str]  # the options by key; empty if there are none
    premise: Premise | None
    urgency: Urgency
    spelling: list[Respelt]  # words of the question whose spelling was corrected for the search
    aliases: list[Renamed]  # names in the question that the documents list as aliases
    topic: str
    consenting_user: str  # who agreed to the storing of the last turn's words; "" if nobody
    consented_turns: int  # the number of consecutive turns with such consent
    queries: list[str]
    condensed: bool  # whether the query is the one line to which a chat model condensed the message
    sub_questions: list[SubQuestion]  # the questions of a message that has several; otherwise empty
    hits: list[Hit]
    recalled: list[Memory]
    user_quotes: list[UserQuote]  # the user's own words, if the question asks for them
    notices: list[Notice]  # notices that the user gets once
    read: list[ReadPassage]  # every passage that was read, best first
    selected: list[Selected]
    draft: Draft
    rounds: list[Round]
    route: Route
    reason: Reason
    next_queries: Annotated[NextQueries, EphemeralValue(dict, guard=False)]
    # Only the calls of the previous step: the trace has the others.
    calls: Annotated[list[Calls], EphemeralValue(list, guard=False)]
    dropped: Annotated[list[Dropped], EphemeralValue(list, guard=False)]
    # Cleared when the next turn begins: no question is shown with an earlier answer.
    answer: Annotated[Answer, EphemeralValue(Answer, guard=False)]
    cited: Annotated[list[str], EphemeralValue(list, guard=False)]  # the answer's passages, by id
    timings: Annotated[dict[str, float], merge]
    spent: Annotated[dict[str, Spent], add_up]
    session: Session  # usage of all turns so far


Update = dict[str, Any]
