"""A user's own documents: plain text, Markdown, HTML and PDF, one record per file [H8].

HTML and PDF are read by langchain-community's loaders, here and nowhere else.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from anamnesis.corpus import files
from anamnesis.corpus.markup import plain_markdown, separate_blocks
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.corpus.wrapping import join_hyphens, unwrap
from anamnesis.errors import CorpusError
from anamnesis.language.text import tidy

UNREADABLE = "file not readable"
_LONGEST_TITLE = 120  # characters of a first line that can be a title


class Document(NamedTuple):
    """The content of a file: its title ("" if it has none) and its tidied text."""

    title: str
    text: str
    metadata: dict[str, Any]


def read(
    load: Callable[[Path], Document], file: Path, name: str, alone: bool, report: Report
) -> Iterator[Record]:
    """The record of a file that ``load`` reads.

    A bad file in a named folder is skipped; one that was named is an error.
    """
    try:
        title, text, metadata = load(file)
        if not text:
            raise CorpusError(
                f"{file}: it contains no text. If it is scanned, recognise its text (OCR) first."
            )
    except CorpusError as error:
        if alone:
            raise
        report.skip(file, "", UNREADABLE, str(error).removeprefix(f"{file}: "))
        return
    yield Record(
        id=name,
        title=title or files.plain_stem(file).replace("_", " "),
        text=text,
        source=name,
        kind="document",
        metadata=metadata,
    )


def text(file: Path) -> Document:
    """A plain text, UTF-8; a short first line without a full stop is its title."""
    text = tidy(unwrap(files.read_text(file)))
    first, _, rest = text.partition("\n")
    is_title = rest and len(first) <= _LONGEST_TITLE and not first.endswith((".", ",", ";", ":"))
    return Document(first if is_title else "", text, {})


def markdown(file: Path) -> Document:
    """A Markdown text; its first heading is its title."""
    title, text = plain_markdown(files.read_text(file))
    return Document(title, tidy(text), {})


def html(file: Path) -> Document:
    """An HTML page; its ``<title>`` is its title. Scripts, styles and navigation are left out."""
    with _community(), _as_file(separate_blocks(files.read_text(file)), ".html") as path:
        from langchain_community.document_loaders import BSHTMLLoader

        # html.parser needs no compiled library and gives the same result everywhere.
        loader = BSHTMLLoader(path, open_encoding="utf-8", bs_kwargs={"features": "html.parser"})
        page = next(iter(_load(file, loader)))
    stated = page.metadata.get("title") or ""
    title = "" if stated == "None" else " ".join(stated.split())
    text = tidy(page.page_content)
    if title and text.startswith(title):
        text = text[len(title) :].lstrip()  # the loader gives <title> as the first line
    return Document(title or text.partition("\n")[0][:_LONGEST_TITLE].strip(), text, {})


def pdf(file: Path) -> Document:
    """A PDF; ``metadata["pages"]`` has the character at which each page begins in the text."""
    with _community(), _as_file(files.read_bytes(file), ".pdf") as path:
        from langchain_community.document_loaders import PyPDFLoader

        pages = _load(file, PyPDFLoader(path, mode="page"))
    title = " ".join(str(pages[0].metadata.get("title") or "").split()) if pages else ""
    text, starts = "", []
    known = "\n".join(page.page_content for page in pages)
    for page in pages:
        content = tidy(unwrap(join_hyphens(page.page_content, known)))
        # A sentence can continue on the next page.
        running = text and text[-1] not in ".!?:" and content[:1].islower()
        gap = " " if running else "\n\n"
        text = f"{text}{gap}{content}" if text and content else text or content
        starts.append(len(text) - len(content))
    return Document(title, text, {"pages": starts})


def _load(file: Path, loader: Any) -> list[Any]:
    try:
        return list(loader.lazy_load())
    except Exception as error:  # on a damaged file the parsers raise many kinds of errors
        reason = f"{type(error).__name__}: {error}"
        raise CorpusError(f"{file}: it cannot be parsed ({reason}). Check the file.") from error


@contextmanager
def _community() -> Iterator[None]:
    """Hides langchain-community's notice that it is being discontinued, about which users can do
    nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@contextmanager
def _as_file(content: str | bytes, suffix: str) -> Iterator[Path]:
    """A file with the plain content: the loaders do not decompress, and do not accept bytes."""
    with TemporaryDirectory(prefix="anamnesis-") as folder:
        path = Path(folder) / f"document{suffix}"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        yield path
