import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.corpus import files
from anamnesis.errors import CorpusError


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)],
)
class TestCompression:
    def test_is_undone(
        self, tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
    ) -> None:
        file = tmp_path / f"a.txt{suffix}"
        file.write_bytes(compress("é\nb".encode()))
        assert list(files.lines(file)) == [(1, "é\n"), (2, "b")]
        assert files.read_text(file) == "é\nb"

    def test_the_kind_is_recognised_by_the_bytes(
        self, tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
    ) -> None:
        file = tmp_path / "a.txt"
        file.write_bytes(compress(b"abc"))
        assert files.read_text(file) == "abc"

    def test_cut_short_is_an_error(
        self, tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
    ) -> None:
        whole = bytes(range(256)) * 100
        file = tmp_path / f"a.txt{suffix}"
        file.write_bytes(compress(whole)[:-9])
        if not suffix:  # a plain file does not know its length
            assert files.read_bytes(file) == whole[:-9]
            return
        with pytest.raises(CorpusError, match="truncated or damaged"):
            files.read_bytes(file)


def test_a_damaged_gzip_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.gz"
    file.write_bytes(gzip.compress(b"x" * 100)[:-8] + bytes(8))
    with pytest.raises(CorpusError, match=r"a\.gz: the compressed file is truncated or damaged"):
        files.read_bytes(file)


def test_a_file_named_compressed_that_is_not_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_text("{}")
    with pytest.raises(CorpusError, match="not compressed in this way"):
        files.read_bytes(file)


def test_text_that_is_not_utf8_is_an_error_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"good\n\xe9\n")
    with pytest.raises(CorpusError, match=r"a\.txt, line 2: the text is not UTF-8"):
        list(files.lines(file))
    with pytest.raises(CorpusError, match=r"a\.txt, byte 5: the text is not UTF-8"):
        files.read_text(file)


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8-sig")
    assert [row.values for row in files.csv_rows(file)] == [{"a": "1", "b": "2"}]


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.touch()
    with pytest.raises(CorpusError, match="is empty"):
        list(files.lines(file))


class TestFind:
    def test_takes_files_of_the_suffixes_in_order_and_no_hidden_ones(self, tmp_path: Path) -> None:
        for name in ("b/2.TXT", "a.txt", "b/1.txt.gz", ".c/x.txt", "b/.y.txt", "d.csv", "e.gz"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).touch()
        found = [f.relative_to(tmp_path).as_posix() for f in files.find(tmp_path, (".txt",))]
        assert found == ["a.txt", "b/1.txt.gz", "b/2.TXT"]

    def test_takes_a_named_file_whatever_its_suffix(self, tmp_path: Path) -> None:
        (tmp_path / "a.dat").touch()
        assert files.find(tmp_path / "a.dat", (".txt",)) == [tmp_path / "a.dat"]

    def test_refuses_what_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(CorpusError, match="no such file or folder"):
            files.find(tmp_path / "x", (".txt",))
        with pytest.raises(CorpusError, match=r"has no file ending in \.txt or \.text"):
            files.find(tmp_path, (".txt", ".text"))


class TestJsonRows:
    @pytest.mark.parametrize(
        ("text", "rows"),
        [
            ('{"a": 1}\n\n{"a": 2}\n', [("line 1", {"a": 1}), ("line 3", {"a": 2})]),
            ('{"a": 1}', [("line 1", {"a": 1})]),
            ('[{"a": 1}, {"a": 2}]', [("record 1", {"a": 1}), ("record 2", {"a": 2})]),
            ('[\n{"a": 1},\n{"a": 2}\n]', [("record 1", {"a": 1}), ("record 2", {"a": 2})]),
            ('{\n "a": 1\n}', [("record 1", {"a": 1})]),
        ],
    )
    def test_read_lines_and_whole_files(
        self, tmp_path: Path, text: str, rows: list[tuple[str, object]]
    ) -> None:
        file = tmp_path / "a.json"
        file.write_text(text)
        assert [(row.where, row.values) for row in files.json_rows(file)] == rows

    def test_say_which_lines_are_broken(self, tmp_path: Path) -> None:
        file = tmp_path / "a.jsonl"
        file.write_text('{"a": \n{"a": 2}\n{"a"}\n')
        problems = [(row.where, row.problem[:8]) for row in files.json_rows(file)]
        assert problems == [("line 1", "not JSON"), ("line 2", ""), ("line 3", "not JSON")]

    def test_refuse_what_is_no_json(self, tmp_path: Path) -> None:
        file = tmp_path / "a.jsonl"
        file.write_text("question,answer\na,b\n")
        with pytest.raises(CorpusError, match="neither JSON nor JSON Lines"):
            list(files.json_rows(file))


class TestCsvRows:
    def test_give_the_line_a_row_begins_at(self, tmp_path: Path) -> None:
        file = tmp_path / "a.csv"
        file.write_text('q, a\n1,"x\ny"\n\n2,z\n3\n')
        assert list(files.csv_rows(file)) == [
            ("line 2", {"q": "1", "a": "x\ny"}, ""),
            ("line 5", {"q": "2", "a": "z"}, ""),
            ("line 6", None, "1 cells under 2 column names"),
        ]

    def test_part_tsv_at_tabs(self, tmp_path: Path) -> None:
        file = tmp_path / "a.tsv"
        file.write_text("q\ta\n1,5\tb\n")
        assert [row.values for row in files.csv_rows(file)] == [{"q": "1,5", "a": "b"}]

    def test_take_very_long_cells(self, tmp_path: Path) -> None:
        file = tmp_path / "a.csv"
        file.write_text(f"q,a\n1,{'x' * 200_000}\n")
        assert len(next(files.csv_rows(file)).values["a"]) == 200_000

    def test_refuse_an_open_quote(self, tmp_path: Path) -> None:
        file = tmp_path / "a.csv"
        file.write_text('q,a\n1,"x\n')
        with pytest.raises(CorpusError, match=r"a\.csv, line 2: it is not CSV"):
            list(files.csv_rows(file))
