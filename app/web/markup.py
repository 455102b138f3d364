"""HTML in small pieces. Whatever is not markup already is escaped as it is put in."""

from collections.abc import Iterable

from markupsafe import Markup, escape

__all__ = ["Markup", "escape", "html", "joined", "link", "marked", "notice", "percent"]


def html(template: str, *parts: object, **named: object) -> Markup:
    """The template with its ``{}`` filled; text that is put in stays text."""
    return Markup(template).format(*parts, **named)


def joined(parts: Iterable[Markup | str]) -> Markup:
    """The parts one after the other."""
    return Markup("").join(parts)


def link(url: str, text: str) -> Markup:
    """A link that opens beside the page; the text alone where the address is no web page."""
    if not url.lower().startswith(("https://", "http://")):
        return escape(text)
    return html(
        '<a href="{}" target="_blank" rel="noopener noreferrer">{}'
        '<span class="unseen"> (opens in a new tab)</span></a>',
        url,
        text,
    )


def marked(text: str, start: int, end: int) -> Markup:
    """The text with ``text[start:end]`` highlighted; without, where there is no such place."""
    if not 0 <= start < end <= len(text):
        return escape(text)
    return html("{}<mark>{}</mark>{}", text[:start], text[start:end], text[end:])


def notice(kind: str, title: str, text: str = "") -> Markup:
    """A panel that says one thing. ``kind`` is ``quiet``, ``error`` or ``urgent``."""
    role = "status" if kind == "quiet" else "alert"
    paragraphs = joined(html("<p>{}</p>", part) for part in text.split("\n\n") if part)
    return html(
        '<div class="notice {}" role="{}"><h3>{}</h3>{}</div>', kind, role, title, paragraphs
    )


def percent(share: float) -> str:
    """A probability for a reader; never rounded up to certainty, nor down to nothing."""
    if share >= 0.995:
        return "over 99%"
    if share < 0.005:
        return "under 1%"
    return f"{share:.0%}"
