"""Judgements that are kept."""

from langchain_core.caches import InMemoryCache

from anamnesis.models.cached_critic import CachedCritic, identity_of
from tests.fakes import WordCritic

STATEMENTS = ["asthma is common", "gout is rare", "asthma is common"]
PREMISES = [["asthma is known", "gout is known"], ["gout is rare"], ["gout is known", "a cause"]]


def test_what_was_judged_is_not_judged_again_and_nothing_changes() -> None:
    cache, critic = InMemoryCache(), WordCritic()
    plain = WordCritic().judge(STATEMENTS, PREMISES)
    assert CachedCritic(critic, "words 1", cache).judge(STATEMENTS, PREMISES) == plain
    asked = len(critic.asked)
    kept = CachedCritic(critic, "words 1", cache)
    assert kept.judge(STATEMENTS, PREMISES) == plain
    assert len(critic.asked) == asked
    more = [*PREMISES[:2], ["something new about asthma"]]
    assert kept.judge(STATEMENTS, more) == WordCritic().judge(STATEMENTS, more)
    assert kept.judge([], []) == []
    assert len(critic.asked) > asked


def test_another_critic_judges_anew() -> None:
    cache, critic = InMemoryCache(), WordCritic()
    for identity in ("words 1", "words 2"):
        CachedCritic(critic, identity, cache).judge(["gout"], [["gout"]])
    assert len(critic.asked) == 2


def test_the_shipped_critic_is_known_by_its_weights() -> None:
    assert identity_of("own") == identity_of("own")
    assert len(identity_of("own").split()[1]) == 64
