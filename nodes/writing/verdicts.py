"""The yes or no that is shown before the statements of an answer, learned and checked.

A logistic regression combines what the reader says of the most relevant passage with what the
critic says of the statements shown. A yes or a no also needs a statement that says it, according
to the critic.
"""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from anamnesis import ModelError
from anamnesis.corpus.cautions import medicine_names
from anamnesis.language.clauses import ARTICLES, AUXILIARIES, PRONOUNS
from anamnesis.language.lexicon import any_of
from anamnesis.language.quotable import dangling
from anamnesis.language.text import tokenize
from anamnesis.language.words import content_stems
from anamnesis.models.classifier import Scores
from anamnesis.models.critic import Critic
from anamnesis.models.labels import softmax
from anamnesis.models.question_sentences import message_sentences, question_sentences
from anamnesis.models.reading import POLAR_OUTPUTS, log_odds
from nodes.checking.answered import best_cited, yes_no_verdict
from nodes.choosing.declarative import statement_of
from nodes.fields.passages import Cited, ReadPassage
from nodes.question.circumstances import ages, beyond_ages, names_in
from nodes.question.person import unmentioned_contents
from nodes.settings.derived import QUOTED_RELEVANCE
from nodes.state import Statement, YesNo

LEAST = 0.85
"""Minimum probability of a verdict by the combination.

With probabilities that were cross-fitted by topic (`python -m training.verdicts`), of 871 questions
on topics that the reader was not trained on, near misses, real messages and questions as people
type them among them, for which the passage is quoted and may say yes or no, 96 get a verdict at
.85, and 88 are right; at .8 they are 115 and 106, at .9 81 and 74. The threshold was chosen
with an earlier reader, on 382 of these questions. If it is chosen on one half of the topics, .902
of the verdicts on the other half are right.
"""
CONFIRMED = 0.7
"""Minimum probability, by the critic, that a statement says the yes, or denies it for a no."""
RELEVANT = 0.9
"""Minimum relevance of the passage. A less relevant one is often about something narrower: for "are
migraines hereditary" it said that basilar migraines are not."""
ASKS_POLAR = 0.5
"""Probability of ``open`` below which the reader takes a question for a yes/no question.

Of 157 questions with a lower one, whose own passage is not relevant enough to be quoted, 119 are
not answered by it, 35 are, and 3 do not ask for a yes or a no.
"""
ASKS_ELSE = 0.9
"""Minimum probability of ``open`` for a question that gets no verdict, whatever the critic says."""
_CUT = 1e-3

INPUTS = (*POLAR_OUTPUTS, "relevance", "entailment", "contradiction")
"""What the combination is computed from: the log-odds of these probabilities."""
WEIGHTS: Mapping[str, tuple[float, ...]] = {
    "yes": (0.367, -0.051, -0.238, -0.022, 0.161, 0.177, -0.127, -0.303),
    "no": (-0.051, 0.367, -0.238, -0.022, 0.161, -0.127, 0.177, -0.303),
    "depends": (-0.153, -0.153, 0.625, 0.083, 0.136, 0.026, 0.026, 0.169),
    "open": (-0.163, -0.163, -0.148, -0.038, -0.459, -0.076, -0.076, 0.437),
}
"""For each value the weights of ``INPUTS``, and the constant. `python -m training.verdicts` prints
them. Those of yes and no mirror each other, because nothing but the sources should favour one."""

# The critic contradicts 'It is ok to take both' where a source says that adults can take both.
_PERMITTED = re.compile(rf"^it is (?:{any_of('permitted')}) to ", re.IGNORECASE)

# The critic reads 'Paracetamol ok when breastfeeding', without a verb, as denied by 'Paracetamol
# can be taken while breastfeeding'.
_FINE = re.compile(
    rf"^(?P<what>\w[\w' -]*?) (?:(?:is|are) )?(?:{any_of('permitted')})\b(?! and| or)",
    re.IGNORECASE,
)
_NO_THING = {*PRONOUNS, *ARTICLES, *AUXILIARIES, "am", "not"}
"""Words that do not occur in the name of what may be used: 'my baby is ok', 'not safe'."""

_log = logging.getLogger(__name__)


class CriticJudgement(NamedTuple):
    """A critic's judgement of a question as a statement: the best values of the quotations."""

    entailment: float
    contradiction: float


def answer_verdict(
    cited: Sequence[Cited], question: str, statements: Sequence[Statement], critic: Critic | None
) -> YesNo | None:
    """The sources' answer to a yes/no question; None if it is no such question, or uncertain.

    ``cited`` are the passages that a statement may cite. Without an entailment model the reader
    decides alone.
    """
    quoted = [item["text"] for item in statements]
    # That a woman who is pregnant can take paracetamol does not say so of Tylenol PM.
    unspoken = bool(unmentioned_contents(question, quoted))
    if critic is None or critic.method != "entailment":
        verdict = yes_no_verdict(statements, cited)
        return None if verdict == "yes" and unspoken else verdict
    best = best_cited(statements, cited)
    if best is None or best["relevance"] < RELEVANT or best["polar"].get("open", 1) >= ASKS_ELSE:
        return None
    quoted = [item["text"] for item in statements]
    claim = claim_of(question)
    if is_ruled_out(claim, question, quoted):
        return None
    try:
        found = judged(claim, quoted, critic)
    except ModelError as error:
        _log.warning("no verdict is shown, because the critic failed: %s", error)
        return None
    chances = dict(zip(WEIGHTS, probabilities([inputs(best, found)])[0], strict=True))
    verdict = verdict_of(chances, found)
    return None if verdict == "yes" and unspoken else verdict


