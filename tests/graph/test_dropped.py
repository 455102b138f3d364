"""What dropped each passage that was found, and each sentence that was read, in whole runs."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from anamnesis.models.embedding import load_embedder
from app.trace.rendering import render
from app.trace.runs import steps
from graph import Context, graph
from retrievers.build import build

TYPE_1 = "Type 1 diabetes is treated with insulin every day, because the body makes none of it."
TYPE_2 = "Type 2 diabetes is often treated with tablets such as metformin, and with exercise."
RECORDS = [
    Record("one", "Type 1 diabetes", TYPE_1, "How is type 1 diabetes treated?", "Guide"),
    Record("two", "Type 2 diabetes", TYPE_2, "How is type 2 diabetes treated?", "Guide"),
    *(
        Record(f"o{n}", name, f"{name} is an illness. It can be treated.", f"What is {name}?")
        for n, name in enumerate(["Asthma", "Gout", "Lupus", "Measles", "Scurvy", "Eczema"])
    ),
]
ASKED = "How is type 2 diabetes treated?"


@pytest.fixture(scope="module")
def folder(starter_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dropped") / "index"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMNESIS_HOME", str(starter_home))
        build(RECORDS, folder, load_embedder(), "dropped")
    return folder


def run(folder: Path, question: str = ASKED, **settings: Any) -> dict[str, dict[str, Any]]:
    """The update of each step, by its name, and the lines of the trace."""
    context = Context(index=str(folder), **settings)
    taken = list(steps(graph.stream({"question": question}, context=context, stream_mode="debug")))
    return {step["node"]: {**step["update"], "lines": list(render([step]))} for step in taken}


def unexplained(given: dict[str, dict[str, Any]]) -> set[str]:
    """The passages that were found, are not quoted in a draft and have no reason."""
    left = [item for step in given.values() for item in step.get("dropped", [])]
    drafted = given.get("generate", {}).get("draft", {}).get("statements", [])
    known = {item["passage"] for item in left} | {
        key for item in drafted for key in item["citations"]
    }
    return {hit["id"] for hit in given["retrieve"]["hits"]} - known


def test_every_passage_of_an_answer_and_of_an_abstention_has_its_reason(
    folder: Path, at_starter: Path
) -> None:
    answered = run(folder)
    assert answered["remember"]["answer"]["statements"]
    assert not unexplained(answered)
    strict: dict[str, Any] = {"retrieval.min_relevance": 1}
    silent = run(folder, **strict)
    assert silent["remember"]["answer"]["outcome"] == "abstained"
    assert not unexplained(silent)
    read = {item["id"] for item in silent["rerank"]["read"]}
    sentences = {item["passage"] for item in silent["rerank"]["dropped"] if "start" in item}
    assert sentences == read
    lines = "\n".join(silent["rerank"]["lines"])
    for part in ("not used: ", ", below 1.00", "are read"):
        assert part in lines
    assert "probability of the sentence 0." in lines


def test_a_page_on_another_kind_gives_way_and_the_trace_names_the_check(
    folder: Path, at_starter: Path
) -> None:
    given = run(folder)
    answer = given["remember"]["answer"]
    assert [item["citations"] for item in answer["statements"]] == [["two"]]
    assert (answer["outcome"], answer["withheld"]) == ("answered", [])
    lines = [line for line in given["generate"]["lines"] if "one#0" in line]
    assert [line.partition(", ")[2] for line in lines] == ["it fails the check kind: type 1"]
