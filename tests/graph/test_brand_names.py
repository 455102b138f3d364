"""A brand name in the question, through the graph with the models that come with the program."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from anamnesis.models.embedding import load_embedder
from graph import Context, build_graph
from nodes.state import Answer
from retrievers.build import build
from retrievers.filter import Filter
from retrievers.index import Index


def ask(question: str, index: Any = None, **settings: Any) -> Answer:
    context = Context.model_validate(settings)
    return build_graph(index=index).invoke({"question": question}, context=context)["answer"]  # type: ignore[no-any-return]


def test_a_brand_is_answered_from_the_medicines_record_with_a_note(at_starter: Path) -> None:
    question = "is Nurofen safe in pregnancy?"
    answer = ask(question)
    assert answer["outcome"] == "answered"
    assert answer["sources"][0]["id"] == "starter-ibuprofen-pregnancy"
    assert (answer["question"], answer["query"]) == (question, "is Ibuprofen safe in pregnancy?")
    assert answer["notes"][0].startswith("“Nurofen” was read as Ibuprofen: the documents")
    assert answer["notes"][0] in answer["text"]


def test_a_misspelt_brand_is_repaired_first(at_starter: Path) -> None:
    answer = ask("is Nurofin safe in pregnancy?")
    assert answer["query"] == "is Ibuprofen safe in pregnancy?"
    assert len(answer["notes"]) >= 2


@pytest.mark.parametrize(
    ("question", "settings"),
    [
        ("is Nurofen safe in pregnancy?", {"question.names": False}),
        ("what is Nurofen Plus for?", {}),
        ("what is Ibuprofen for?", {}),
    ],
)
def test_other_questions_keep_their_words(
    at_starter: Path, question: str, settings: dict[str, Any]
) -> None:
    answer = ask(question, **settings)
    assert answer["query"] == question
    assert not any("was read as" in note for note in answer["notes"])


def test_a_record_that_the_caller_may_not_see_names_nothing(tmp_path: Path) -> None:
    embedder = load_embedder()
    secret = Record(
        "trial", "Trial of Zorbium", "Zorbium eases a headache in two hours.", focus="Zorbium",
        metadata={"aliases": ["Headex"], "access": "trial"},
    )  # fmt: skip
    build([secret], tmp_path, embedder, "small")
    index = Index.open(tmp_path, embedder)
    question = {"question": "what is Headex for?"}
    for access, query in (((), "what is Headex for?"), (("trial",), "what is Zorbium for?")):
        graph = build_graph(index=index, filter=Filter(access=access))
        assert graph.invoke(question, context=Context())["answer"]["query"] == query
