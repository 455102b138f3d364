"""Small pieces of HTML. Text that is not yet markup is escaped when it is inserted."""

from collections.abc import Iterable

from markupsafe import Markup, escape

from nodes.writing.confidence import percent

__all__ = ["Markup", "escape", "html", "joined", "link", "marked", "notice", "percent"]


def html(template: str, *parts: object, **named: object) -> Markup:
    """The template with its ``{}`` filled in; inserted text is escaped."""
    return Markup(template).format(*parts, **named)


def joined(parts: Iterable[Markup | str]) -> Markup:
    """The concatenated parts."""
    return Markup("").join(parts)


def link(url: str, text: str) -> Markup:
    """A link that opens in a new tab; only the text if the address is not a web page."""
    if not url.lower().startswith(("https://", "http://")):
        return escape(text)
    return html(
        '<a href="{}" target="_blank" rel="noopener noreferrer">{}'
        '<span class="unseen"> (opens in a new tab)</span></a>',
        url,
        text,
    )


def marked(text: str, start: int, end: int) -> Markup:
    """The text with ``text[start:end]`` highlighted, if that is a valid range."""
    if not 0 <= start < end <= len(text):
        return escape(text)
    return html("{}<mark>{}</mark>{}", text[:start], text[start:end], text[end:])


def notice(kind: str, title: str, text: str = "") -> Markup:
    """A panel with one message. ``kind`` is ``quiet``, ``error`` or ``urgent``."""
    role = "status" if kind == "quiet" else "alert"
    paragraphs = joined(html("<p>{}</p>", part) for part in text.split("\n\n") if part)
    return html(
        '<div class="notice {}" role="{}"><h3>{}</h3>{}</div>', kind, role, title, paragraphs
    )
