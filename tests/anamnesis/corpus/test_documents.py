import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from anamnesis.corpus.loading import Report, read
from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError


def pdf(*pages: Sequence[str], title: str = "") -> bytes:
    """A small PDF with the given lines on each page."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", ""]
    kids = []
    for lines in pages:
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 50 700 Td {shown} ET"
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {len(objects)} 0 R"
            "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>"
        )
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>"
    objects.append(f"<</Title({title})>>")
    data = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = (
        f"trailer<</Size {size}/Root 1 0 R/Info {size - 1} 0 R>>\nstartxref\n{len(data)}\n%%EOF"
    )
    return data + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


def one(format: str, file: Path, content: str | bytes) -> Record:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    [record] = read(format, [file])
    return record


class TestText:
    def test_a_short_first_line_is_the_title(self, tmp_path: Path) -> None:
        record = one("text", tmp_path / "a_b.txt", "About gout\n\nIt  hurts.\nSee\na doctor.\n")
        assert (record.id, record.title, record.kind) == ("a_b.txt", "About gout", "document")
        assert record.text == "About gout\n\nIt hurts.\n\nSee a doctor."

    def test_else_the_name_of_the_file(self, tmp_path: Path) -> None:
        assert one("text", tmp_path / "a_b.txt", "It hurts.\n\nA lot.").title == "a b"

    def test_wrapped_lines_are_joined(self, tmp_path: Path) -> None:
        line = "This line is as long as the width of its page allows. It\n"
        record = one("text", tmp_path / "a.txt", line * 3 + "ends.\n\n- item one\n- item two\n")
        assert record.text == (line.strip() + " ") * 3 + "ends.\n- item one\n- item two"

    def test_files_of_a_folder_are_named_by_their_path(self, tmp_path: Path) -> None:
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "2.txt").write_text("Two.")
        (tmp_path / "1.txt.gz").write_bytes(gzip.compress(b"One."))
        records = list(read("text", [tmp_path]))
        assert [(r.id, r.title, r.text) for r in records] == [
            (f"{tmp_path.name}/1.txt.gz", "1", "One."), (f"{tmp_path.name}/b/2.txt", "2", "Two."),
        ]  # fmt: skip


class TestMarkdown:
    def test_the_first_heading_is_the_title_and_marks_go(self, tmp_path: Path) -> None:
        text = (
            "---\ntitle: Front\n---\n<!-- note -->\n# All about *gout* #\n\nIt **hurts** (see "
            "[NIH](https://nih.gov)).\nA `lot`.\n\nCauses\n------\n\n* food_and_drink\n* age\n\n"
            "> Quoted.\n\n***\n\n[1]: https://example.org\n"
        )
        record = one("markdown", tmp_path / "a.md", text)
        assert record.title == "All about gout"
        assert record.text == (
            "All about gout\n\nIt hurts (see NIH).\n\nA lot.\n\nCauses\n- food_and_drink\n- age\n\n"
            "Quoted."
        )

    def test_the_front_matter_has_a_title_too(self, tmp_path: Path) -> None:
        record = one("markdown", tmp_path / "a.md", '---\ntitle: "Gout"\n---\nIt hurts.\n')
        assert (record.title, record.text) == ("Gout", "It hurts.")


class TestHtml:
    PAGE = (
        "<!doctype html><html><head><title>All about\n gout</title><style>p {}</style>"
        "<script>if (1 < 2) alert('<p>')</script></head><body><nav><a>Home</a></nav><h1>Gout</h1>"
        "<p>It <b>hurts</b>\nbadly &amp; often.</p><p>Causes</p><ul><li>food</li>"
        "<li><p>age</p></li></ul><table><tr><td>a</td><td>b</td></tr></table><footer>Imprint</footer></body></html>"
    )

    def test_the_title_and_the_layout_are_kept(self, tmp_path: Path) -> None:
        record = one("html", tmp_path / "a.html", self.PAGE)
        assert record.title == "All about gout"
        assert record.text == ("Gout\n\nIt hurts badly & often.\n\nCauses\n- food\n- age\n\na b")

    def test_compressed_pages_are_read(self, tmp_path: Path) -> None:
        record = one("html", tmp_path / "a.html.gz", gzip.compress(self.PAGE.encode()))
        assert record.title == "All about gout"

    def test_a_page_without_title_is_named_by_its_first_line(self, tmp_path: Path) -> None:
        assert one("html", tmp_path / "a.html", "<h1>Gout</h1><p>It hurts.</p>").title == "Gout"


class TestPdf:
    def test_pages_are_joined_and_found_again(self, tmp_path: Path) -> None:
        content = pdf(
            ["Gout hurts.", "It goes on over", "the"],
            ["page. It is anti-", "inflammatory."],
            ["End."],
        )
        record = one("pdf", tmp_path / "a.pdf", content)
        starts = record.to_json()["metadata"]["pages"]
        assert " ".join(record.text.split()) == (
            "Gout hurts. It goes on over the page. It is anti-inflammatory. End."
        )
        assert [record.text[start:].split()[0] for start in starts] == ["Gout", "page.", "End."]
        assert record.title == "a"

    def test_the_title_is_that_of_the_file(self, tmp_path: Path) -> None:
        assert one("pdf", tmp_path / "a.pdf", pdf(["It hurts."], title="Gout")).title == "Gout"

    def test_compressed_files_are_read(self, tmp_path: Path) -> None:
        record = one("pdf", tmp_path / "a.pdf.gz", gzip.compress(pdf(["It hurts."])))
        assert record.text == "It hurts."

    def test_what_is_no_pdf_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(CorpusError, match=r"a\.pdf: it cannot be parsed"):
            one("pdf", tmp_path / "a.pdf", b"not a pdf")

    def test_a_scan_without_text_is_an_error_with_the_remedy(self, tmp_path: Path) -> None:
        with pytest.raises(CorpusError, match=r"contains no text.*\(OCR\)"):
            one("pdf", tmp_path / "a.pdf", pdf([""]))


def test_a_bad_file_in_a_folder_is_skipped_and_listed(tmp_path: Path) -> None:
    (tmp_path / "1.pdf").write_bytes(pdf(["It hurts."]))
    (tmp_path / "2.pdf").write_bytes(b"broken")
    report = Report()
    assert len(list(read("pdf", [tmp_path], report=report))) == 1
    assert [(p.file, p.reason) for p in report.problems] == [
        (str(tmp_path / "2.pdf"), "file not readable")
    ]


def test_a_folder_of_bad_files_only_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_bytes(b"\xff")
    with pytest.raises(CorpusError, match=r"No file could be read.*1\.txt"):
        list(read("text", [tmp_path]))
