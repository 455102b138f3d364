"""The reader as a document compressor of another program's chain."""

from langchain_core.documents import Document

from retrievers.compressor import ReaderCompressor
from tests.fakes import ScriptedReader
from tests.graph.conftest import ASTHMA, GOUT


def test_the_reader_orders_documents_of_others() -> None:
    long = ScriptedReader(lambda _, pages: [len(text) / 1000 for _, text in pages])
    documents = [Document(GOUT, metadata={"a": 1}), Document(ASTHMA, id="x"), Document("Short.")]
    kept = ReaderCompressor(reader=long, top_n=2).compress_documents(documents, "asthma")
    assert [document.page_content for document in kept] == [ASTHMA, GOUT]
    assert kept[0].id == "x"
    assert kept[1].metadata["a"] == 1
    assert kept[1].metadata["relevance_score"] == len(GOUT) / 1000
    start, end, chance = kept[0].metadata["sentences"][0]
    assert ASTHMA[start:end] == "Asthma causes wheezing."
    assert 0 <= chance <= 1
    assert documents[0].metadata == {"a": 1}
    assert len(ReaderCompressor(reader=long, least=0.05).compress_documents(documents, "x")) == 2
    assert ReaderCompressor(reader=long).compress_documents([], "x") == []


def test_the_reader_gets_the_nearest_of_the_questions_in_a_documents_metadata() -> None:
    headings: list[str] = []
    reader = ScriptedReader(lambda _, pages: [headings.append(name) or 0.5 for name, _ in pages])  # type: ignore[func-returns-value]
    asked = ["big toe red hot overnight", "wheezing after running"]
    document = Document(GOUT, metadata={"title": "Gout", "asked_as": asked})
    ReaderCompressor(reader=reader).compress_documents([document], "my toe is red")
    assert headings == ["Gout big toe red hot overnight"]
