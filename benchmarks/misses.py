"""Where answers are lost: the step at which each question that is not answered rightly fails.

    python -m benchmarks.misses [--index DIR] [--liveqa DIR] [--starter DIR] [--data DIR] [--cases]
        [--write DIR]

Each question has a record that answers it, and is asked through the graph with the default
settings. An answer is right as in ``anamnesis evaluate helpfulness``: its first cited record has
at least grade 2. For the others, the state of the graph says which of ``STEPS`` lost them. The
sets, each measured if its index is given:

- ``--index``, of MedQuAD and the starter corpus: the real messages of ``training/judged.jsonl.gz``
  that no model here was trained on. Six or seven records were judged for each; another record that
  answers as well counts as one that does not help.
- with the same index, the held-out questions of ``training/first_pages.jsonl.gz``, as people type
  them. The first eight pages of the search were judged for each.
- with the same index, further real messages and questions written for pages of MedQuAD, in
  ``benchmarks/first_pages.jsonl.gz``. None of them was trained on, but many of their topics were.
- ``--liveqa``, of the corpus that ``python -m benchmarks.liveqa_helpfulness`` writes: messages of
  LiveQA-Med and their summaries.
- ``--starter``, of the starter corpus: ``asked_starter.jsonl.gz``, topics not trained on.

Without any of them, ``--index`` is the default index. ``--cases`` also prints each lost question.
``--write DIR`` asks nothing: it writes the held-out messages and questions as typed as files of
queries for ``benchmarks.relevance``, those that no judged page answers among them.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple, cast

from anamnesis.address import Location
from anamnesis.paths import default_index
from benchmarks.bounds import judgements
from benchmarks.command_line import command_line
from benchmarks.liveqa_helpfulness import QUESTIONS
from benchmarks.liveqa_helpfulness import queries as liveqa_queries
from evaluation.helpfulness import MIN_HELPFUL_GRADE
from evaluation.methods import hybrid
from evaluation.reading import Query
from evaluation.results import put
from graph import Context, build_graph
from graph.build import Graph
from nodes.question.several import question_states
from nodes.settings.derived import least_relevance
from nodes.state import Input, State
from retrievers.opening import open_corpus
from training.judged import FIRST_PAGES, OWN, Judged, read_judged
from training.question_passages import question_passage_rows

FURTHER = Path(__file__).with_name("first_pages.jsonl.gz")
"""Judgements of the first eight pages of a search, in the form of ``training.judged.FIRST_PAGES``.

Rows with a ``message`` are questions written for pages of MedQuAD, and have a colon in their ids;
the others name real messages by their ids.
"""

EMERGENCY = "taken for an emergency, so that nothing is searched"
SEARCH = "not among the candidates of the search"
DEPTH = "among the candidates, but not read"
ANOTHER = "read, but another passage comes first"
RELEVANCE = "first, but its relevance is too low"
SENTENCE = "relevant, but no sentence of it is quoted"
CHECK = "quoted, but not confirmed by the checks"
OTHER = "other"
STEPS = (EMERGENCY, SEARCH, DEPTH, ANOTHER, RELEVANCE, SENTENCE, CHECK, OTHER)
"""What happened to the passages that help, in the order of the graph."""


class LostQuestion(NamedTuple):
    """A lost question: its step, whether the answer states something else, and two relevances.

    They are those of the first passage and of the best one that helps; None if none was read.
    """

    query: Query
    step: str
    stated: bool
    first: float | None
    helping: float | None


def ask(graph: Graph, text: str, context: Context) -> State:
    """The state at the end of a run, with the hits and the passages read in its first round."""
    state: State = {}
    asked: Input = {"question": text}
    for step in graph.stream(asked, context=context, stream_mode="updates"):
        for update in step.values():
            early = ("hits", "read", "selected") if state.get("rounds") else ()
            fields = {name: item for name, item in (update or {}).items() if name not in early}
            state = cast(State, {**state, **fields})
    return state


def is_right(state: State, grades: Mapping[str, float]) -> bool:
    """Whether the first cited record helps."""
    cited = [key for item in state["answer"]["statements"][:1] for key in item["citations"]]
    return bool(cited) and grades.get(cited[0], 0) >= MIN_HELPFUL_GRADE


def lost_at(
    state: State, helps: Set[str], searched: Callable[[State], Set[str]], least: float
) -> str:
    """The step that lost the records in ``helps``.

    ``searched`` returns the records among the candidates for a question's query; ``least`` is the
    minimum relevance.
    """
    if not state.get("hits"):
        return EMERGENCY if state["urgency"]["level"] == "emergency" else OTHER
    records = {hit["id"]: hit["record_id"] for hit in state["hits"]}
    if helps.isdisjoint(records[item["id"]] for item in state["read"]):
        found = any(helps & searched(state) for _, state in question_states(state))
        return DEPTH if found else SEARCH
    firsts = [state["selected"][0] for _, state in question_states(state) if state["selected"]]
    mine = [item for item in firsts if item["record_id"] in helps]
    if not mine:
        return ANOTHER
    if all(item["relevance"] < least for item in mine):
        return RELEVANCE
    said = [item for entry in state.get("rounds", []) for item in entry["statements"]]
    quoted = [item for item in said if helps & {records.get(key, "") for key in item["citations"]}]
    if not quoted:
        return SENTENCE
    return OTHER if any(item["verdict"] == "supported" for item in quoted) else CHECK


def misses(index: Location, queries: Sequence[Query]) -> Iterator[LostQuestion]:
    """The questions that are not answered rightly."""
    context, corpus = Context.model_validate({"index": str(index)}), open_corpus(index)
    graph = build_graph()
    least = least_relevance({}, context)

    def searched(state: State) -> Set[str]:
        return {hit["record_id"] for hit in hybrid(corpus, state["queries"][0], context)}

    for query in queries:
        state = ask(graph, query.text, context)
        if is_right(state, query.relevant):
            continue
        helps = {record for record, grade in query.relevant.items() if grade >= MIN_HELPFUL_GRADE}
        records = {hit["id"]: hit["record_id"] for hit in state.get("hits", [])}
        read = state.get("read", [])
        helping = [item["relevance"] for item in read if records[item["id"]] in helps]
        yield LostQuestion(
            query,
            lost_at(state, helps, searched, least),
            bool(state["answer"]["statements"]),
            max((item["relevance"] for item in state.get("selected", [])), default=None),
            max(helping, default=None),
        )


def real_messages(data: Path) -> list[Query]:
    """The held-out judged messages."""
    return _held_out(OWN, read_judged(data))


def typed_questions(data: Path) -> list[Query]:
    """The held-out questions as people type them.

    Short ones that another person typed in the same words for training are left out.
    """
    rows = read_judged(data, FIRST_PAGES)
    trained = {item.message.casefold() for item in rows if not item.held_out}
    return _held_out(FIRST_PAGES, [item for item in rows if item.message.casefold() not in trained])


def further_questions(data: Path) -> dict[str, list[Query]]:
    """The messages and the page questions of ``FURTHER``."""
    grades = judgements(FURTHER)
    every = [
        Query(item.id, item.message, grades[item.id][0]) for item in read_judged(data, FURTHER)
    ]
    return {
        "further real messages": [item for item in every if ":" not in item.id],
        "questions written for pages": [item for item in every if ":" in item.id],
    }


def _held_out(path: Path, rows: Sequence[Judged]) -> list[Query]:
    judged = judgements(path)
    return [Query(item.id, item.message, judged[item.id][0]) for item in rows if item.held_out]


def answerable(queries: Sequence[Query]) -> list[Query]:
    """Those that a judged record answers."""
    return [item for item in queries if max(item.relevant.values(), default=0) >= MIN_HELPFUL_GRADE]


def write_queries(file: Path, queries: Sequence[Query]) -> None:
    """Write the queries and their grades in the form that ``evaluate helpfulness`` reads."""
    rows = [{"id": item.id, "text": item.text, "relevant": item.relevant} for item in queries]
    put(file, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def liveqa(data: Path) -> dict[str, list[Query]]:
    """LiveQA-Med's questions that have an answer, as messages and as summaries."""
    rows = liveqa_queries(data / QUESTIONS)
    return {
        name: [Query(**row) for row in rows[f"{name}_answerable"]]
        for name in ("messages", "summaries")
    }


