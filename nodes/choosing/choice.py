"""Choose the option that the passages support; check a choice before it is shown [K5, S3, S4]."""

import heapq
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anamnesis.corpus.passage import Passage
from anamnesis.language.lexicon import any_of
from anamnesis.language.quotable import is_about_myths, units
from anamnesis.language.topic import overlap
from anamnesis.models.critic import Critic, Support
from nodes.checking.checks import failed_checks
from nodes.checking.published import as_drafted
from nodes.checking.statements import unchecked_statement
from nodes.choosing.declarative import asks_for_exception, hypothesis, statement_of
from nodes.choosing.findings import reports_finding
from nodes.evidence.safety import safe
from nodes.evidence.sentences import with_antecedent
from nodes.fields.options import is_polar
from nodes.parts import Parts
from nodes.question.options import find_choice, supported_option
from nodes.settings.context import Context
from nodes.state import Draft, State, Statement

_NEAR = 8
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
    item: Statement


class OptionSupport(NamedTuple):
    """How well the passages support an option's hypothesis, with the strongest quotations.

    ``entailment`` and ``contradiction`` are probabilities; ``supporting`` and ``denying`` are None
    if no quotation supports or denies it.
    """

    hypothesis: str
    entailment: float
    contradiction: float
    supporting: Statement | None
    denying: Statement | None


def choose_option(
    question: str,
    options: dict[str, str],
    passages: Sequence[Passage],
    critic: Critic,
    threshold: float,
) -> Draft:
    """The draft that chooses an option and quotes the sentences that support it.

    If no option is supported, the draft is the hypothesis of the most probable option: it will not
    be confirmed, and the next round searches for it [S6].
    """
    by_option = option_supports(question, options, passages, critic)
    if not by_option:
        return new_draft([], None, None)
    polar = is_polar(options)
    if asks_for_exception(question) and len(by_option) < len(options) and not polar:
        # The exception may be an option that cannot be judged.
        return _undecided(by_option)
    key, probability = supported_option(
        {key: (item.entailment, item.contradiction) for key, item in by_option.items()},
        threshold,
        polar,
        asks_for_exception(question),
    )
    reasons = _reasons(key, by_option, threshold) if key else []
    if polar and key:
        key = find_choice(key, options)  # the key whose text is yes, no or maybe
    if not key or not reasons:
        return _undecided(by_option)
    return new_draft(reasons, key, probability)


def _undecided(by_option: dict[str, OptionSupport]) -> Draft:
    likeliest = max(by_option.values(), key=lambda item: item.entailment)
    return new_draft([unchecked_statement(likeliest.hypothesis, [])], None, None)


def _reasons(key: str, by_option: dict[str, OptionSupport], threshold: float) -> list[Statement]:
    """The quotations in favour of an option: those that support it, or deny its opposite."""
    own = by_option.get(key) or by_option["yes"]
    if key == "maybe":
        sides = [own.supporting, own.denying]
    elif own.contradiction >= threshold and own.contradiction > own.entailment:
        sides = [own.denying]
    elif own.entailment >= threshold:
        sides = [own.supporting]
    else:  # the exception: quotations that support all other options
        sides = [other.supporting for name, other in by_option.items() if name != key]
    return [each for each in sides if each]


def option_supports(
    question: str, options: dict[str, str], passages: Sequence[Passage], critic: Critic
) -> dict[str, OptionSupport]:
    """How well the passages support each option's hypothesis, by key; for yes/no only that for yes.

    The critic judges what can be quoted: a sentence with the sentences that it refers to, a list
    with its lead-in. Part of a list may state what the whole list denies; the aim of a study and a
    supposition support nothing. Empty without a hypothesis.
    """
    if is_polar(options):
        claim = statement_of(question)
        hypotheses = {"yes": claim} if claim else {}
    else:
        hypotheses = {
            key: hypothesis(question, text)
            for key, text in options.items()
            if not _ABOUT_OPTIONS.fullmatch(text)
        }
    found = list(quotations(passages))
    by_option = {}
    for key, said in hypotheses.items():
        findings = [item for item in found if reports_finding(item.item["text"], said)]
        near = heapq.nlargest(_NEAR, findings, key=lambda item: overlap(said, item.item["text"]))
        [supports] = critic.judge([said], [[item.item["text"] for item in near]])
        by_option[key] = _option_support(said, near, supports)
    return by_option


def option_statement(question: str, options: dict[str, str], key: str) -> str | None:
    """The statement that an option and its question make together; None if they make none [K4].

    There is none for a no, for an option about other options, and for the exception among options.
    """
    text = options[key]
    if is_polar(options):
        return statement_of(question) if text.casefold().rstrip(".") == "yes" else None
    if asks_for_exception(question) or _ABOUT_OPTIONS.fullmatch(text):
        return None
    claim = hypothesis(question, text)
    # If no rule makes a statement, the option is appended to its question.
    return None if claim.casefold().startswith(question.casefold().rstrip(" ?.:")) else claim


def _option_support(
    claim: str, near: Sequence[Quotation], supports: Sequence[Support]
) -> OptionSupport:
    """The best quotation for the hypothesis that passes the checks, and the one that denies it."""
    found = OptionSupport(claim, 0.0, 0.0, None, None)
    for (passage, item), support in zip(near, supports, strict=True):
        against = support.contradiction or 0.0
        if against > found.contradiction:
            found = found._replace(contradiction=against, denying=item)
        failed = failed_checks(claim, item["text"], f"{passage.heading} {passage.text}")
        if support.probability > found.entailment and not failed:
            found = found._replace(entailment=support.probability, supporting=item)
    return found


def quotations(passages: Sequence[Passage]) -> Iterator[Quotation]:
    """The quotations of the passages that are understandable by themselves."""
    for passage in map(safe, passages):
        if is_about_myths(passage.heading, passage.text):
            continue
        own = units(passage.text)
        for at in range(len(own)):
            if group := with_antecedent(own, at):
                text = passage.text[own[group[0]].span.start : own[at].span.end]
                yield Quotation(passage, unchecked_statement(text, [passage.id]))


def confirmed_choice(state: State, context: Context, parts: Parts) -> str | None:
    """The draft's option; None if the passages deny it or it cannot be judged.

    Its reasons are checked as statements; an option that was chosen because the passages support it
    needs no other check. Without a critic it is always returned.
    """
    question, options, own = state["queries"][0], state["keyed_options"], state["draft"]
    choice = own["choice"] if options else None
    critic = None if as_drafted(options, context) else parts.critic(context)
    if choice is None or own["choice_probability"] is not None or critic is None:
        return choice
    passages = parts.passages([item["id"] for item in state["selected"]], context)
    key, turned = choice, asks_for_exception(question)
    if is_polar(options):
        word = options[choice].casefold()
        if word == "maybe":
            return choice
        key, turned = "yes", word == "no"
    support = option_supports(question, options, passages, critic).get(key)
    if support is None:
        return None
    denial = support.entailment if turned else support.contradiction
    least = context.verification.min_probability
    return None if denial > 0 and denial >= least else choice


def new_draft(statements: list[Statement], choice: str | None, chosen: float | None) -> Draft:
    """A draft with these statements, without a prompt or a problem."""
    return {
        "statements": statements,
        "found": bool(statements),
        "choice": choice,
        "choice_probability": chosen,
        "prompt": {},
        "problem": None,
    }
