"""Render an answer as text."""

from collections.abc import Iterator, Mapping, Sequence

from anamnesis.language.text import comma_list
from nodes.checking.warning import warning_lines
from nodes.fields.codes import Reason
from nodes.fields.passages import Near
from nodes.fields.recalled import Memory
from nodes.question.triage import is_answered_by_first_aid
from nodes.settings.help_lines import help_lines
from nodes.state import Answer, Part, Statement, Urgency
from nodes.writing.confidence import confidence_lines, withheld_lines

_FALLBACK: dict[Reason, str] = {
    "nothing_asked": "Ask a medical question, and the documents will be searched for an answer.",
    "no_evidence": "Not found: the documents searched contain nothing on this question.",
    "weak_evidence": "Not found: nothing in the documents searched is relevant enough to "
    "answer this question.",
    "not_found": "Not found: the nearest documents do not contain an answer.",
    "undecided": "Not found: the documents searched do not decide between the options.",
    "unsupported": "Not found: a draft answer could not be confirmed by the documents searched, "
    "so it is not shown.",
    "unchecked": "Not checked: the model that compares an answer with the documents did not "
    "answer, so a draft answer is not shown. Ask again later.",
}
# Note on an unchecked option.
NEAREST = (
    "This option was chosen because the documents are closest to it, or because a fact links it "
    "to the question. Whether the documents or the fact support it was not checked."
)
# Notes on an answer that is quoted because the chat model's cannot be used.
SILENT = "The model did not answer; this is quoted from the documents."
WITHHELD = "The sources do not confirm what the model wrote; this is quoted from the documents."
UNUSED = "The documents are quoted, because the chat model's answer is not used: "
QUOTED_USER = "These words of yours are closest to the question; your memories may contain more."
DRAFTED = "The chat model chose this option; whether the documents support it was not checked."
_CHOSEN = {
    "nearest": "Nearest to the sources, not checked",
    "draft": "The draft's choice, not checked",
    "sources": "Best supported by the sources",
}
_ADVICE = "A pharmacist, nurse or doctor can help with this question."
_VERDICTS = {"yes": "Yes", "no": "No", "depends": "It depends"}
NEITHER_FOUND = "Neither a yes nor a no was found."
"""The text for a yes/no question to which nothing is stated."""
SEE_SOMEONE = (
    "See a doctor today, or call a medical advice line: what you describe should not wait."
)
DISAGREE = "Sources disagree"
_READING = "Related pages, which do not answer this directly:"
_OTHER_PAGES = "Other pages that may answer this; no statement above is based on them:"
UNANSWERED = "No answer was found to:"
UNSURE = "It is uncertain whether this answers the question."
ABOVE = "For this question the same statements were found; see above."
"""The text in place of statements on a question that repeat those on an earlier question."""


def crisis_text(country: str | None) -> str:
    """Whom to call about thoughts of self-harm."""
    return f"If you are thinking of harming yourself, call {help_lines(country).crisis}."


def crisis_comes_first(urgent: Urgency) -> bool:
    """Whether a crisis line precedes the answer; otherwise, if one is named, it ends the answer.

    It precedes the answer to an emergency, and to words that probably mean self-harm.
    """
    return urgent["crisis"] and (urgent["level"] == "emergency" or urgent.get("no_doses", False))


def urgent_text(kind: str, country: str | None, crisis: bool) -> str:
    """The text for a kind of emergency (``anamnesis.models.reading.URGENCY_KINDS``)."""
    lines = help_lines(country)
    if kind == "self-harm":
        return (
            "You do not have to go through this alone. If you are in immediate danger, or if "
            "somebody has taken something or is hurt, call "
            f"{lines.emergency} now, even if all seems well. To talk to someone right away, call "
            f"{lines.crisis}."
        )
    text = f"This may be an emergency. Call {lines.emergency} now. Do not wait for an answer here."
    text += _poison_text(kind, country)
    if crisis:
        text += f" {crisis_text(country)}"
    return text


def possible_text(kind: str, country: str | None) -> str:
    """The first note of an answer to what may be an emergency (``Urgency.possible``)."""
    return (
        "If this came on suddenly, is severe or getting worse, or began after a poison or too "
        "much of a medicine was taken, it may be an emergency: call "
        f"{help_lines(country).emergency} now, and do not wait for an answer here."
        f"{_poison_text(kind, country)}"
    )


