"""Every example of the docs runs: Python blocks as they stand, commands through the program."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.loading import FORMATS
from anamnesis.limits import Limits
from anamnesis.paths import index_at
from app.cli.main import main
from app.evaluate.protocols import PROTOCOLS
from app.web.comparing import columns_html, compare
from benchmarks.doc_tables import DOCS, TABLES, with_tables
from evaluation.behaviour import separate_lists
from evaluation.methods import check_methods
from nodes.checking.checks import CHECKS
from nodes.settings.context import Context
from nodes.settings.names import description, fields
from nodes.settings.presets import PRESETS
from retrievers.methods import RETRIEVERS
from retrievers.opening import open_corpus

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str, *, mark: str = "") -> list[tuple[Path, str]]:
    return [
        (page, text)
        for page in PAGES
        for tag, rest, text in BLOCK.findall(page.read_text("utf-8"))
        if tag == language and rest.strip() == mark
    ]


@pytest.fixture
def tables() -> Iterator[None]:
    """What an example enters into a table stands in no other test's."""
    tables: list[dict[str, Any]] = [CHECKS, FORMATS, PRESETS, PROTOCOLS, RETRIEVERS]
    before = [set(table) for table in tables]
    yield
    for table, names in zip(tables, before, strict=True):
        for name in set(table) - names:
            del table[name]


@pytest.mark.usefixtures("at_starter", "few_resamples", "tables")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for path, text in blocks("python"):
        if path == page:
            exec(compile(text, page.name, "exec"), names)
    if names:
        assert capsys.readouterr().out.strip()


@pytest.mark.usefixtures("at_starter", "few_resamples")
@pytest.mark.parametrize(
    "command",
    list(
        dict.fromkeys(
            line.removeprefix("$ ")
            for _, text in blocks("console")
            for line in text.splitlines()
            if line.startswith("$ ")
        )
    ),
)
def test_a_command_of_the_docs_runs(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if command.startswith(("anamnesis token", "anamnesis policy")):
        # A server that works in the shared folder must not ask for them.
        monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    if command.startswith("anamnesis token"):
        main(["token", "add", "eve"])
        capsys.readouterr()
    if command.startswith("anamnesis review"):
        records = ["docs/examples/records.jsonl", "--name", "forum", "--review"]
        main(["index", "jsonl", *records, "--index", str(tmp_path / "index")])
        capsys.readouterr()
    if command == "anamnesis trace show":
        main(["ask", "Is psoriasis contagious?", "--trace"])
        capsys.readouterr()
    if command.startswith("anamnesis memory"):
        main(["ask", "I have asthma, what are its symptoms?", "--user", "ann", "--remember"])
        capsys.readouterr()
    if command.startswith("anamnesis report"):
        for name in ("own", "similarity"):
            texts = ["--pairs", "docs/examples/pairs.jsonl", "--critic", name]
            main(["evaluate", "critic", *texts, "--out", str(tmp_path / f"{name}.json")])
        capsys.readouterr()
    program, *arguments = shlex.split(command.replace(" build/", f" {tmp_path}/"))
    assert program == "anamnesis"
    assert main(arguments) == 0
    assert capsys.readouterr().out.strip()


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name} links {target}"


@pytest.mark.parametrize("page", TABLES)
def test_the_tables_of_a_page_are_those_of_the_code(page: str) -> None:
    """`python -m benchmarks.doc_tables` writes them."""
    text = (DOCS / page).read_text("utf-8")
    assert with_tables(page, text) == text


def test_every_setting_and_limit_has_a_description() -> None:
    settings = {name: description(field) for name, field in fields(Context).items()}
    limits = {name: field.description for name, field in Limits.model_fields.items()}
    assert [name for name, text in {**settings, **limits}.items() if not text] == []


def test_the_policy_of_the_docs_is_one() -> None:
    from nodes.policy import CALLERS, Policy

    [(_, text)] = blocks("json", mark="policy")
    assert Policy.model_validate_json(text).callers.keys() < CALLERS.keys()


