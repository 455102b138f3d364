"""A draft that quotes passages or chooses an option by them, without a chat model."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from anamnesis import ModelError
from anamnesis.corpus.passage import Passage
from anamnesis.models.sentence_vectors import vectors_of
from nodes.checking.judge import judge
from nodes.checking.other_sources import with_others
from nodes.checking.statements import unchecked_statement
from nodes.checking.subject import dose_not_asked, questions_asked
from nodes.choosing.choice import choose_option, new_draft
from nodes.choosing.nearest import choose_nearest
from nodes.evidence.safety import all_safe
from nodes.evidence.unused import insufficient
from nodes.parts import Parts
from nodes.question.several import merged_draft, question_states
from nodes.settings.context import Context, unweighed
from nodes.settings.derived import least_relevance
from nodes.state import Round, State, Statement, Update
from nodes.writing.extract import extract_quotations
from nodes.writing.unquoted import dropped_sentences
from nodes.writing.weighing import source_ranks

_log = logging.getLogger(__name__)


def usable_passages(state: State, context: Context, parts: Parts) -> list[Passage]:
    """The selected passages, with blanks in place of text that must not be used.

    That is unsafe text, and a maximum dose that nobody asks for (``dose_not_asked``).
    """
    passages = parts.passages([item["id"] for item in state["selected"]], context)
    return [
        replace(page, text=" " * len(page.text)) if dose_not_asked(state, page) else page
        for page in all_safe(passages)
    ]


def quoted_draft(
    state: State, context: Context, parts: Parts, passages: Sequence[Passage]
) -> Update:
    """A draft that quotes the relevant passages or, if there are options, chooses one by them.

    Unlike a chat model, the extractive generator cannot judge which passages help, so it uses only
    those that reach the threshold.
    """
    question, options = state["queries"][0], state["keyed_options"]
    least = least_relevance(options, context, part=bool(state.get("sub_questions")))
    both = zip(passages, state["selected"], strict=True)
    read = [
        (passage, item)
        for passage, item in both
        if passage.text.strip() and item["relevance"] >= least
    ]
    fitting = [passage for passage, _ in read]
    if options:
        unused = insufficient(state["selected"], least)
        if unweighed(options, context):
            vectors = vectors_of(parts.index(context).embedder)
            return {"draft": choose_nearest(question, options, fitting, vectors), "dropped": unused}
        chooser, least = parts.chooser(context), context.verification.min_choice_probability
        try:
            draft = choose_option(question, options, fitting, chooser, least)
            return {"draft": draft, "dropped": unused}
        except ModelError as error:
            if not parts.continues_after(error):
                raise
            _log.error("no option is chosen, because the critic failed: %s", error)
            return {"draft": new_draft([unchecked_statement(question, [])], None, None)}
    made = extract_quotations(
        fitting,
        [item for _, item in read],
        least,
        context.generator.max_statements,
        source_rank=source_ranks(context),
        question=question,
        checked_question="" if context.verification.verdicts == "entailment" else question,
    )
    unused = dropped_sentences(passages, state["selected"], made)
    return {"draft": new_draft(made.statements, None, None), "dropped": unused}


def quoted_instead(
    state: State,
    best: Mapping[int, Round],
    supported: Sequence[Statement],
    unconfirmed: Sequence[Statement],
    context: Context,
    parts: Parts,
) -> dict[int, list[Statement]]:
    """Quotations, by the number of the question, if all its statements were withheld."""
    there = {item.get("part", 0) for item in supported}
    found: dict[int, list[Statement]] = {}
    for number, entry in question_states(state):
        withheld = [item for item in unconfirmed if item.get("part", 0) == number]
        if withheld and number not in there and not best[number].get("problem"):
            found[number] = _quoted(entry, number, withheld, context, parts)
    return {number: quoted for number, quoted in found.items() if quoted}


def _quoted(
    state: State, number: int, unconfirmed: Sequence[Statement], context: Context, parts: Parts
) -> list[Statement]:
    """Supported quotations for a question on which everything that a chat model wrote was withheld.

    ``state`` is the view of the state for question ``number``. Empty if the statements were not
    checked, if there is no chat model, or, on a server, if the critic fails.
    """
    critic = parts.critic(context)
    checked = all(item["probability"] is not None for item in unconfirmed)
    if not checked or critic is None or parts.chat(context) is None:
        return []
    passages = usable_passages(state, context, parts)
    made = merged_draft([(number, quoted_draft(state, context, parts, passages)["draft"])])
    found = parts.passages([hit["id"] for hit in state["hits"]], context)
    try:
        judged = judge(
            made["statements"],
            passages,
            critic,
            context.verification.min_probability,
            found,
            questions_asked(state),
        )
    except ModelError as error:
        if not parts.continues_after(error):
            raise
        _log.error("withheld statements are not replaced, because the critic failed: %s", error)
        return []
    judged = with_others(judged, state["queries"][0], context, parts)
    return [item for item in judged if item["verdict"] == "supported"]