def starter_questions(data: Path) -> list[Query]:
    """The questions of ``asked_starter`` on topics not trained on that their record answers."""
    return [
        Query(row["id"], item.question, {row["record"]: MIN_HELPFUL_GRADE})
        for item, row in question_passage_rows(data)
        if "passage" not in row and item.held_out and item.answers
    ]


def table(number: int, missed: Sequence[LostQuestion]) -> Iterator[str]:
    """The number and share of questions lost at each step."""
    counts = Counter(item.step for item in missed)
    right = number - len(missed)
    stated = Counter(item.step for item in missed if item.stated)
    yield f"{number} questions, {right} answered rightly ({right / max(1, number):.3f})"
    for step in STEPS:
        share = f"{counts[step]:3d} {counts[step] / max(1, number):.3f} {step}"
        yield f"  {share}; something else is stated: {stated[step]}"


def _case(item: LostQuestion) -> str:
    first, helping = ("-" if each is None else f"{each:.3f}" for each in (item.first, item.helping))
    words = " ".join(item.query.text.split())
    return f"    {item.query.id}: {item.step} (first {first}, helping {helping}): {words[:200]}"


def main() -> None:
    parser = command_line(__doc__, "data")
    parser.add_argument("--index", type=Path, help="index of MedQuAD and the starter corpus")
    parser.add_argument("--liveqa", type=Path, help="index of LiveQA-Med's answers")
    parser.add_argument("--starter", type=Path, help="index of the starter corpus")
    parser.add_argument("--cases", action="store_true", help="print each lost question")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write queries, ask nothing")
    given = parser.parse_args()
    data = given.data
    if given.write:
        write_queries(given.write / "messages.jsonl", real_messages(data))
        write_queries(given.write / "typed.jsonl", typed_questions(data))
        return
    sets: list[tuple[str, Location, list[Query]]] = []
    if given.index or not (given.liveqa or given.starter):
        index = given.index or default_index()
        sets.append(("real messages", index, answerable(real_messages(data))))
        sets.append(("questions as typed", index, answerable(typed_questions(data))))
        sets += [
            (name, index, answerable(queries)) for name, queries in further_questions(data).items()
        ]
    if given.liveqa:
        sets += [
            (f"LiveQA-Med, {name}", given.liveqa, queries) for name, queries in liveqa(data).items()
        ]
    if given.starter:
        sets.append(("starter corpus", given.starter, starter_questions(data)))
    for name, index, queries in sets:
        missed = list(misses(index, queries))
        print(f"{name}: ", end="")
        for line in table(len(queries), missed):
            print(line)
        for item in missed if given.cases else ():
            print(_case(item))


if __name__ == "__main__":
    main()
