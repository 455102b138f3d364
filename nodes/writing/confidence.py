"""The lines of an answer's text that say how far to trust it: confidence, and what is withheld."""

from anamnesis.language.text import comma_list
from nodes.checking.subject import only_another_subject
from nodes.checking.warning import warning_lines
from nodes.state import Answer
from nodes.writing.withheld import listed

UNCONFIRMED = "Not confirmed by the sources, so do not rely on it:"


def percent(share: float) -> str:
    """A probability for display; never rounded up to certainty or down to zero."""
    if share >= 0.995:
        return "over 99%"
    if share < 0.005:
        return "under 1%"
    return f"{share:.0%}"


def confidence_lines(answer: Answer) -> list[str]:
    """One line with both parts of the confidence; none if nothing is stated or first aid is given.

    A part that was not measured is left out.
    """
    if not answer["statements"] or answer["outcome"] == "urgent":
        return []
    confidence = answer["confidence"]
    parts = (
        (confidence["support"], "that the sources say all of this (support)"),
        (confidence["relevance"], "that this answers the question (relevance)"),
    )
    said = [f"{percent(value)} {what}" for value, what in parts if value is not None]
    return [f"Confidence: {', '.join(said)}"] if said else []


def withheld_lines(answer: Answer) -> list[str]:
    """The unconfirmed claims with their nearest sentences; the others are only counted."""
    named = [item for item in answer["withheld"] if listed(item)]
    lines = [f"\n{UNCONFIRMED}"] if named else []
    for item in named:
        if near := item["near"]:
            where = comma_list(near["title"], near["source"])
            lines.append(
                f"- “{item['text']}” Nearest in the sources: “{near['sentence']}” ({where})"
            )
            lines += warning_lines(near.get("warnings", []))
    counted = [item for item in answer["withheld"] if not listed(item)]
    other = sum(only_another_subject(item["failed"]) for item in counted)
    for count, why in (
        (len(counted) - other, "of the draft that the sources do not confirm"),
        (other, "about a different type or medicine than the question asks about"),
    ):
        if count:
            noun = "statement" if count == 1 else "statements"
            lines.append(f"\nNot shown: {count} {noun} {why}.")
    return lines