def _with_steps_text(kind: str, country: str | None, crisis: bool) -> str:
    """The text before the first-aid steps that answer what may be an emergency."""
    text = (
        f"This may be an emergency. If it is, call {help_lines(country).emergency} now, and do not "
        f"wait for an answer here.{_poison_text(kind, country)}"
    )
    return f"{text} {crisis_text(country)}" if crisis else text


def _poison_text(kind: str, country: str | None) -> str:
    if kind != "poisoning":
        return ""
    poison = help_lines(country).poison
    return f" For advice on poisoning or an overdose of a medicine, call {poison}."


def render(answer: Answer, urgent: Urgency, country: str | None) -> tuple[str, int]:
    """The answer as text, and how many of its characters are the notes and the statements.

    Statements have [1] markers; the sources and other lists are below them.
    """
    above = _notes_and_statements(answer, urgent, country)
    silent = answer["outcome"] == "urgent" and not answer["statements"]
    below = [] if silent or answer["outcome"] == "abstained" else _lists_below(answer)
    return "\n".join([above, *below]), len(above)


def _notes_and_statements(answer: Answer, urgent: Urgency, country: str | None) -> str:
    """The notes and the statements, without the lists below them."""
    if answer["outcome"] == "urgent":
        text = _with_steps_text if is_answered_by_first_aid(urgent) else urgent_text
        call = text(urgent["kind"], country, urgent["crisis"])
        if not answer["statements"]:
            return call
        return "\n".join([f"{call}\n", "Until help comes:", *_statements(answer)])
    first = [f"{SEE_SOMEONE}\n"] if urgent["level"] == "urgent" else []
    if answer["outcome"] == "abstained":
        return "\n\n".join([*(line.strip() for line in first), *_abstained(answer)])
    lines = [*first, *(f"{note}\n" for note in [*answer["notes"], *_warnings(answer)])]
    if answer["verdict"]:
        lines.append(verdict_line(answer))
    return "\n".join([*lines, *_statements(answer)])


def _abstained(answer: Answer) -> list[str]:
    """The parts of an answer that states nothing."""
    parts = [*_warnings(answer), *answer["notes"], why_nothing(answer)]
    parts += clarifying_lines(answer)
    if answer["nearest"]:
        parts.append("\n".join([_READING, *_pages(answer["nearest"])]))
    return [*parts, *advice_lines(answer)]


def why_nothing(answer: Answer) -> str:
    """Why an answer states nothing."""
    said = _FALLBACK.get(answer["reason"], _FALLBACK["not_found"])
    open_ = f" {NEITHER_FOUND}" if answer["verdict"] == "not_found" else ""
    return f"{said}{open_}"


def _warnings(answer: Answer) -> list[str]:
    """The warnings on what the question mentions, each as a line."""
    return [line.strip() for line in warning_lines(answer.get("warnings", []))]


def clarifying_lines(answer: Answer) -> list[str]:
    """The question which topic is meant, if two may be."""
    topics = " or ".join(f"about {topic}" for topic in answer["clarify"])
    return [f"Is your question {topics}?"] if topics else []


def advice_lines(answer: Answer) -> list[str]:
    """When to seek care, or who can help if nothing was found."""
    silent = answer["outcome"] == "abstained" and answer["reason"] != "nothing_asked"
    return answer["advice"] or ([_ADVICE] if silent else [])


def _pages(nearest: Sequence[Near]) -> Iterator[str]:
    """The lines that list pages to read."""
    for page in nearest:
        details = comma_list(page["source"], page["url"])
        quoted = f": “{page['sentence']}”" if page["sentence"] else ""
        yield f"- {page['title'] or page['id']}" + (f" ({details})" if details else "") + quoted
        yield from warning_lines(page.get("warnings", []))


def _statements(answer: Answer) -> list[str]:
    """The lines of the chosen option and of the statements."""
    number = {source["id"]: place for place, source in enumerate(answer["sources"], 1)}
    lines = []
    if answer["choice"] is not None:
        lines.append(f"{chosen_line(answer)}: {_option(answer['choice'], answer['options'])}\n")
    for place, (heading, entry) in enumerate(by_question(answer)):
        if heading:
            lines += [*([""] if place else []), *_heading(heading)]
            lines += [ABOVE] if heading["answered"] and not entry else []
        for item, topic in with_topics(entry):
            lines += [topic] if topic else []
            lines += _statement(item, answer, number)
    return lines


