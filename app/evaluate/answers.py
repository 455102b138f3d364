"""The command that measures how often the right option, or yes or no, is chosen."""

import argparse
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from anamnesis import SettingError
from anamnesis.address import Location
from anamnesis.paths import index_at
from app.evaluate.common import (
    ALONE,
    configuration,
    file_digest,
    model,
    running,
    sample_digest,
    show,
)
from app.run_options import context_of
from evaluation import report, significance
from evaluation.answers import by_graph, evaluate_answers
from evaluation.reading import Question, read_questions
from evaluation.results import placeless
from graph import Context, graph
from retrievers.corpus import Corpus
from retrievers.facts import FactSearch
from retrievers.methods import DEFAULT_METHODS, HYBRID, finds_facts, of_facts, of_passages
from retrievers.opening import open_corpus

_METHODS = "retrieval.methods"

# A dimension of the comparison: its variants, each with name and settings.
Axis = list[tuple[str, dict[str, Any]]]


def answers(given: argparse.Namespace) -> int:
    """Ask questions with options, or for yes or no, with several settings; compare the answers."""
    critics, given.critic = given.critic, None  # several critics are not a setting
    settings = context_of(given)
    file = Path(given.questions)
    read, excluded = read_questions(file, given.dataset)
    questions = _sampled(read, given.sample, given.seed)
    contexts = rows(
        settings, critics=critics, retrieval=given.retrieval, rounds=given.rounds,
        facts_k=given.facts_k, fact_search=given.fact_search,
    )  # fmt: skip
    first = next(iter(contexts.values()))
    where = index_at(first.index)
    indexes, places = _indexes([where, *map(Path, given.compare)])
    index = next(iter(indexes.values()))
    if not index.manifest.facts and any(
        finds_facts(*item.retrieval.methods) for item in contexts.values()
    ):
        raise SettingError(
            f"the index in {where} has no facts to compare with; put some into it: "
            f"`anamnesis index facts PATH --index {where}`"
        )
    setup = {
        **configuration(given, significance.MEAN_RESAMPLES),
        "questions": {**file_digest(file), "dataset": given.dataset, "used": len(questions)}
        | {"sample": given.sample, "excluded": excluded},
        "asked": sample_digest(questions),
        "critics": _fingerprints(item.verification.critic for item in contexts.values()),
        "rerankers": _fingerprints(item.retrieval.reranker for item in contexts.values()),
        "embedders": {name: one.manifest.embedder.fingerprint for name, one in indexes.items()},
        "facts": index.manifest.facts,
        "index": index.manifest.corpus,
        "settings": {name: item.model_dump(exclude={"index"}) for name, item in contexts.items()},
    }
    with running(given, setup, "asking") as execution:
        result = evaluate_answers(
            questions,
            {name: by_graph(graph, context) for name, context in _named_rows(contexts, places)},
            execution,
        )
    text = f"{file}: {report.answers_text(result)}"
    if excluded:
        text += (
            f"\n\n{excluded} questions of the file cannot be asked: they have no options that "
            "differ, and are not of the type yes/no"
        )
    manifests = [one.manifest for one in indexes.values()]
    show(given, {**result.to_json(), "configuration": setup}, text, result.asked, manifests)
    return 0


def _named_rows(
    contexts: Mapping[str, Context], places: Mapping[str, Location]
) -> Iterator[tuple[str, Context]]:
    """Every row with every index; the index is in the name if there are several."""
    for reference, place in places.items():
        index = {"index": str(place.absolute())} if isinstance(place, Path) else {}
        for name, context in contexts.items():
            yield name if len(places) == 1 else f"{name}, {reference}", context.changed(index)


