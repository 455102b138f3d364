"""Which statements the graph would show, after the critic and the checks of ``verify``."""

from collections.abc import Mapping, Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.models.critic import Critic, CriticWrapper, Support
from evaluation.reading import Pair
from nodes.checking.judge import judge
from nodes.checking.statements import unchecked_statement


class KnownSupportCritic(CriticWrapper):
    """A critic that uses the ``known`` support of pairs and judges only the others."""

    def __init__(self, critic: Critic, known: Mapping[tuple[str, str], Support]) -> None:
        super().__init__(critic)
        self._known = known

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its premises, in order."""
        pairs = list(zip(statements, premises, strict=True))
        asked = [
            place
            for place, (item, group) in enumerate(pairs)
            if any((item, premise) not in self._known for premise in group)
        ]
        found = self._critic.judge(
            [statements[place] for place in asked], [premises[place] for place in asked]
        )
        fresh = dict(zip(asked, found, strict=True))
        return [
            fresh[place] if place in fresh else [self._known[item, premise] for premise in group]
            for place, (item, group) in enumerate(pairs)
        ]


def would_be_shown(
    pair: Pair, supports: Sequence[Support], critic: Critic, threshold: float
) -> bool:
    """Whether the graph would show the hypothesis if it were drafted from the premises as passages.

    ``supports`` are the critic's judgements of the hypothesis by each premise.
    """
    passages = [
        Passage(f"{number}#0", str(number), 0, len(text), text)
        for number, text in enumerate(pair.premises)
    ]
    known = {
        (pair.hypothesis, premise): support
        for premise, support in zip(pair.premises, supports, strict=True)
    }
    drafted = unchecked_statement(pair.hypothesis, [item.id for item in passages])
    [judged] = judge([drafted], passages, KnownSupportCritic(critic, known), threshold)
    return judged["verdict"] == "supported"
