"""Apply the operator's limits to the question, the options and the messages."""

from collections.abc import Mapping, Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from anamnesis.limits import check, limits


def check_question(asked: str) -> None:
    """Raise LimitError for a question that is too long."""
    check("the question", len(asked), "characters", limits().question, "ask in fewer words")


def check_options(given: object) -> None:
    """Raise LimitError for too many options or one that is too long; nothing else is checked."""
    allowed = limits()
    if not isinstance(given, Mapping | list | tuple):
        return
    check("the question", len(given), "options", allowed.options, "give fewer")
    texts = [*given, *given.values()] if isinstance(given, Mapping) else [*given]
    for text in texts:
        if isinstance(text, str):
            check("an option", len(text), "characters", allowed.option, "give it in fewer words")


def recent_messages(earlier: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The last messages before the question, each truncated to the limit."""
    allowed = limits()
    return [_cut(message, allowed.message) for message in earlier[-allowed.messages :]]


def _cut(message: AnyMessage, most: int) -> AnyMessage:
    if isinstance(message, HumanMessage | AIMessage) and len(message.text) > most:
        return message.model_copy(update={"content": message.text[:most]})
    return message