def is_ruled_out(claim: str, question: str, quoted: Sequence[str]) -> bool:
    """Whether the quoted sentences give no verdict, whatever the models say.

    ``claim`` is the ``claim_of`` the question. Either it asks by a reference alone ('Is that ok?',
    'Can she?'): without a word of the quotations in it the critic has nothing to compare. Or a
    quotation has an age limit that leaves out every age in the question; neither the reader nor the
    critic compares these. `python -m training.verdicts` prints how many right and wrong verdicts
    this costs.
    """
    named = content_stems(claim)
    shared = named & content_stems(" ".join(quoted))
    by_reference = not named or (dangling(claim) and not shared)
    years = ages(question)
    return by_reference or any(beyond_ages(item, years) for item in quoted)


def verdict_of(
    chances: Mapping[str, float],
    found: CriticJudgement,
    least: float = LEAST,
    confirmed: float = CONFIRMED,
) -> YesNo | None:
    """The verdict with these probabilities, if it is probable enough and the critic confirms it.

    If one statement says yes and another one says no, there is no verdict.
    """
    said = {
        "yes": found.entailment >= confirmed > found.contradiction,
        "no": found.contradiction >= confirmed > found.entailment,
    }
    for word in ("yes", "no"):
        if chances[word] >= least and said[word]:
            return word
    return "depends" if chances["depends"] >= least else None


def judged(claim: str, quoted: Sequence[str], critic: Critic) -> CriticJudgement:
    """How strongly one of the quotations supports, and contradicts, a claim (``claim_of``).

    A claim that something is fine is also judged in the form that it can be used: it is supported
    if it is in one of the forms, and contradicted if it is in both.

    If the claim names several medicines, the quotations that name all of them are judged, if there
    are any: that ibuprofen must not be taken with aspirin does not deny that it may be taken with
    paracetamol. Raises ModelError if the critic fails.
    """
    named = _medicines(claim)
    on_all = [item for item in quoted if named <= _medicines(item)] if len(named) > 1 else []
    forms = [claim, *as_usable(claim)]
    found = critic.judge(forms, [on_all or quoted] * len(forms))
    return CriticJudgement(
        max(max((item.probability for item in form), default=0.0) for form in found),
        min(max((item.contradiction or 0.0 for item in form), default=0.0) for form in found),
    )


def as_usable(claim: str) -> list[str]:
    """The claim that something is fine, as the claim that it can be used; empty for other claims.

    'Gaviscon ok when breastfeeding' becomes 'Gaviscon can be used when breastfeeding'.
    """
    found = _FINE.match(claim)
    if not found or _NO_THING & set(tokenize(found["what"])):
        return []
    return [f"{found['what']} can be used{claim[found.end() :]}"]


def _medicines(text: str) -> set[str]:
    return {name.casefold() for name in names_in(text, medicine_names())}


def claim_of(question: str) -> str:
    """What the critic judges: a yes to the question.

    It is the sentence that asks, as a statement if a rule makes one of it, because most of a long
    message is a story. Raises ModelError if the model that finds this sentence cannot be loaded.
    """
    asking = _asking(question)
    claim = statement_of(asking) or statement_of(question) or asking.rstrip(" ?.!")
    return _PERMITTED.sub("I can ", claim)


def _asking(question: str) -> str:
    """The sentence of a message that most probably asks."""
    found = list(message_sentences(question))
    return found[int(question_sentences(found).chances.argmax())] if len(found) > 1 else question


def inputs(best: Cited, found: CriticJudgement) -> list[float]:
    """The log-odds of ``INPUTS`` for the most relevant passage and the critic's judgement."""
    chances = (*(best["polar"].get(name, 0.0) for name in POLAR_OUTPUTS), best["relevance"], *found)
    return [log_odds(min(max(float(item), _CUT), 1 - _CUT)) for item in chances]


def probabilities(
    rows: Sequence[Sequence[float]] | Scores, weights: Mapping[str, tuple[float, ...]] = WEIGHTS
) -> Scores:
    """The probability of each value in ``WEIGHTS`` for each row of ``INPUTS`` (n, 7)."""
    matrix = np.array(list(weights.values()), np.float32)
    values: Scores = np.asarray(rows, np.float32).reshape(-1, len(INPUTS))
    return softmax(values @ matrix[:, :-1].T + matrix[:, -1])


def left_open(read: Sequence[ReadPassage]) -> bool:
    """Whether a question that no passage answers asks for a yes or a no.

    The reader says so of the most relevant of the passages that were ``read``, which must not be
    relevant enough to be quoted.
    """
    if not read or read[0]["relevance"] >= QUOTED_RELEVANCE:
        return False
    return read[0].get("polar", {}).get("open", 1.0) < ASKS_POLAR
