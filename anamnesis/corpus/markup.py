"""Plain text from Markdown, and HTML prepared for a parser that loses its layout."""

import re

_BLOCK = (
    "address|article|blockquote|body|caption|dd|div|dl|dt|fieldset|figcaption|figure|form|h[1-6]|"
    "hr|main|ol|p|pre|section|table|tbody|thead|title|tr|ul"
)
_BLOCK_TAG = re.compile(rf"(</?(?:{_BLOCK})\b[^<>]*>)", re.IGNORECASE)
_ITEM_TAG = re.compile(r"(<li\b[^<>]*>)", re.IGNORECASE)
_LINE_TAG = re.compile(r"(<br\b[^<>]*>)", re.IGNORECASE)
_CELL_END = re.compile(r"(</t[dh]\s*>)", re.IGNORECASE)
_LEFT_OUT_START = re.compile(
    r"<!--|<(script|style|noscript|template|nav|footer|aside|button|select)\b", re.IGNORECASE
)

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:(.*)$", re.MULTILINE)
_COMMENT_START = re.compile(r"<!--")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*)$", re.MULTILINE)
_UNDERLINED = re.compile(r"^(\S.*)\n(?:=+|-{2,})[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^ {0,3}(?:[-*_][ \t]*+){3,}+$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~).*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^)\s]{0,1000}(?:\s+\"[^\"]{0,300}\")?\)|\[[^\[\]]*\])")
_LINK_TARGET = re.compile(r"^ {0,3}\[[^\[\]\n]+\]:[ \t]+\S+.*$", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|`{1,3})(?=\S)(.{1,300}?)(?<=\S)\1(?![\w*])")
_QUOTE = re.compile(r"^ {0,3}>[ \t]?", re.MULTILINE)


def separate_blocks(html: str) -> str:
    """HTML whose plain text keeps paragraphs and list items apart.

    A parser reads ``<p>a</p><p>b</p>`` as "ab", and keeps the line breaks of wrapped lines. So
    blanks are collapsed as in a browser, and line breaks are added where a browser shows them.
    Comments are left out, and elements that are not the page's text: scripts, styles, templates,
    navigation, asides, footers, buttons and selections.
    """
    html = " ".join(_replace_delimited(_LEFT_OUT_START, " ", html).split())
    html = _BLOCK_TAG.sub("\n\n\\1\n\n", html)
    html = _ITEM_TAG.sub("\n\\1- ", html)
    return _CELL_END.sub("\\1 ", _LINE_TAG.sub("\\1\n", html))


def plain_markdown(markdown: str) -> tuple[str, str]:
    """The title and the plain text of a Markdown document.

    The title is the first heading, otherwise that of the front matter, otherwise "". Of the text,
    the front matter, comments, rules and the targets of links are left out. The marks of headings,
    emphasis, links, quotations and code are removed, but not their words; lists and tables keep
    theirs. Each heading becomes a paragraph. A line of code that begins with # counts as a heading.
    """
    markdown = markdown.replace("\r\n", "\n")
    front = _FRONT_MATTER.match(markdown)
    body = _replace_delimited(_COMMENT_START, "", markdown[front.end() :] if front else markdown)
    body = _FENCE.sub("", _UNDERLINED.sub(r"# \1", body))
    body = _LINK_TARGET.sub("", _RULE.sub("", body))
    body = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", _QUOTE.sub("", body)))
    first = _HEADING.search(body)
    front_title = _FRONT_TITLE.search(front[1]) if front else None
    title = _heading(first) if first else _unquoted(front_title[1]) if front_title else ""
    return " ".join(title.split()), _HEADING.sub(lambda found: f"\n{_heading(found)}\n", body)


def _heading(found: re.Match[str]) -> str:
    """A heading's words without the marks that may close it."""
    words: str = found[1]
    return words.rstrip(" \t").rstrip("#").rstrip(" \t")


def _unquoted(words: str) -> str:
    words = words.strip(" \t")
    words = words[1:] if words[:1] in ("'", '"') else words
    return words[:-1] if words[-1:] in ("'", '"') else words


def _replace_delimited(opening: re.Pattern[str], instead: str, text: str) -> str:
    """Replace each part from an opening mark to its closing mark; a part without one stays.

    Once a closing mark is known to be missing, the rest of the text is not searched for it again.
    """
    kept, at = [], 0
    never: set[str] = set()
    for found in opening.finditer(text):
        name = (found[1] if opening.groups else None) or ""
        closing = rf"</{name}\s*>" if name else "-->"
        if found.start() < at or closing.lower() in never:
            continue
        closed = re.compile(closing, re.IGNORECASE).search(text, found.end())
        if closed is None:
            never.add(closing.lower())
            continue
        kept += [text[at : found.start()], instead]
        at = closed.end()
    return "".join([*kept, text[at:]])
