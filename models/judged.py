"""Judgements of a critic, kept in LangChain's cache as replies of chat models are."""

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from langchain_core.caches import BaseCache
from langchain_core.outputs import Generation

from models.caching import key_of
from models.critic import Critic, Support, same_number
from models.folders import folder_of
from models.recipe import files_digests
from models.reference import parse


class KeptCritic:
    """A critic that judges no pair again that ``cache`` has its judgement of.

    ``identity`` tells the critic from every other one, and from itself with other weights.
    """

    def __init__(self, critic: Critic, identity: str, cache: BaseCache) -> None:
        self._critic, self._identity, self._cache = critic, identity, cache

    @property
    def name(self) -> str:
        """What judged: the critic."""
        return self._critic.name

    @property
    def method(self) -> Literal["similarity", "entailment", "llm"]:
        """What the probability means."""
        return self._critic.method

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its own premises, in their order."""
        same_number(statements, premises)
        pairs = {
            (statement, premise)
            for statement, group in zip(statements, premises, strict=True)
            for premise in group
        }
        known = {pair: found for pair in pairs if (found := self._kept(pair)) is not None}
        open_ones = [
            (statement, list(dict.fromkeys(p for p in group if (statement, p) not in known)))
            for statement, group in zip(statements, premises, strict=True)
        ]
        left = [(statement, group) for statement, group in open_ones if group]
        judged = self._critic.judge([own for own, _ in left], [group for _, group in left])
        for (statement, group), supports in zip(left, judged, strict=True):
            for premise, support in zip(group, supports, strict=True):
                if (statement, premise) not in known:
                    known[statement, premise] = support
                    told = [float(support.probability), support.contradiction]
                    self._keep((statement, premise), [*told, support.start, support.end])
        return [
            [known[statement, premise] for premise in group]
            for statement, group in zip(statements, premises, strict=True)
        ]

    def _kept(self, pair: tuple[str, str]) -> Support | None:
        found = self._cache.lookup(json.dumps(pair), self._identity)
        return Support(*json.loads(found[0].text)) if found else None

    def _keep(self, pair: tuple[str, str], told: list[float | None]) -> None:
        plain = [None if own is None else float(own) for own in told[:2]]
        text = json.dumps([*plain, *told[2:]])
        self._cache.update(json.dumps(pair), self._identity, [Generation(text=text)])


@lru_cache(maxsize=8)
def identity_of(reference: str) -> str:
    """What tells an entailment critic by its reference: program, model and weights."""
    try:
        program = version("anamnesis")
    except PackageNotFoundError:  # run from its folder, without an install
        program = "unknown"
    parsed = parse(reference)
    weights = files_digests(folder_of(parsed))
    return f"critic {key_of(program, str(parsed), json.dumps(weights, sort_keys=True))}"
