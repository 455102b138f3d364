"""How answers to questions as people type them were judged.

    python -m benchmarks.typed_answers

``typed_answers.tsv`` has 130 routine questions of ``further_messages.jsonl`` with the judgement of
the answer over MedQuAD and the starter corpus, by two judges with a doctor's criteria, each half of
them: ``useful``, ``partly`` (answers a side of the question), ``irrelevant``, ``misleading``,
``silent`` (nothing is stated) or ``emergency-wrong`` (led by a call for help that is not needed).

``everyday_answers.tsv`` has 100 common questions of general practice, by a writer who had not seen
the program, each with the judgement of its answer by one of two judges, with the same labels. The
judges were shown what a good answer says. ``practice_answers.tsv`` has 100 more by another writer,
broad and narrow ones in the proportions of a week in a practice, judged in the same way; the
judges also saw the answers of an earlier state, and did not know which was which.
``week_answers.tsv`` has 100 more by a writer of another country, a quarter of them with a story,
judged in this way. ``advice_answers.tsv`` has 100 more by one more writer, of what a practice, a
pharmacy and a telephone line hear in a week; five of the silent answers are right, because no
medical reference answers the question (a price). ``line_answers.tsv`` has 100 more by another
writer, a nurse's of such a telephone line; three of the silent answers are right.
``town_answers.tsv`` and ``plan_answers.tsv`` have 100 each by two more writers, of an ordinary week
in a town in England and on a nurse's line in North America; four and three of the silent answers
are right. ``island_answers.tsv`` and ``southern_answers.tsv`` have 100 each by two more writers,
from New Zealand and Scotland, and from the south and middle of the United States and Canada; three
and eight of the silent answers are right. All these are answers before the last fitting of the
triage. ``midlands_answers.tsv`` and ``coast_answers.tsv`` have 100 each by two more writers, from
England and Wales and from the coasts of the United States, after it, with urgent messages from a
probability of .4 (now .45); three of the silent answers of each are right. ``harbour_answers.tsv``
and ``prairie_answers.tsv`` have 100 each by two more writers, from Ireland and Australia, and from
Canada and the plains of the United States, some of them with English as a second language; four and
three of the silent answers are right. ``moor_answers.tsv`` and ``lake_answers.tsv`` have 100 each
by two more writers, from Scotland, the north of England and New Zealand, and from the south and the
Great Lakes of the United States; two of the silent answers of each are right.
``valley_answers.tsv`` and ``hills_answers.tsv`` have 100 each by two more writers, from Wales,
Northern Ireland, the English Midlands and South Africa, and from New England, the Rocky Mountains,
India and Singapore; three and four of the silent answers are right. ``forest_answers.tsv`` and
``delta_answers.tsv`` have 100 each by two more writers, from the English Home Counties, the Channel
Islands, the north of England and Nova Scotia, and from Louisiana, Arizona, Oregon and New Jersey,
with the reader that learned from the first pages of searches; two judges for each, half each. Of
these last eight sets, from ``harbour`` on, the judges labelled the statements alone (``label``),
and all that is shown, with the other pages that are listed below them (``with pages``).

``asked_as_answers.tsv`` has those 42 of the 100 whose answer changed when the starter corpus got
questions in other words (``retrievers.asked_as``): the labels of the answer without and with them,
and which is better, by two judges, each half of them, who did not know which was which.
``further_pages_answers.tsv`` has, in the same form, those 29 of the 100 of ``town_answers.tsv``
whose answer changed with 156 further records of the starter corpus and the table of everyday names
(``retrievers.terms``). ``more_pages_answers.tsv`` has those 33 of the 200 answers of
``island_answers.tsv`` and ``southern_answers.tsv`` whose statements changed with 354 further
records, ``latest_pages_answers.tsv`` those 59 of the last two sets that changed with 355 further
records, a deciding sentence in 96 others, more weight for the fused score, and the last fitting of
the triage; one judge each did not know which was which. ``first_pages_answers.tsv`` has those 342
of the 600 answers of ``moor``, ``lake``, ``valley``, ``hills``, ``forest`` and ``delta`` that
changed with that reader and the relevance fitted to it; seven judges, each with questions of their
own, did not know which was which. ``source_order_answers.tsv`` has the 23 answers to 686 questions
of these sets that change if, of pages that are almost as relevant as the best, the stronger sources
are quoted first, whether or not they have a sentence worth quoting; two judges, each of whom judged
all of them, did not know which was which. Answers of ``coast`` and ``midlands`` suggested this
order, so these figures are optimistic.

``whole_pages.tsv`` compares two forms of an answer: with the whole of its first passage, and with
the sentences that the reader chooses. Two judges, each with questions of their own, did not know
which was which. ``nodes.writing.whole_page.LEAST_RELEVANCE_WITH_OTHERS`` was chosen with the sets
``chosen on`` and ``further``, ``LEAST_RELEVANCE_QUOTED_WHOLE`` with ``lower relevance``;
``relevance`` is empty if the answer has several parts; ``sources`` says whether the form by
sentences cites one source.

``further_sentences.tsv`` compares an answer that quotes the whole of its first page alone with the
same answer followed by two sentences of a further page (``nodes.writing.whole_page``). One judge,
who did not know which was which, gave both a label and said which is better. The rule was chosen on
the questions of the set ``chosen on``; ``other`` has all such answers of ``advice_answers.tsv``.

Prints the counts of all.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.command_line import command_line
from nodes.writing.whole_page import LEAST_RELEVANCE_WITH_OTHERS as WITH_OTHERS

LABELS = ("useful", "partly", "irrelevant", "misleading", "silent", "emergency-wrong")
_FOLDER = Path(__file__).parent
SETS = (
    "typed_answers", "everyday_answers", "practice_answers", "week_answers", "advice_answers",
    "line_answers", "town_answers", "plan_answers", "island_answers", "southern_answers",
    "midlands_answers", "coast_answers", "harbour_answers", "prairie_answers",
    "moor_answers", "lake_answers", "valley_answers", "hills_answers",
    "forest_answers", "delta_answers",
)  # fmt: skip


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table of this folder."""
    with (_FOLDER / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def lines() -> Iterator[str]:
    """What is printed."""
    for name in SETS:
        judged = rows(f"{name}.tsv")
        yield f"{name}: {_counts(row['label'] for row in judged)}"
        if "with pages" in judged[0]:
            yield f"  with the other pages listed: {_counts(row['with pages'] for row in judged)}"
    pairs = [row for row in rows("whole_pages.tsv") if row["relevance"]]
    for name in dict.fromkeys(row["set"] for row in pairs):
        of_set = [row for row in pairs if row["set"] == name]
        below = [row for row in of_set if float(row["relevance"]) < WITH_OTHERS]
        above = [row for row in of_set if float(row["relevance"]) >= WITH_OTHERS]
        for part, which in ((below, f"below {WITH_OTHERS}"), (above, f"from {WITH_OTHERS}")):
            for number in ("one", "several"):
                if found := [row for row in part if row["sources"] == number]:
                    yield compared(f"{name}, relevance {which}, sources: {number}", found)
    further = rows("further_sentences.tsv")
    for name in dict.fromkeys(row["set"] for row in further):
        of_set = [row for row in further if row["set"] == name]
        yield from with_and_without(f"further sentences, {name}", of_set)
    yield from with_and_without("questions in other words", rows("asked_as_answers.tsv"))
    yield from with_and_without("further pages and names", rows("further_pages_answers.tsv"))
    yield from with_and_without("354 further pages", rows("more_pages_answers.tsv"))
    yield from with_and_without("355 further pages and more", rows("latest_pages_answers.tsv"))
    yield from with_and_without("first pages of searches", rows("first_pages_answers.tsv"))
    yield from with_and_without("stronger sources first", rows("source_order_answers.tsv"))


def _counts(labels: Iterable[str]) -> str:
    counted = Counter(labels)
    return ", ".join(f"{label} {counted[label]}" for label in LABELS)


def with_and_without(name: str, found: list[dict[str, str]]) -> Iterator[str]:
    """How often each of two answers is preferred, and their labels."""
    better = Counter(row["preferred"] for row in found)
    preferred = ", ".join(f"{each} {better[each]}" for each in ("with", "without", "same"))
    yield f"{name}: {len(found)}, preferred {preferred}"
    for form in ("with", "without"):
        yield f"  {form}: {_counts(row[form] for row in found)}"


def compared(name: str, found: list[dict[str, str]]) -> str:
    """How often each form is preferred, and how often it is misleading."""
    better = Counter(row["preferred"] for row in found)
    misleads = [
        sum(row[f"{form} misleading"] == "yes" for row in found) for form in ("whole", "sentences")
    ]
    return (
        f"{name}: {len(found)}, whole preferred {better['whole']}, sentences "
        f"{better['sentences']}, the same {better['same']}; misleading {misleads[0]} and "
        f"{misleads[1]}"
    )


def main() -> None:
    """Run the command."""
    command_line(__doc__).parse_args()
    for line in lines():
        print(line)


if __name__ == "__main__":
    main()
