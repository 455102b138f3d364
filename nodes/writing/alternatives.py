"""Other answers to the question, from the next documents [R9]."""

from collections.abc import Mapping, Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import is_about_myths
from anamnesis.language.text import comma_list
from nodes.checking.other_sources import Disputed
from nodes.checking.warning import warning_lines
from nodes.evidence.safety import all_safe
from nodes.fields.passages import Near, ReadPassage
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.settings.derived import least_relevance
from nodes.state import Source, State
from nodes.writing.reading_list import nearest_pages

HEADING = "Other answers, each a sentence of another document; no statement is based on it:"


def alternatives(
    read: Sequence[ReadPassage],
    passages: Mapping[str, Passage],
    used: Sequence[str],
    threshold: float,
    most: int,
    disputed: Disputed,
) -> list[Near]:
    """Up to ``most`` sentences, each the one of another record that is nearest to the question.

    ``read`` are the passages that the reader has read, best first; those of the records ``used`` in
    the answer are left out, those that are less relevant than ``threshold``, pages about myths, and
    sentences that other sources disagree with (``disputed``). Of equal sentences the first stays.
    """
    others = [
        item
        for item in read
        if item["relevance"] >= threshold
        and (other := passages.get(item["id"]))
        and other.record_id not in used
        and not is_about_myths(other.heading, other.text)
    ]
    found = nearest_pages(others, passages, disputed, most=len(others), neighbours=False)
    different: dict[str, Near] = {}
    for page in found:
        different.setdefault(page["sentence"].casefold(), page)
    return list(different.values())[:most]


def other_answers(
    state: State, sources: Sequence[Source], context: Context, parts: Parts, disputed: Disputed
) -> list[Near]:
    """As many as the settings specify, each with the relevance that a quotation needs [R9]."""
    if not context.generator.alternatives:
        return []
    read = state["read"]
    ids = list(dict.fromkeys(item["id"] for item in read))
    found = all_safe(parts.passages(ids, context))
    used = [entry["id"] for entry in sources]
    by_id = {entry.id: entry for entry in found}
    least = least_relevance({}, context)
    return alternatives(read, by_id, used, least, context.generator.alternatives, disputed)


def alternative_lines(found: Sequence[Near]) -> list[str]:
    """The alternatives as lines for the user."""
    shown = [f"\n{HEADING}"] if found else []
    for page in found:
        details = comma_list(page["title"], page["source"], page["url"])
        shown.append(f"- “{page['sentence']}” ({details})")
        shown += warning_lines(page.get("warnings", []))
    return shown
