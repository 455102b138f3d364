"""Self-MedRAG: single and fused lists without a critic, each critic, and the rounds [S8]."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from anamnesis.corpus.loading import read
from anamnesis.corpus.record import Record
from evaluation.reading import Question, labelled, read_questions, text_of
from evaluation.reproduce.asking import answered, cells, drawn, emergencies
from evaluation.reproduce.running import Measured, Run
from evaluation.significance import Estimate
from nodes.settings.context import Context
from retrievers.index import Index

BASE, FUSED = "no critic, {}", "no critic, BM25 + Contriever"
_ROUNDS = {"at most 1 round": 1, "at most 2 rounds": 2, "at most 3 rounds": 3}
_ALONE = {"verification.critic": None, "loop.max_rounds": 1}


def measure(run: Run) -> Measured:
    """Table 1 and figure 3, on each available data set."""
    table: dict[str, dict[str, Estimate]] = {}
    rounds: dict[str, dict[str, Estimate]] = {}
    notes: list[str] = []
    urgent: list[str] = []
    for name, ask in _SETS.items():
        if not {need.name for need in run.paper.data if need.part == name} <= set(run.files):
            continue
        questions, index, corpus = ask(run, "embedder")
        result = answered(run, name, index, questions, settings(run))
        urgent += emergencies(questions, run.context(), name)
        if run.models["medcpt"] is not None:
            alone = {BASE.format("MedCPT"): run.context(_ALONE | {"retrieval.methods": ["dense"]})}
            _, other, _ = ask(run, "medcpt")
            further = cells(answered(run, f"{name}, MedCPT", other, questions, alone), f"{name} ")
            for row, item in further.items():
                table.setdefault(row, {}).update(item)
        for row, item in cells(result, f"{name} ").items():
            target = rounds if row in _ROUNDS else table
            target.setdefault(row, {}).update(item)
        # The published system is the third round.
        if last := rounds.get([*_ROUNDS][-1]):
            table.setdefault("Self-MedRAG, NLI critic", {}).update(last)
        notes.append(
            f"{name}: {result.used} questions, {corpus}. Guessing would have an accuracy of "
            f"{result.chance:.3f}, the most frequent answer {result.majority:.3f}."
        )
    tables = {"critics": table, **({"rounds": rounds} if rounds else {})}
    return Measured(tables, notes, urgent + _deviations(run))


def settings(run: Run) -> dict[str, Context]:
    """The settings of each row that the available models permit."""
    lists = {"BM25": ["sparse"], "Contriever": ["dense"]}
    rows = {
        BASE.format(name): run.context(_ALONE | {"retrieval.methods": methods})
        for name, methods in lists.items()
    }
    rows[FUSED] = run.context(_ALONE)
    if run.models["llm_critic"] is not None:
        settings = {"verification.critic": run.models["llm_critic"]}
        rows["Self-MedRAG, LLM critic"] = run.context(settings)
    if run.models["critic"] is None:
        return rows
    return rows | {row: run.context({"loop.max_rounds": most}) for row, most in _ROUNDS.items()}


def _deviations(run: Run) -> list[str]:
    if run.models["generator"] != "extractive":
        return []
    return [
        "Without a chat model the evidence is quoted, and an option is chosen if the evidence "
        "entails it: even in the rows without a critic the critic chooses. If no option is "
        "entailed, none is chosen, which counts as wrong; *named* is the share with a choice."
    ]


_Asked = tuple[Sequence[Question], Index, str]


def _pubmedqa(run: Run, role: str) -> _Asked:
    """Yes/no questions over the abstracts, without their conclusions."""
    file = run.files["PubMedQA"]
    known = [item for item in _known(file) if item[1].options[item[1].answer] != "maybe"]
    polar = [
        (key, Question(item.text, {"yes": "yes", "no": "no"}, item.options[item.answer]))
        for key, item in known
    ]
    questions = drawn(polar, run.sizes["questions"], run.seed)
    records = _limited(
        read("pubmedqa-abstracts", [file]),
        {key for key, _ in questions}.__contains__,
        run.sizes["documents"],
    )
    index = run.index("pubmedqa", ("pubmedqa", records), role=role)
    corpus = f"without those answered by maybe, over {index.manifest.records} abstracts"
    return [item for _, item in questions], index, corpus


def _bioasq(run: Run, role: str) -> _Asked:
    """BioASQ's yes/no questions over the passages of all its questions."""
    file = run.files["BioASQ"]
    found, _ = read_questions(file)
    questions = drawn(found, run.sizes["questions"], run.seed)
    texts = {item.text for item in questions}
    wanted = {
        key
        for _, (text, keys) in labelled(file, None, _passages_of)
        for key in keys
        if text in texts
    }
    records = _limited(
        read("bioasq-passages", [run.files["BioASQ passages"]]),
        wanted.__contains__,
        run.sizes["documents"],
    )
    index = run.index("bioasq", ("bioasq", records), role=role)
    return questions, index, f"over {index.manifest.records} passages; not in the paper"


def _medqa(run: Run, role: str) -> _Asked:
    """MedQA's questions with four options over MedQuAD."""
    found, _ = read_questions(run.files["MedQA"], "medqa")
    questions = drawn(found, run.sizes["questions"], run.seed)
    file = run.files["MedQuAD"]
    records = _limited(read("medquad-jsonl", [file]), lambda _: False, run.sizes["documents"])
    index = run.index("medquad", ("medquad", records), role=role)
    return questions, index, f"over {index.manifest.records} records of {file.name}"


_SETS: Mapping[str, Callable[[Run, str], _Asked]] = {
    "PubMedQA": _pubmedqa,
    "MedQA": _medqa,
    "BioASQ": _bioasq,
}


def _known(file: Path) -> list[tuple[str, Question]]:
    """PubMedQA's questions with their numbers."""
    keys = [key for _, key in labelled(file, None, lambda values: text_of(values, "id"))]
    questions, _ = read_questions(file)
    return list(zip(keys, questions, strict=True))


def _passages_of(values: Mapping[str, object]) -> tuple[str, Sequence[str]]:
    keys = values.get("relevant_passages")
    return text_of(values, "question"), keys if isinstance(keys, list) else []


def _limited(records: Iterable[Record], wanted: Callable[[str], bool], most: int) -> list[Record]:
    """All records; for a small sample the wanted ones, then others, ``most`` in all."""
    found = list(records)
    if not most:
        return found
    first = sorted(found, key=lambda item: not wanted(item.id))[: max(most, 1)]
    kept = {item.id for item in first}
    return [item for item in found if item.id in kept]