def with_topics(statements: Sequence[Statement]) -> Iterator[tuple[Statement, str]]:
    """Each statement, with a line before the first one from a page that names its topic, or ''."""
    before = None
    for item in statements:
        topic = item.get("topic")
        yield item, f"On “{topic}”:" if topic and topic != before else ""
        before = topic


def _lists_below(answer: Answer) -> list[str]:
    """The lines of unconfirmed claims, of advice and memories, and of the sources."""
    lines = withheld_lines(answer)
    lines += [f"\n{line}" for line in answer["advice"]]
    if others := answer.get("alternatives"):
        lines += [f"\n{_OTHER_PAGES}", *_pages(others)]
    if answer["memories"]:
        lines.append("\nRemembered, but not a source of the answer:")
        lines += [f"- {memory_line(memory)}" for memory in answer["memories"]]
    lines += [f"\n{line}" for line in confidence_lines(answer)]
    if answer["sources"]:
        lines.append("\nSources")
    for place, source in enumerate(answer["sources"], 1):
        details = comma_list(
            source.get("type"), source["source"], source.get("date"), source["url"]
        )
        lines.append(
            f"[{place}] {source['title'] or source['id']}" + (f" ({details})" if details else "")
        )
    return lines


def _statement(item: Statement, answer: Answer, number: Mapping[str, int]) -> Iterator[str]:
    """The lines of a statement, with the sentence of another source that contradicts it."""
    markers = "".join(f"[{number[cited]}]" for cited in item["citations"])
    unchecked = " (not checked)" if item["verdict"] == "unchecked" else ""
    yield f"{item['text']} {markers}".rstrip() + unchecked
    yield from warning_lines(item.get("warnings", []))
    if against := item["conflict"]:
        texts = {source["id"]: source["text"] for source in answer["sources"]}
        other = texts[against["document"]][against["start"] : against["end"]]
        disagree = "A stronger or newer source disagrees" if item.get("outweighed") else DISAGREE
        yield f"  {disagree}: “{other}” [{number[against['document']]}]"


def by_question(answer: Answer) -> list[tuple[Part | None, list[Statement]]]:
    """The statements, grouped by question if there are several; a repeated one only once."""
    if not answer["parts"]:
        return [(None, answer["statements"])]
    first = {item["text"]: item.get("part") for item in reversed(answer["statements"])}
    found: list[tuple[Part | None, list[Statement]]] = []
    for number, part in enumerate(answer["parts"], 1):
        statements = [item for item in answer["statements"] if item.get("part") == number]
        found.append((part, [item for item in statements if first[item["text"]] == number]))
    return found


def _heading(part: Part) -> Iterator[str]:
    """The heading of the statements on one of several questions, or the text if there are none."""
    yield f"“{part['question']}”" if part["answered"] else f"{UNANSWERED} “{part['question']}”"
    if note := part.get("note"):
        yield note
    if part["answered"] and part["verdict"]:
        yield verdict_line(part)
    if part["nearest"] and not part["answered"]:
        yield _READING
        yield from _pages(part["nearest"])


def verdict_line(answer: Answer | Part) -> str:
    """The sources' answer to a yes/no question, shown before the statements."""
    word = _VERDICTS[answer["verdict"]] if answer["verdict"] else ""
    return f"{word}, according to the source:"


def memory_line(memory: Memory) -> str:
    """A memory as one line for a prompt or an answer; an expert's note is marked as such."""
    text = " — ".join(memory["text"].splitlines())
    return f"An expert's note: {text}" if memory["scope"] == "expert" else text


def chosen_line(answer: Answer) -> str:
    """A label for the chosen option that claims no more than was checked."""
    return _CHOSEN[answer.get("chosen_by") or "draft"]


def _option(key: str, options: Mapping[str, str]) -> str:
    """An option as text: 'B. aspirin', or the word of a yes/no question."""
    text = options[key]
    return text if text.casefold() == key.casefold() else f"{key}. {text}"