def test_the_prices_of_the_docs_are_a_table() -> None:
    from nodes.cost.prices import Prices

    [(_, text)] = blocks("json", mark="prices")
    assert Prices.model_validate_json(text).models


def test_the_picture_of_the_graph_is_the_graph() -> None:
    # LangGraph's own drawing of a deferred node has edges that are not there.
    from graph import graph

    [picture] = [text for _, text in blocks("mermaid")]
    arrow = r"^\s*(\w+) (?:-->|-\.->)(?:\|[^|]*\|)? (\w+)$"
    drawn = set(re.findall(arrow, picture, re.MULTILINE))
    builder = graph.builder
    wired = {(start.strip("_"), end.strip("_")) for start, end in builder.edges}
    for start, branches in builder.branches.items():
        for branch in branches.values():
            wired |= {(start, end) for end in branch.ends.values()}
    assert {(a.lower(), b.lower()) for a, b in drawn} == wired


def test_the_page_of_results_is_that_of_the_results() -> None:
    from benchmarks.results import KEPT, MADE, PAGE, text

    assert PAGE.read_text("utf-8") == text()
    assert {file.stem for file in KEPT.glob("*.json")} <= set(MADE)


def test_the_docs_name_no_folder_of_a_machine() -> None:
    for page in PAGES:
        assert os.sep + "home" + os.sep not in page.read_text("utf-8")


def test_each_of_the_extensions_is_a_few_lines() -> None:
    page = ROOT / "docs" / "extending.md"
    lines = [sum(map(bool, text.splitlines())) for path, text in blocks("python") if path == page]
    assert len(lines) == 6
    assert max(lines) < 20


@pytest.mark.usefixtures("at_starter", "tables")
def test_the_retriever_of_the_page_has_its_choice_and_its_column(
    capsys: pytest.CaptureFixture[str],
) -> None:
    [example] = [
        text
        for path, text in blocks("python")
        if path.name == "extending.md" and 'RETRIEVERS["titles"]' in text
    ]
    names: dict[str, Any] = {"main": main}
    exec(compile(example, "extending.md", "exec"), names)
    assert "titles #1" in capsys.readouterr().out  # the choice of `anamnesis retrieve`
    for command in (["retrieve"], ["evaluate", "retrieval"]):
        with pytest.raises(SystemExit):
            main([*command, "--help"])
        assert "titles" in capsys.readouterr().out
    chosen = Context.model_validate({"retrieval.methods": ["titles"]})
    assert chosen.retrieval.methods == ("titles",)
    assert "`titles`: passages with the" in description(fields(Context)["retrieval.methods"])
    assert check_methods(["titles"]) == ["titles"]
    row: dict[str, Any] = {"ranked": {"sparse": [], "titles": [], "hybrid": []}}
    assert separate_lists([row]) == ["sparse", "titles"]
    asked = "What are the symptoms of gout?"
    columns = compare(open_corpus(index_at(None)), asked, None)
    assert list(columns) == ["sparse", "dense", "titles", "hybrid"]
    assert columns["titles"]
    page = columns_html(columns)
    assert "<h3>Titles</h3>" in page
    assert "words in their title" in page


def test_the_help_of_index_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["index", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert not [name for name, item in FORMATS.items() if f"{name}: {item.about}" not in shown]


def test_the_help_of_retrieve_names_every_method(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["retrieve", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert not [name for name, item in RETRIEVERS.items() if f"{name}: {item.about}" not in text]


def test_prose_is_wrapped() -> None:
    """At 100 characters; not tables, code, pictures, generated pages and what has no blank."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    long = []
    for page in pages:
        blocks = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        long += [
            f"{page.name}: {line}"
            for line in blocks.splitlines()
            if len(line) > 100 and " " in line.strip() and not line.startswith(("|", "!["))
        ]
    assert [item for item in long if not item.startswith("results.md")] == []
