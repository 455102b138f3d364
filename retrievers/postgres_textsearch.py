"""BM25 by the extension pg_textsearch, for corpora too large for a table of postings [R1].

A query adds up the postings of all its words, so its time grows with the passages that contain
them. pg_textsearch skips the blocks of an index that cannot be among the best (Block-Max WAND). It
uses the words of this project's tokenizer, and k1 and b of ``retrievers.sparse``; its idf is ln(1 +
(N - n + .5) / (n + .5)), and it rounds the length of a passage, so its scores differ from those of
the postings.
"""

from collections.abc import Sequence
from logging import getLogger
from typing import Any, LiteralString

from anamnesis.language.text import tokenize
from retrievers.filter import Filter
from retrievers.postgres_lists import SqlQuery, conditions
from retrievers.postgres_tables import named
from retrievers.sparse import K1, B

EXTENSION: LiteralString = "pg_textsearch"

FROM = 50_000
"""Minimum passages for its use, if the database has it (``python -m benchmarks.engines``)."""

_LONGEST = 255  # characters of a word: PostgreSQL leaves out spellings of more than 2,047

log = getLogger(__name__)


def usable(connection: Any) -> bool:
    """Whether the database has the extension, which is created if the role is allowed to."""
    import psycopg

    query = "select installed_version from pg_available_extensions where name = %s"
    row = connection.execute(query, (EXTENSION,)).fetchone()
    if row is None:
        return False
    if row[0] is None:
        try:
            with connection.transaction():
                connection.execute("create extension if not exists " + EXTENSION)
        except psycopg.Error as error:
            log.warning(
                "%s is on the server and cannot be used: %s. Words are searched in the table of "
                "postings. Add it to shared_preload_libraries, restart the server, and have an "
                "administrator of the database run: create extension %s",
                EXTENSION, str(error).strip().partition("\n")[0], EXTENSION,
            )  # fmt: skip
            return False
    found = connection.execute("select to_regproc('bm25_get_current_score')").fetchone()
    return found[0] is not None


def spelled(word: str) -> str:
    """A word of the tokenizer in a form that PostgreSQL's parser does not split.

    Different words have different forms: the letters a to z stay, except q, which is doubled; any
    other character becomes q, its number written in the letters a to p, and z.
    """
    return "".join(
        ("qq" if letter == "q" else letter) if "a" <= letter <= "z" else _number(letter)
        for letter in word[:_LONGEST]
    )


def _number(letter: str) -> str:
    return "q" + "".join(chr(ord("a") + int(digit, 16)) for digit in f"{ord(letter):x}") + "z"


def text_of(text: str) -> str:
    """The words of a text, spelled."""
    return " ".join(map(spelled, tokenize(text)))


def make_index(connection: Any, generation: int) -> None:
    """Index the words of a generation, within a transaction."""
    from psycopg import sql

    # With less memory it would not use several processes.
    connection.execute("select set_config('maintenance_work_mem', '1GB', true)")
    connection.execute(
        named(
            "create index {name} on {texts} using bm25 (words) "
            "with (text_config = 'simple', k1 = {k1}, b = {b})",
            generation, name=sql.Identifier(_index(generation)), k1=sql.Literal(K1),
            b=sql.Literal(B),
        )
    )  # fmt: skip
    # For ``having``: the index above finds the best passages, not all.
    having: LiteralString = "create index on {texts} using gin (to_tsvector('simple', words))"
    connection.execute(named(having, generation))


def sparse(words: str, k: int, limits: Filter | None, generation: int) -> SqlQuery:
    """The best ``k`` passages for the words."""
    where, given = conditions(limits)
    query: LiteralString = (
        # The score that the index has computed; the operator would read each text again.
        "select ordinal, -bm25_get_current_score() as score from {texts} t"
    )
    if where:
        # Not a join: that would be scored completely before it is sorted.
        query += " where (select " + where + " from {passages} p where p.ordinal = t.ordinal)"
    query += " order by words <@> to_bm25query(%(spelled)s, %(index)s) limit %(sparse_k)s"
    given |= {
        "spelled": text_of(words),
        "index": f"anamnesis.{_index(generation)}",
        "sparse_k": max(k, 0),
    }
    return SqlQuery(query, given)


def having(kinds: Sequence[Sequence[str]]) -> SqlQuery:
    """The ordinals of all passages that have a word of each of the ``kinds``, in order."""
    query: LiteralString = (
        "select ordinal from {texts} "
        "where to_tsvector('simple', words) @@ to_tsquery('simple', %(wanted)s) order by 1"
    )
    wanted = " & ".join("(" + " | ".join(map(spelled, words)) + ")" for words in kinds)
    return SqlQuery(query, {"wanted": wanted})


def _index(generation: int) -> str:
    return f"texts_{generation}_words"
