"""Other pages that may answer the question, besides the cited ones [R9]."""

from collections.abc import Mapping, Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import is_about_myths
from nodes.checking.other_sources import Disputed
from nodes.checking.subject import (
    dose_not_asked,
    on_another_kind,
    on_another_member,
    on_another_subject,
    on_unasked_mishap,
    questions_asked,
)
from nodes.evidence.safety import all_safe
from nodes.fields.passages import Near, ReadPassage
from nodes.parts import Parts
from nodes.question.several import question_states, unanswered
from nodes.settings.context import Context
from nodes.settings.derived import least_relevance
from nodes.state import Source, State, Statement
from nodes.writing.reading_list import nearest_pages
from nodes.writing.weighing import is_weaker, source_ranks


def alternatives(
    read: Sequence[ReadPassage],
    passages: Mapping[str, Passage],
    most: int,
    disputed: Disputed,
) -> list[Near]:
    """Up to ``most`` pages, each with its sentence that a good answer most probably quotes.

    ``read`` are passages that the reader has read, the most relevant first; only those in
    ``passages`` are used. Left out are pages about myths, and sentences that other sources disagree
    with (``disputed``). Of equal sentences the first stays.
    """
    others = [
        item
        for item in read
        if (other := passages.get(item["id"])) and not is_about_myths(other.heading, other.text)
    ]
    found = nearest_pages(others, passages, disputed, most=len(others), neighbours=False)
    different: dict[str, Near] = {}
    for page in found:
        different.setdefault(page["sentence"].casefold(), page)
    return list(different.values())[:most]


def other_answers(
    state: State,
    statements: Sequence[Statement],
    sources: Sequence[Source],
    context: Context,
    parts: Parts,
    disputed: Disputed,
) -> list[Near]:
    """As many pages as the settings specify, each with the relevance that a quotation needs [R9].

    If there are several questions, they are pages for those with a statement. Left out are the
    cited pages, those that are weaker than the strongest page cited for the question
    (``nodes.writing.weighing``), and those that a check of the subject turns down, as for
    quotations (``nodes.checking.subject``). None are listed in a possible emergency, because they
    could delay the call. Judges found for 46 of 366 answers that a listed page answers what the
    statements do not, and 4 of the 370 listed pages misleading (`python -m
    benchmarks.other_pages`).
    """
    if not context.generator.alternatives or state["urgency"].get("possible"):
        return []
    ids = list(dict.fromkeys(item["id"] for item in state["read"]))
    found = {
        page.id: page
        for page in all_safe(parts.passages(ids, context))
        if not dose_not_asked(state, page)
    }
    used, missing = {entry["id"] for entry in sources}, unanswered(state, statements)
    questions, rank = questions_asked(state), source_ranks(context)
    others: list[ReadPassage] = []
    for number, view in question_states(state):
        if number in missing:
            continue
        least = least_relevance({}, context, part=number > 0)
        read = [item for item in view["read"] if item["id"] in found]
        cited = [rank(found[item["id"]]) for item in read if found[item["id"]].record_id in used]
        others += [
            item
            for item in read
            if item["relevance"] >= least
            and (page := found[item["id"]]).record_id not in used
            and not is_weaker(rank(page), cited)
            and _fits(questions.get(number, ""), page, page.text[item["start"] : item["end"]])
        ]
    if state.get("sub_questions"):
        others.sort(key=lambda item: -item["relevance"])
    return alternatives(others, found, context.generator.alternatives, disputed)


def _fits(question: str, page: Passage, sentence: str) -> bool:
    """Whether a page and its sentence are about the kind and medicine of a question, if any."""
    return not question or not (
        on_another_subject(question, page)
        or on_another_kind(question, sentence)
        or on_another_member(question, page, sentence)
        or on_unasked_mishap(question, page)
    )
