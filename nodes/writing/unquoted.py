"""Why sentences that were read are not quoted: for the trace."""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import is_about_myths
from nodes.fields.codes import failed_check_text
from nodes.fields.passages import Dropped, Selected, dropped
from nodes.writing.extract import Extraction

_MYTHS = "its passage is about false beliefs"


def dropped_sentences(
    passages: Sequence[Passage], selected: Sequence[Selected], made: Extraction
) -> list[Dropped]:
    """The sentences that are not quoted, each with the one reason that dropped it and its figure.

    ``passages`` and ``selected`` are all that the generator was given, ``made`` is the extraction
    from those with enough relevance.
    """
    unquoted: list[Dropped] = []
    for entry, item in zip(passages, selected, strict=True):
        said = [
            statement["text"] for statement in made.statements if entry.id in statement["citations"]
        ]
        myths = is_about_myths(entry.heading, entry.text)
        for start, end, chance in item["sentences"]:
            text = entry.text[int(start) : int(end)]
            if not any(text in each or each in text for each in said):
                why = _MYTHS if myths else _reason(entry, item, made, (start, end), chance)
                unquoted.append(dropped(item, why, int(start), int(end)))
    return unquoted


def _reason(
    entry: Passage, item: Selected, made: Extraction, place: tuple[float, float], chance: float
) -> str:
    """What dropped a sentence at ``place`` that a good answer quotes with probability ``chance``.

    Checked in the order in which the generator drops them.
    """
    start, end = place
    if not entry.text[int(start) : int(end)].strip():
        return "it or its passage fails a safety check"
    units = made.found.get(entry.id, [])
    unit = next((one for one in units if start < one.span.end and end > one.span.start), None)
    if unit in made.off_subject:
        return f"it fails the check {failed_check_text(made.off_subject[unit])}"
    if item["relevance"] < made.least_relevance:
        return f"relevance of the passage {item['relevance']:.2f}, below {made.least_relevance:.2f}"
    if unit is None:
        return f"probability of the sentence {chance:.2f}, but it is no claim by itself"
    # What is quoted is in none of the lists: a qualification of it may have been added whole.
    return made.reasons_not_quoted.get(
        unit, f"probability of the sentence {chance:.2f}, quoted in part"
    )
