"""Pages on different topics that answer a question that does not name its topic.

'What are the symptoms of diabetes?' has two answers if there is a page for each type: the reader
gives each a low probability, because the question may mean the other.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log, prod

from anamnesis.corpus.passage import Passage
from anamnesis.language.text import tokenize
from anamnesis.language.words import has_words_of
from anamnesis.models.encoder import Vectors
from anamnesis.models.reader import OwnReader
from anamnesis.models.reading import log_odds
from anamnesis.models.sentence_vectors import vectors_of
from nodes.fields.passages import Selected
from nodes.parts import Parts
from nodes.question.several import question_states
from nodes.settings.context import Context
from nodes.settings.derived import least_relevance
from nodes.state import State, Statement

ALIKE = 0.85
"""Minimum cosine similarity of the headings of two pages that answer the same question.

Of 147 held-out messages that no page answers by itself, 1 is answered, and its first page helps; at
.7, 4 are, but the first page of 2 has grade 0 (`python -m benchmarks.bounds`).
"""
LEAST = 0.1
"""Minimum relevance of a sibling; on the same messages .05 and .15 perform about as well."""
OPEN = 0.25
"""Minimum odds of a sibling, relative to the best page's, if that page answers by itself: if a
question names its topic, the odds of the page on that topic are ten times as high."""
NOTE = "The question may be about {}. The title of each source says which of these it is about."
"""The note if pages on several topics are quoted."""


def judged_together(
    selected: Sequence[Selected], question: str, state: State, context: Context, parts: Parts
) -> list[Selected]:
    """The passages; pages on several topics are judged together if the question leaves it open.

    ``question`` is the one that they were found for, which may be a part of the message.

    That is done only with the project's reader, and never for a question with options.
    """
    options = state["keyed_options"]
    if options or not isinstance(parts.reader(context), OwnReader):
        return list(selected)
    near = parts.find([item["id"] for item in selected], context)
    least = least_relevance(options, context, part=bool(state.get("sub_questions")))
    vectors = vectors_of(parts.index(context).embedder)
    return with_siblings(selected, near, least, vectors, question=question)


def with_siblings(
    selected: Sequence[Selected],
    passages: Mapping[str, Passage],
    threshold: float,
    vectors: Callable[[Sequence[str]], Vectors],
    alike: float = ALIKE,
    question: str = "",
) -> list[Selected]:
    """The passages, the best one and its siblings with the probability that one of them answers.

    They are unchanged if their joint probability is below ``threshold``, if the best one reaches
    it by itself and no sibling has nearly its odds (``OPEN``), or if the question names the topic
    of one of them: 'ibuprofen with paracetamol' is no question on antibiotics. ``vectors`` returns
    the headings' unit vectors (n, dimensions).
    """
    near = [item for item in selected if item["relevance"] >= LEAST and item["id"] in passages]
    best = max(near, key=lambda item: item["relevance"], default=None)
    if best is None or at_least_one(near) < threshold:
        return list(selected)
    if best["relevance"] >= threshold:
        bound = log_odds(best["relevance"]) + log(OPEN)
        near = [item for item in near if log_odds(item["relevance"]) >= bound]
    found = siblings(best, near, passages, vectors, alike)
    chance = at_least_one(found)
    if len(found) == 1 or chance < threshold:
        return list(selected)
    keys = {item["id"] for item in found}
    topics = [passages[item["id"]].focus for item in found]
    if any(has_words_of(question, topic) for topic in topics):
        return list(selected)
    # One topic's answer to a yes/no question (``polar``) does not hold for the other topic.
    return [
        {**item, "relevance": round(chance, 4), "topics": topics, "polar": {}}
        if item["id"] in keys
        else item
        for item in selected
    ]


def siblings(
    best: Selected,
    near: Sequence[Selected],
    passages: Mapping[str, Passage],
    vectors: Callable[[Sequence[str]], Vectors],
    alike: float = ALIKE,
) -> list[Selected]:
    """The best passage, and from each other topic the first one with a similar heading.

    A subtype of the best passage's topic does not count as another topic.
    """
    page = passages[best["id"]]
    topics = {page.focus.casefold()}
    words = set(tokenize(page.focus))
    rest: list[Selected] = []
    for item in near:
        topic = passages[item["id"]].focus.casefold()
        # A page on cataract answers for congenital cataract as well, not the other way round.
        if topic and topic not in topics and not words <= set(tokenize(topic)):
            topics.add(topic)
            rest.append(item)
    if not page.focus or not rest:
        return [best]
    first, *others = vectors([page.heading, *(passages[item["id"]].heading for item in rest)])
    both = zip(rest, others, strict=True)
    return [best, *(item for item, vector in both if first @ vector >= alike)]


def at_least_one(found: Sequence[Selected]) -> float:
    """The probability that at least one of the passages answers, if they are independent."""
    return 1 - prod(1 - item["relevance"] for item in found)


def left_open(state: State, statements: Sequence[Statement]) -> list[str]:
    """The notes for the user if a question does not say which of several topics is meant."""
    notes = []
    for number, entry in question_states(state):
        mine = [item for item in statements if item.get("part", 0) == number]
        cited = {key for item in mine for key in item["citations"]}
        found = (
            item["topics"] for item in entry["selected"] if item["id"] in cited and "topics" in item
        )
        if topics := next(found, []):
            notes.append(NOTE.format(" or ".join(topics)))
    return notes
