"""Order the passages that were found, by the reader's results and the scores of the search."""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.models.langchain_reranker import LangChainReranker
from anamnesis.models.reader import OwnReader
from anamnesis.models.reading import Reading
from anamnesis.models.reranker import Reranker
from nodes.evidence.relevance import Weights, blended, combined_log_odds, relevance
from nodes.fields.passages import ReadPassage, Selected
from retrievers.asked_as import headings
from retrievers.langchain import about
from retrievers.search import Hit


def readings_of(reader: Reranker, question: str, passages: Sequence[Passage]) -> list[Reading]:
    """The reader's result for each passage, read with ``retrievers.asked_as.headings``.

    A reranker of LangChain also gets the metadata of the passages.
    """
    titles = headings(question, passages)
    pairs = [(title, each.text) for title, each in zip(titles, passages, strict=True)]
    if isinstance(reader, LangChainReranker):
        return reader.read(question, pairs, [about(each) for each in passages])
    return reader.read(question, pairs)


def ordered(
    hits: Sequence[Hit],
    passages: Sequence[Passage],
    reader: Reranker,
    question: str,
    weights: Weights | None,
    fused_order: bool = False,
    alone: bool = False,
) -> list[Selected]:
    """The passages with the reader's results: best first or, with ``fused_order``, as in ``hits``.

    With ``alone``, passages are ordered by the reader's score only [R4]. Otherwise, if the reader
    is the project's own and there are ``weights`` (``list_weights``), the order combines the
    reader's score with the fused score. If the reader is another one, or there are no ``weights``,
    the order is that of ``blended``. The relevance of the project's own reader is computed by
    ``nodes.evidence.relevance``, with the fused score if there are ``weights``; that of another
    reader is its score.
    """
    readings = readings_of(reader, question, passages)
    most = max((hit["score"] for hit in hits), default=0.0)
    is_own_reader = isinstance(reader, OwnReader)
    both = weights if is_own_reader else None
    items: list[tuple[float, Selected]] = []
    for hit, reading in zip(hits, readings, strict=True):
        fused = hit["score"] / most if most > 0 else 0.0
        by = chance = reading.relevance
        if not alone:
            by = combined_log_odds(reading, hit["score"], both) if both else blended(chance, fused)
        if is_own_reader:
            chance = relevance(reading, hit["score"], both) if both else relevance(reading, None)
        read: Selected = {
            "id": hit["id"],
            "record_id": hit["record_id"],
            "score": hit["score"],
            "ranks": hit["ranks"],
            "scores": hit["scores"],
            "relevance": round(chance, 4),
            "sentences": [[start, end, round(said, 3)] for start, end, said in reading.sentences],
            "polar": reading.polar,
        }
        if "part" in hit:
            read["part"] = hit["part"]
        # Equal keys keep the order of hits, because the sort is stable.
        items.append((0.0 if fused_order else by, read))
    return [item for _, item in sorted(items, key=lambda pair: -pair[0])]


def as_read(item: Selected) -> ReadPassage:
    """What the state stores about a passage that was read: its relevance, and one sentence.

    It is the sentence that a good answer most probably quotes.
    """
    start, end, _ = max(item["sentences"], key=lambda entry: entry[2], default=[0, 0, 0.0])
    first, last = int(start), int(end)
    read = ReadPassage(id=item["id"], relevance=item["relevance"], start=first, end=last)
    if item["polar"]:
        read["polar"] = item["polar"]
    return {**read, "part": item["part"]} if "part" in item else read