def rows(
    settings: Mapping[str, Any],
    *,
    critics: str | None = None,
    retrieval: str | None = None,
    rounds: str | None = None,
    facts_k: str | None = None,
    fact_search: str | None = None,
) -> dict[str, Context]:
    """The settings of each row: all combinations of the given variants [K6, S8].

    Each argument is a comma-separated list. Facts are compared if they are named, or if they are
    among the ``methods``; if lists of passages are compared too, one variant has no facts. A row is
    named after the settings that distinguish it.

    Raises SettingError for an invalid number, or an unknown critic or variant.
    """
    base = Context.model_validate({**settings, **ALONE})
    axes: list[Axis] = []
    if retrieval:
        axes.append([(name, {_METHODS: _lists(name)}) for name in _named(retrieval)])
    if critics:
        refs = [(name, None if name == "none" else name) for name in _named(critics)]
        axes.append([(f"critic {name}", {"verification.critic": ref}) for name, ref in refs])
    if rounds:
        axes.append([(f"at most {n} rounds", {"loop.max_rounds": n}) for n in _named(rounds)])
    if facts_k or fact_search or finds_facts(*base.retrieval.methods):
        numbers = _named(facts_k) if facts_k else [str(base.retrieval.facts_k)]
        ways = _named(fact_search) if fact_search else [base.retrieval.fact_search]
        lists = retrieval or [item for item in base.retrieval.methods if not finds_facts(item)]
        axes.append([("no facts", {"retrieval.facts_k": None})] if lists else [])
        axes[-1] += [
            (f"{number} facts" + (f", {way}" if len(ways) > 1 else ""),
             {"retrieval.facts_k": number, "retrieval.fact_search": way})
            for way in ways for number in numbers
        ]  # fmt: skip
    found = {}
    for ways_chosen in product(*axes):
        name = ", ".join(
            variant for axis, (variant, _) in zip(axes, ways_chosen, strict=True) if len(axis) > 1
        )
        changes = {key: value for _, each in ways_chosen for key, value in each.items()}
        found[name or base.preset] = _context(settings, base, changes)
    return found


def _context(settings: Mapping[str, Any], base: Context, values: Mapping[str, Any]) -> Context:
    """The settings of one row; ``facts_k`` None leaves facts out."""
    with_facts = values.get("retrieval.facts_k") is not None
    methods = values.get(_METHODS, base.retrieval.methods)
    lists = [name for name in methods if not finds_facts(name)]
    chosen = {
        name: value
        for name, value in values.items()
        if value is not None or name == "verification.critic"
    }
    facts = [name for name in base.retrieval.methods if finds_facts(name)] or of_facts()
    chosen[_METHODS] = [*lists, *facts] if with_facts else lists
    try:
        return Context.model_validate({**settings, **ALONE, **chosen})
    except ValidationError as error:
        wrong = error.errors()[0]
        raise SettingError(
            f"{'.'.join(map(str, wrong['loc']))} {wrong['input']!r}: {wrong['msg']}. --facts-k "
            f"takes numbers from 1 to 100, --fact-search {', '.join(get_args(FactSearch))}, "
            "--rounds numbers from 1 to 10, --critic references, each with commas between them"
        ) from None


def _fingerprints(references: Iterable[str | None]) -> dict[str, str | None]:
    return {item: model(item)["fingerprint"] for item in dict.fromkeys(references) if item}


def _named(given: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in given.split(",")))


def _lists(name: str) -> tuple[str, ...]:
    lists = {item: (item,) for item in of_passages()} | {HYBRID: DEFAULT_METHODS}
    if name not in lists:
        raise SettingError(f"--retrieval takes {', '.join(lists)}, not {name!r}")
    return lists[name]


def _indexes(places: Sequence[Location]) -> tuple[dict[str, Corpus], dict[str, Location]]:
    """The indexes and their places, by their embedder's reference, in order [K6].

    Raises SettingError if two contain different documents or have the same embedder.
    """
    known: dict[str, Location] = {}
    found: dict[str, Corpus] = {}
    for where in places:
        index = open_corpus(where)
        made = index.manifest.embedder
        reference = placeless(made.reference)
        if same := [known[name] for name, item in found.items() if item.manifest.embedder == made]:
            raise SettingError(
                f"the indexes in {same[0]} and {where} were both made with "
                f"{reference!r}; --compare is for the same documents by another embedder"
            )
        first = next(iter(found.values()), index)
        if index.manifest.corpus != first.manifest.corpus:
            raise SettingError(
                f"the indexes in {places[0]} and {where} contain different documents; make the "
                "second from the same files with `anamnesis index … --embedder REF`"
            )
        # Two folders with the same name are distinguished by their content.
        name = f"{reference} {made.fingerprint[:8]}" if reference in found else reference
        found[name], known[name] = index, where
    return found, known


def _sampled(questions: Sequence[Question], size: int | None, seed: int) -> Sequence[Question]:
    if size is None or size >= len(questions):
        return questions
    if size < 1:
        raise SettingError(f"--sample must be 1 or more, not {size}")
    return random.Random(seed).sample(questions, size)
