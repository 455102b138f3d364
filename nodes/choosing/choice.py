"""Choose the option that the passages support; check a choice before it is shown [K5, S3, S4].

An option is judged by its *hypothesis*: the question and the option combined into one statement
(``nodes.choosing.declarative``).
"""

import heapq
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anamnesis.corpus.passage import Passage
from anamnesis.language.lexicon import any_of
from anamnesis.language.quotable import is_about_myths, units
from anamnesis.language.words import overlap
from anamnesis.models.critic import Critic, Support
from nodes.checking.checks import failed_checks
from nodes.checking.published import as_drafted
from nodes.checking.statements import unchecked_statement
from nodes.choosing.declarative import asks_for_exception, hypothesis, statement_of
from nodes.choosing.findings import reports_finding
from nodes.evidence.safety import safe
from nodes.evidence.sentences import with_antecedent
from nodes.fields.options import is_yes_no
from nodes.parts import Parts
from nodes.question.options import find_choice, supported_option
from nodes.settings.context import Context
from nodes.state import Draft, State, Statement

_MAX_QUOTATIONS_JUDGED = 8
"""Maximum quotations judged per option: those that share the most words with its hypothesis."""

# Options about other options: 'None of the above', 'Both A and B'.
_ABOUT_OPTIONS = re.compile(
    r"\W*(all|none|both|neither|any|either|more than one)( of)?( the)?"
    rf"( ({any_of('other_option')}))*"
    r"( \(?[a-f]\)?(,? (and|or|nor|&) \(?[a-f]\)?)?)?"
    rf"( (is|are) ({any_of('true_word')}))?\W*",
    re.IGNORECASE,
)


class Quotation(NamedTuple):
    """A quotation as a statement, and the passage that contains it."""

    passage: Passage
    statement: Statement


class OptionSupport(NamedTuple):
    """How well the passages support an option's hypothesis, with the strongest quotations.

    ``entailment`` and ``contradiction`` are probabilities; ``supporting`` and ``contradicting`` are
    None if no quotation supports or contradicts it.
    """

    hypothesis: str
    entailment: float
    contradiction: float
    supporting: Statement | None
    contradicting: Statement | None


def choose_option(
    question: str,
    options: dict[str, str],
    passages: Sequence[Passage],
    critic: Critic,
    threshold: float,
) -> Draft:
    """The draft that chooses an option and quotes the sentences that support it.

    If no option is supported, the draft is one statement without a citation: the hypothesis of the
    most probable option. It fails verification, so that the next round searches for it [S6].
    """
    by_option = option_supports(question, options, passages, critic)
    if not by_option:
        return new_draft([], None, None)
    yes_no = is_yes_no(options)
    if asks_for_exception(question) and len(by_option) < len(options) and not yes_no:
        # The exception may be an option that cannot be judged.
        return _undecided(by_option)
    word_or_key, probability = supported_option(
        {key: (item.entailment, item.contradiction) for key, item in by_option.items()},
        threshold,
        yes_no,
        asks_for_exception(question),
    )
    reasons = _reasons(word_or_key, by_option, threshold) if word_or_key else []
    # For a yes/no question this is the word yes, no or maybe, and the option may have another key.
    key = find_choice(word_or_key, options) if yes_no and word_or_key else word_or_key
    if not key or not reasons:
        return _undecided(by_option)
    return new_draft(reasons, key, probability)


def _undecided(by_option: dict[str, OptionSupport]) -> Draft:
    likeliest = max(by_option.values(), key=lambda item: item.entailment)
    return new_draft([unchecked_statement(likeliest.hypothesis, [])], None, None)


def _reasons(key: str, by_option: dict[str, OptionSupport], threshold: float) -> list[Statement]:
    """The quotations in favour of an option: those that support it, or contradict its opposite.

    ``key`` is the option's or, for a yes/no question, the word yes, no or maybe.
    """
    support = by_option.get(key) or by_option["yes"]
    if key == "maybe":
        sides = [support.supporting, support.contradicting]
    elif support.contradiction >= threshold and support.contradiction > support.entailment:
        sides = [support.contradicting]
    elif support.entailment >= threshold:
        sides = [support.supporting]
    else:  # the exception: quotations that support all other options
        sides = [other.supporting for name, other in by_option.items() if name != key]
    return [each for each in sides if each]


