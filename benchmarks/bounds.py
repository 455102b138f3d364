"""The thresholds for quoting and asking back, on real messages with judged passages.

    python -m benchmarks.bounds --index DIR --data DIR [--trained 300]

The index holds MedQuAD and the starter corpus, which the judged passages are from
(``training/judged.jsonl.gz``). For each message, passages are retrieved and read as in the graph by
default. Printed for messages that the reader was trained on (a random sample of ``--trained``) and
for held-out ones, in two halves, so that a threshold can be chosen on one and reported on the
other:

- ``others``: for each minimum relevance of further quoted passages, as a share of the best one's
  (``nodes.writing.extract.SHARE_OF_BEST``), how many are quoted, how many of them help (grade 2
  or 3), and how many answers gain: the first passage does not help and another one does.
- ``clarify``: for each minimum relevance of the pages named when asking back
  (``nodes.writing.reading_list.CLARIFY``), in how many silent answers two topics are named, and
  for how many of these both pages help, one, or none.
- ``nearest``: for each minimum relevance of the pages that are listed for reading
  (``nodes.writing.reading_list.LEAST``), how many silent answers list a page, how many of these
  list one that helps, and how many pages have the grade 0 or were not judged.
- ``siblings``: for each minimum cosine of headings (``nodes.question.siblings.ALIKE``), how many
  silent answers become answers from the pages of several topics; for how many the first page
  helps, any page helps, and the first has the grade 0 or was not judged.
- ``verdict``: for each minimum product of relevance and verdict
  (``nodes.checking.answered.VERDICT``), how many yes/no verdicts the reader gives alone, as it does
  without a critic, and how many agree with the passage. For judged messages the first quoted
  passage counts; for ``asked``, questions written about passages on topics that the reader was not
  trained on, each is read with its own passage, and a near miss has no verdict.
"""

import gzip
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from anamnesis.corpus.passage import Passage
from anamnesis.models.encoder import Vectors
from anamnesis.models.reranker import load_reranker
from anamnesis.models.sentence_vectors import vectors_of
from benchmarks.command_line import command_line
from evaluation.helpfulness import MIN_HELPFUL_GRADE
from evaluation.methods import hybrid
from nodes.checking.answered import yes_no_verdict
from nodes.checking.other_sources import Disputed, dispute_test
from nodes.checking.statements import unchecked_statement
from nodes.checking.subject import is_unasked_dose
from nodes.evidence.ordering import as_read, ordered
from nodes.evidence.relevance import list_weights, relevance
from nodes.evidence.safety import all_safe
from nodes.fields.passages import ReadPassage, Selected
from nodes.parts import Parts
from nodes.question import siblings
from nodes.settings.context import Context
from nodes.settings.derived import QUOTED_RELEVANCE
from nodes.writing.extract import extract_quotations
from nodes.writing.reading_list import in_question, nearest_pages
from retrievers.corpus import Corpus
from retrievers.opening import open_corpus
from training.judged import OWN, read_judged
from training.question_passages import read_question_passages

_SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_CLARIFY = (0.2, 0.25, 0.3, 0.35, 0.4)
_LISTED = (0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2)
_ALIKE = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
_VERDICTS = (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)


class Row(NamedTuple):
    """A message with its passages, best first, and the judgements of the records.

    ``grades`` and ``polar`` (yes, no, depends) are by record; unjudged records are in neither.
    ``listable`` are the passages whose pages may be listed for reading, without text that may not
    be shown; ``disputed`` is true for a sentence of theirs that another source contradicts.
    """

    ranked: list[Selected]
    passages: Mapping[str, Passage]
    grades: Mapping[str, int]
    polar: Mapping[str, str]
    listable: Mapping[str, Passage]
    disputed: Disputed

    def grade(self, item: Selected) -> int:
        """The grade of a passage's record; 0 if it was not judged."""
        return self.grades.get(item["record_id"], 0)

    def helps(self, item: Selected) -> bool:
        """Whether the passage's record is at least a partial answer."""
        return self.grade(item) >= MIN_HELPFUL_GRADE


