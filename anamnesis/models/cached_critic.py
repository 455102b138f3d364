"""Judgements of a critic, cached in LangChain's cache like replies of chat models."""

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from langchain_core.caches import BaseCache
from langchain_core.outputs import Generation

from anamnesis.models.caching import key_of
from anamnesis.models.critic import Critic, CriticWrapper, Support
from anamnesis.models.recipe import weights_of
from anamnesis.models.reference import parse


class CachedCritic(CriticWrapper):
    """A critic whose judgements are cached in ``cache``.

    Each call is cached as a whole, because a write to disk takes as long as a few pairs.
    ``identity`` distinguishes the critic from every other one, and from itself with other weights.
    """

    def __init__(self, critic: Critic, identity: str, cache: BaseCache) -> None:
        super().__init__(critic)
        self._identity, self._cache = identity, cache

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its premises, in order."""
        asked = json.dumps([list(statements), [list(group) for group in premises]])
        if found := self._cache.lookup(asked, self._identity):
            return [[Support(*item) for item in group] for group in json.loads(found[0].text)]
        judged = self._critic.judge(statements, premises)
        if statements:
            stored = json.dumps([[_as_row(item) for item in group] for group in judged])
            self._cache.update(asked, self._identity, [Generation(text=stored)])
        return judged


def _as_row(support: Support) -> list[float | None]:
    against = None if support.contradiction is None else float(support.contradiction)
    return [float(support.probability), against, int(support.start), int(support.end)]


@lru_cache(maxsize=8)
def identity_of(reference: str) -> str:
    """The identity of an entailment critic: program, model and weights."""
    try:
        program = version("anamnesis")
    except PackageNotFoundError:  # run from its folder, without an install
        program = "unknown"
    parsed = parse(reference)
    weights = weights_of(parsed)
    return f"critic {key_of(program, str(parsed), json.dumps(weights, sort_keys=True))}"
