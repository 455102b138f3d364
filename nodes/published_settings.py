"""Settings by which the published systems differ from the default one."""

from typing import Literal

from pydantic import Field

from memory.record import KINDS, Kind
from memory.scores import Ranking
from nodes.checking_settings import CheckingSettings
from prompts import FormName
from retrievers.facts import BROAD


class PublishedSettings(CheckingSettings):
    """What the default does better, or does not do, and a published system does its own way."""

    conversation: bool = Field(
        True,
        description="Read a message as part of a conversation: a follow-up is made to stand alone, "
        "an offer is taken up, and words that ask nothing are not searched for. Off, every message "
        "but an emergency is searched for as it is.",
    )
    premises: bool = Field(
        True,
        description="Check what a question takes for granted against the documents.",
    )
    gate: bool = Field(
        True,
        description="Ask a chat model only where the best passage reaches `min_relevance`; off, "
        "the model itself says where the documents hold no answer [H5, R5]. What is quoted must "
        "reach it in any case.",
    )
    rerank_by: Literal["both", "reranker"] = Field(
        "both",
        description="What orders the passages that were re-ranked: `both` the reranker and the "
        "fused lists, or the `reranker` alone [R4].",
    )
    alternatives: int = Field(
        0,
        ge=0,
        le=10,
        description="Most alternative answers, each the sentence of a further document that comes "
        "nearest the question [R9].",
    )
    prompt_form: FormName = Field(
        "numbered",
        description="How the documents stand in the prompt: `numbered` under their headings, in "
        "`pairs` of question and answer [R5], or as `facts` before a question whose answer is the "
        "exact words of an option [K4].",
    )
    history: Literal["unsupported", "rounds"] = Field(
        "unsupported",
        description="What the prompt of a later round has of the earlier ones: the `unsupported` "
        "statements, or all `rounds`, each with its query, documents, answer and statements [S3].",
    )
    verdicts: Literal["checked", "published"] = Field(
        "checked",
        description="How a statement is judged: `checked` by the critic and the checks, or as "
        "`published`, where a statement is supported if the best probability of entailment over "
        "all passages is above `support`, and nothing else is asked but the two checks of safety "
        "[S4].",
    )
    kept_kinds: tuple[Kind, ...] = Field(
        KINDS,
        description="Which kinds of memories are kept where the user consents [H1, M1].",
    )
    kept_exchanges: Literal["checked", "all"] = Field(
        "checked",
        description="Which exchanges are kept: those whose statements were `checked`, or `all` of "
        "them, each statement that was not checked marked as such [H1].",
    )
    notes: Literal["quoted", "inferred"] = Field(
        "quoted",
        description="What is kept of a conversation beside exchanges: the user's own words "
        "`quoted`, which a chat model only points to, or what any chat model has `inferred`, "
        "marked as such [M1].",
    )
    memory_rankings: dict[Kind, Ranking] = Field(
        {},
        description="Weights of single kinds of memories, in the place of `memory_ranking` [M4].",
    )
    contradictions: bool | None = Field(
        None,
        description="Look for memories that contradict each other; where statements are not "
        "checked, by the usual critic [M8]. Left out: where statements are checked.",
    )
    facts_broad: int = Field(
        BROAD,
        ge=1,
        le=1000,
        description="Facts that are found for each option, and form the set from which `facts_k` "
        "are chosen (K) [K2].",
    )