def judgements(path: Path | None = None) -> dict[str, tuple[dict[str, int], dict[str, str]]]:
    """Grades and verdicts by message and record; the best for a record with several passages.

    Those of ``training.judged.OWN``, or of another file of this form.
    """
    found = {}
    with gzip.open(path or OWN, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            grades: dict[str, int] = {}
            polar: dict[str, str] = {}
            for item in sorted(row["passages"], key=lambda item: item["grade"]):
                grades[item["record"]] = item["grade"]
                if item["grade"] >= MIN_HELPFUL_GRADE and item["polar"] not in (None, "open"):
                    polar[item["record"]] = item["polar"]
            found[row["id"]] = (grades, polar)
    return found


def rows(index: Corpus, messages: Sequence[tuple[str, str]]) -> Iterator[Row]:
    """The passages that the graph reads for each message (id, text)."""
    context, reader = Context.model_validate({}), load_reranker("own")
    judged, parts = judgements(), Parts(given_index=index)
    for place, (key, text) in enumerate(messages, 1):
        hits = hybrid(index, text, context)[: context.retrieval.rerank_depth]
        passages = index.passages([hit["id"] for hit in hits])
        ranked = ordered(hits, passages, reader, text, list_weights(index, context))
        listable = [item for item in all_safe(passages) if not is_unasked_dose(text, item)]
        yield Row(
            ranked,
            {item.id: item for item in passages},
            *judged[key],
            {item.id: item for item in listable},
            dispute_test(text, context, parts),
        )
        if place % 50 == 0:
            print(f"{place}/{len(messages)}", file=sys.stderr)


def _best(row: Row) -> float:
    return max((item["relevance"] for item in row.ranked[:3]), default=0.0)


def later_quotations(found: Sequence[Row]) -> Iterator[str]:
    """The quotations after the first passage, for each share."""
    most = Context.model_validate({}).generator.max_statements
    answers = [row for row in found if _best(row) >= QUOTED_RELEVANCE]
    for least in _SHARES:
        number = helping = gain = 0
        for row in answers:
            chosen = [entry for entry in row.ranked[:3] if entry["relevance"] >= QUOTED_RELEVANCE]
            pages = [row.passages[entry["id"]] for entry in chosen]
            said = extract_quotations(pages, chosen, QUOTED_RELEVANCE, most, least)
            cited = list(
                dict.fromkeys(key for item in said.statements for key in item["citations"])
            )
            helps = [row.helps(entry) for key in cited for entry in chosen if entry["id"] == key]
            number += max(0, len(helps) - 1)
            helping += sum(helps[1:])
            gain += bool(helps) and not helps[0] and any(helps)
        yield (
            f"share {least:.2f}: {len(answers)} answers, {number} other passages quoted, "
            f"{helping} of them help, {gain} answers gain"
        )


def asked_back(found: Sequence[Row], vectors: Callable[[Sequence[str]], Vectors]) -> Iterator[str]:
    """The pages named when asking back, for each minimum relevance."""
    silent = [row for row in found if _silent(row, vectors)]
    for least in _CLARIFY:
        named = []
        for row in silent:
            by_id = {item["id"]: item for item in row.ranked}
            read: list[ReadPassage] = [
                {"id": item["id"], "relevance": item["relevance"], "start": 0, "end": 0}
                for item in row.ranked
            ]
            if both := in_question(read, row.passages, least):
                named.append(sum(row.helps(by_id[item["id"]]) for item in both))
        yield (
            f"least {least:.2f}: of {len(silent)} silent, {len(named)} asked back; both pages help "
            f"{named.count(2)}, one {named.count(1)}, none {named.count(0)}"
        )


def _silent(row: Row, vectors: Callable[[Sequence[str]], Vectors]) -> bool:
    items = siblings.with_siblings(row.ranked[:3], row.passages, QUOTED_RELEVANCE, vectors)
    return max((item["relevance"] for item in items), default=0.0) < QUOTED_RELEVANCE


def listed(found: Sequence[Row], vectors: Callable[[Sequence[str]], Vectors]) -> Iterator[str]:
    """The pages listed for reading, for each minimum relevance."""
    silent = [row for row in found if _silent(row, vectors)]
    for least in _LISTED:
        pages = []
        for row in silent:
            read = [as_read(item) for item in row.ranked]
            near = nearest_pages(read, row.listable, row.disputed, least=least)
            pages.append([row.grades.get(page["id"], 0) for page in near])
        grades = [grade for page in pages for grade in page]
        helped = sum(max(page, default=0) >= MIN_HELPFUL_GRADE for page in pages)
        yield (
            f"least {least:.2f}: of {len(silent)} silent, {sum(map(bool, pages))} list a page, "
            f"{helped} one that helps; of {len(grades)} pages, {sum(one <= 0 for one in grades)} "
            "of grade 0 or not judged"
        )


def of_siblings(found: Sequence[Row], vectors: Callable[[Sequence[str]], Vectors]) -> Iterator[str]:
    """The answers with the pages of several topics, for each minimum cosine."""
    silent = [row for row in found if _best(row) < QUOTED_RELEVANCE]
    for alike in _ALIKE:
        number = first = some = wrong = 0
        for row in silent:
            items = siblings.with_siblings(
                row.ranked[:3], row.passages, QUOTED_RELEVANCE, vectors, alike
            )
            joint = [item for item in items if "topics" in item]
            if joint:
                number += 1
                first += row.helps(joint[0])
                some += any(map(row.helps, joint))
                wrong += row.grade(joint[0]) <= 0
        yield (
            f"cosine {alike:.2f}: of {len(silent)} silent, {number} answered; the first page helps "
            f"{first}, one of them {some}, the first of grade 0 {wrong}"
        )


def verdicts(said: Sequence[tuple[Selected, str | None]]) -> Iterator[str]:
    """The numbers of verdicts shown and right, from passages with their verdict or None."""
    for least in _VERDICTS:
        shown = []
        for item, right in said:
            word = yes_no_verdict([unchecked_statement("", [item["id"]])], [item], least)
            if word:
                shown.append(word == right)
        yield f"least {least:.2f}: of {len(said)}, {len(shown)} shown, {sum(shown)} right"


def held_out_questions(folder: Path) -> list[tuple[Selected, str | None]]:
    """The held-out questions, each read with its own passage, which has this verdict or None."""
    reader, found = load_reranker("own"), []
    for entry in read_question_passages(folder):
        if entry.held_out:
            [reading] = reader.read(entry.question, [(entry.heading, " ".join(entry.sentences))])
            item: Selected = {
                "id": entry.passage, "record_id": entry.passage, "score": 0.0, "ranks": {},
                "scores": {}, "relevance": relevance(reading, None), "sentences": [],
                "polar": reading.polar,
            }  # fmt: skip
            if item["relevance"] >= QUOTED_RELEVANCE:
                found.append((item, entry.polar if entry.answers else None))
    return found


def report(name: str, found: Sequence[Row], vectors: Callable[[Sequence[str]], Vectors]) -> None:
    """Print the tables of a group of messages."""
    first = [(row, row.ranked[0]) for row in found if _best(row) >= QUOTED_RELEVANCE]
    tables = {
        "others": later_quotations(found),
        "clarify": asked_back(found, vectors),
        "nearest": listed(found, vectors),
        "siblings": of_siblings(found, vectors),
        "verdict": verdicts([(top, row.polar.get(top["record_id"])) for row, top in first]),
    }
    for title, lines in tables.items():
        print(f"{name}, {len(found)} messages: {title}")
        for line in lines:
            print(f"  {line}")


def main() -> None:
    parser = command_line(__doc__, "data", "index")
    parser.add_argument("--trained", type=int, default=0, help="messages that were trained on")
    chosen = parser.parse_args()
    every = read_judged(chosen.data)
    aside = [(item.id, item.message) for item in every if item.held_out]
    known = [(item.id, item.message) for item in every if not item.held_out]
    random.Random(3).shuffle(known)
    index = open_corpus(chosen.index)
    vectors = vectors_of(index.embedder)
    groups = {"kept aside, first half": aside[::2], "kept aside, second half": aside[1::2]}
    if chosen.trained:
        groups = {"trained on": known[: chosen.trained], **groups}
    for name, messages in groups.items():
        report(name, list(rows(index, messages)), vectors)
    said = held_out_questions(chosen.data)
    for name, half in (("first", said[::2]), ("second", said[1::2])):
        print(f"asked, {name} half: verdict")
        for line in verdicts(half):
            print(f"  {line}")


if __name__ == "__main__":
    main()