def option_supports(
    question: str, options: dict[str, str], passages: Sequence[Passage], critic: Critic
) -> dict[str, OptionSupport]:
    """How well the passages support each option's hypothesis, by option key.

    A yes/no question has one hypothesis only, under the key 'yes'. The result is empty if no option
    can be made into a hypothesis. The critic judges what can be quoted: a sentence with the
    sentences that it refers to, or a whole list with its lead-in, because an item alone may state
    what its lead-in denies. Sentences about the aim of a study, and suppositions (unless the
    hypothesis itself is a possibility), are skipped.
    """
    if is_yes_no(options):
        yes = statement_of(question)
        hypotheses = {"yes": yes} if yes else {}
    else:
        hypotheses = {
            key: hypothesis(question, text)
            for key, text in options.items()
            if not _ABOUT_OPTIONS.fullmatch(text)
        }
    found = list(quotations(passages))
    by_option = {}
    for key, claim in hypotheses.items():
        findings = [item for item in found if reports_finding(item.statement["text"], claim)]
        near = heapq.nlargest(
            _MAX_QUOTATIONS_JUDGED,
            findings,
            key=lambda item: overlap(claim, item.statement["text"]),
        )
        [supports] = critic.judge([claim], [[item.statement["text"] for item in near]])
        by_option[key] = _option_support(claim, near, supports)
    return by_option


def option_statement(question: str, options: dict[str, str], key: str) -> str | None:
    """The question and the option combined into one statement, or None [K4].

    None for the option 'no', for an option about other options, for a question that asks for the
    exception (EXCEPT), and if no rule combines the two.
    """
    text = options[key]
    if is_yes_no(options):
        return statement_of(question) if text.casefold().rstrip(".") == "yes" else None
    if asks_for_exception(question) or _ABOUT_OPTIONS.fullmatch(text):
        return None
    claim = hypothesis(question, text)
    # If no rule makes a statement, the option is appended to its question.
    return None if claim.casefold().startswith(question.casefold().rstrip(" ?.:")) else claim


def _option_support(
    claim: str, near: Sequence[Quotation], supports: Sequence[Support]
) -> OptionSupport:
    """The strongest quotation that supports the hypothesis and with which it passes the checks, and
    the strongest one that contradicts it.
    """
    found = OptionSupport(claim, 0.0, 0.0, None, None)
    for (passage, statement), support in zip(near, supports, strict=True):
        contradiction = support.contradiction or 0.0
        if contradiction > found.contradiction:
            found = found._replace(contradiction=contradiction, contradicting=statement)
        failed = failed_checks(claim, statement["text"], f"{passage.heading} {passage.text}")
        if support.probability > found.entailment and not failed:
            found = found._replace(entailment=support.probability, supporting=statement)
    return found


def quotations(passages: Sequence[Passage]) -> Iterator[Quotation]:
    """The quotations of the passages that are understandable by themselves."""
    for passage in map(safe, passages):
        if is_about_myths(passage.heading, passage.text):
            continue
        passage_units = units(passage.text)
        for at, unit in enumerate(passage_units):
            if group := with_antecedent(passage_units, at):
                text = passage.text[passage_units[group[0]].span.start : unit.span.end]
                yield Quotation(passage, unchecked_statement(text, [passage.id]))


def confirmed_choice(state: State, context: Context, parts: Parts) -> str | None:
    """The draft's option, or None.

    Only a chat model's choice is judged here: None if the passages contradict it, or if it has no
    hypothesis. Every other option is returned unchecked: one that the program chose, *maybe*, and
    any option without a critic or if the settings leave it unchecked (``as_drafted``). The reasons
    are checked as statements.
    """
    question, options, draft = state["queries"][0], state["keyed_options"], state["draft"]
    choice = draft["choice"] if options else None
    critic = None if as_drafted(options, context) else parts.critic(context)
    if choice is None or draft["choice_probability"] is not None or critic is None:
        return choice
    passages = parts.passages([item["id"] for item in state["selected"]], context)
    # If ``inverted``, support for the hypothesis speaks against the choice.
    key, inverted = choice, asks_for_exception(question)
    if is_yes_no(options):
        word = options[choice].casefold()
        if word == "maybe":
            return choice
        key, inverted = "yes", word == "no"
    support = option_supports(question, options, passages, critic).get(key)
    if support is None:
        return None
    against = support.entailment if inverted else support.contradiction
    least = context.verification.min_probability
    return None if against > 0 and against >= least else choice


def new_draft(
    statements: list[Statement], choice: str | None, choice_probability: float | None
) -> Draft:
    """A draft with these statements, without a prompt or a problem."""
    return {
        "statements": statements,
        "found": bool(statements),
        "choice": choice,
        "choice_probability": choice_probability,
        "prompt": {},
        "problem": None,
    }
