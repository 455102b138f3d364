"""Check any answer against documents: the graph's critic and checks, without its graph [S4]."""

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.runnables import Runnable, RunnableLambda
from typing_extensions import TypedDict

from anamnesis import SettingError, UnansweredError
from anamnesis.attributes import require
from anamnesis.corpus.passage import Passage
from anamnesis.language.text import well_formed
from anamnesis.models.critic import (
    DEFAULT_CRITIC,
    Critic,
    CriticWrapper,
    Support,
    UnansweredCritic,
    load_critic,
)
from anamnesis.models.given_critic import GivenCritic
from nodes.checking.judge import judge
from nodes.evidence.safety import failing
from nodes.fields.codes import FailedCheck, failed_check_text
from nodes.settings.context import Context
from nodes.state import Evidence, Statement
from nodes.writing.draft import parse
from retrievers.given_documents import passage_of

_MOST_CITED = 999
"""Numbers in brackets up to this one, or up to the number of documents if that is higher, are taken
for citations."""
_log = logging.getLogger(__name__)
_SUPPORT: float = Context.model_validate({}).verification.min_probability


class CheckedText(TypedDict):
    """A checked answer: its statements, and the share of supported ones, from 0 to 1.

    ``citations`` are numbers of the documents, from 1; the spans of ``evidence`` and ``conflict``
    are character offsets in their texts.
    """

    statements: list[Statement]
    supported: bool
    score: float
    critic: str


def check(
    answer: str,
    documents: Sequence[Document | str],
    critic: Critic | None = None,
    support: float = _SUPPORT,
) -> CheckedText:
    """The statements of an answer with their verdicts; see ``nodes.checking.judge.judge``.

    [1] in the answer cites the first document; a statement without citations is compared with all
    documents, and one that cites a document that does not exist fails the check ``reference``.
    ``supported`` is whether all statements are supported; it is false if the answer
    states nothing. If the critic does not answer, statements stay unchecked, except those that are
    copied from a document.

    Raises SettingError if ``documents`` is no list, has no document, or one that is neither a
    Document nor a text, or if ``support`` is no probability; ModelError if the critic fails.
    """
    if isinstance(support, bool) or not isinstance(support, int | float) or not 0 <= support <= 1:
        raise SettingError(f"support is {support!r}; give a probability from 0 to 1")
    # A text is a sequence of characters, and a Document one of fields: each would be a document.
    if isinstance(documents, str | bytes | Document) or not isinstance(documents, Iterable):
        raise SettingError(
            f"documents is {type(documents).__name__}; give a list of LangChain Documents or texts"
        )
    passages = []
    for number, document in enumerate(documents, 1):
        if isinstance(document, str):
            document = Document(document)
        elif not isinstance(document, Document):
            raise SettingError(
                f"document {number} is {type(document).__name__}; give LangChain Documents, or "
                "texts"
            )
        passages.append(passage_of(document.model_copy(update={"id": str(number)})))
    if not passages:
        raise SettingError("there is no document to check the answer against; give at least one")
    judging = loaded(DEFAULT_CRITIC) if critic is None else GivenCritic(critic)
    numbers = {item.id: item.record_id for item in passages}
    cited = [str(number) for number in range(1, max(len(passages), _MOST_CITED) + 1)]
    said = parse(well_formed(answer), [item.id for item in passages] + cited[len(passages) :])
    unknown = [[name for name in item["citations"] if name not in numbers] for item in said]
    known: list[Statement] = [
        {**item, "citations": [name for name in item["citations"] if name in numbers]}
        for item in said
    ]
    judged = [
        failing(item, [FailedCheck(code="reference", found=f"[{name}]") for name in names])
        if names
        else item
        for item, names in zip(_judged(known, passages, judging, support), unknown, strict=True)
    ]

    def placed(place: Evidence | None) -> Evidence | None:
        return place and {**place, "document": numbers[place["document"]]}

    statements: list[Statement] = [
        {
            **item,
            "citations": [numbers[cited] for cited in item["citations"]],
            "evidence": placed(item["evidence"]),
            "conflict": placed(item["conflict"]),
            "failed_checks": [failed_check_text(failed) for failed in item["failed"]],
        }
        for item in judged
    ]
    good = sum(item["verdict"] == "supported" for item in statements)
    return {
        "statements": statements,
        "supported": bool(statements) and good == len(statements),
        "score": round(good / len(statements), 4) if statements else 0.0,
        "critic": judging.name,
    }


def loaded(reference: str) -> Critic:
    """The critic that a reference names; one on a server that does not answer judges nothing.

    Raises as ``load_critic`` does for all other errors.
    """
    try:
        return load_critic(reference)
    except UnansweredError as error:
        return UnansweredCritic(reference, error)


def _judged(
    statements: Sequence[Statement], passages: Sequence[Passage], critic: Critic, support: float
) -> list[Statement]:
    """The statements with their verdicts."""
    try:
        return judge(statements, passages, critic, support)
    except UnansweredError as error:
        _log.error("statements stay unchecked, because the critic failed to check them: %s", error)
    copied = judge(statements, passages, _Silent(critic), support)
    return [
        copied_statement if copied_statement["verdict"] == "supported" else item
        for copied_statement, item in zip(copied, statements, strict=True)
    ]


class _Silent(CriticWrapper):
    """Supports nothing, so that only copied statements are supported."""

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement and premise, probability 0."""
        return [[Support(0.0, None, 0, 0) for _ in group] for group in premises]


def checker(
    critic: Critic | str | None = None, support: float = _SUPPORT
) -> Runnable[Any, CheckedText]:
    """The critic as a Runnable that takes ``{"answer": …, "documents": […]}``, or the pair.

    ``critic`` is a critic or a reference (default: ``own``). Raises SettingError if it is neither,
    or if the Runnable gets another kind of input; see ``check``.
    """
    given = loaded(critic) if isinstance(critic, str) else critic
    if given is not None:
        require("critic", given, ("name", "method", "judge"), "give one, or a reference to one")

    def run(asked: Any) -> CheckedText:
        if isinstance(asked, dict) and {"answer", "documents"} <= asked.keys():
            asked = (asked["answer"], asked["documents"])
        if not (isinstance(asked, tuple) and len(asked) == 2):
            raise SettingError(
                'give {"answer": "…", "documents": […]}, or a pair of an answer and documents, not '
                f"{type(asked).__name__}"
            )
        answer, documents = asked
        text = getattr(answer, "text", answer)
        if not isinstance(text, str):
            raise SettingError(f"the answer is {type(text).__name__}; give its text, or a message")
        # A server that did not answer before may answer this time.
        critic_in_use = loaded(critic) if isinstance(critic, str) else given
        return check(text, documents, critic_in_use, support)

    return RunnableLambda(run, name="check")
