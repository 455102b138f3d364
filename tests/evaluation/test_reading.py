import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.errors import CorpusError
from evaluation.reading import Pair, Query, Question, read_pairs, read_queries, read_questions

PAIR = {"premise": "P", "hypothesis": "H", "label": "neutral"}
QUERY = {"id": "1", "text": "T", "relevant": {"a": 1}}


def write(folder: Path, *rows: Any) -> Path:
    file = folder / "rows.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file.write_text("\n".join(lines) + "\n")
    return file


def test_pairs_are_read_and_other_fields_ignored(tmp_path: Path) -> None:
    file = write(tmp_path, {**PAIR, "id": 7}, {**PAIR, "label": "entailment", "split": "dev"})
    assert read_pairs(file) == [Pair("P", "H", "neutral"), Pair("P", "H", "entailment")]
    assert read_pairs(file, "dev") == [Pair("P", "H", "entailment")]


def test_a_pair_may_have_several_premises(tmp_path: Path) -> None:
    file = write(tmp_path, {**PAIR, "premise": ["P", " Q "]}, {**PAIR, "premise": ["P"]})
    assert read_pairs(file) == [Pair("P", "H", "neutral", ("Q",)), Pair("P", "H", "neutral")]
    assert read_pairs(file)[0].premises == ("P", "Q")
    for wrong in ([], ["P", ""], [["P"]]):
        with pytest.raises(CorpusError, match="premise"):
            read_pairs(write(tmp_path, {**PAIR, "premise": wrong}))


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl.gz"
    file.write_bytes(gzip.compress(json.dumps(PAIR).encode()))
    assert len(read_pairs(file)) == 1


def test_queries_are_read_with_beirs_ids_and_with_ours(tmp_path: Path) -> None:
    rows = [{**QUERY, "relevant": {"a": 2, "b": 0}}, {"_id": 2, "text": "U", "relevant": {}}]
    first, second = read_queries(write(tmp_path, *rows))
    assert first == Query("1", "T", {"a": 2, "b": 0})
    assert second == Query("2", "U", {})
    assert (first.judged, second.judged) == (True, False)


def test_the_queries_of_bioasq_are_read_as_they_are(tmp_path: Path) -> None:
    file = write(tmp_path, {"id": "7", "question": "Q?", "relevant_passages": ["p-1", "p-2"]})
    assert read_queries(file) == [Query("7", "Q?", {"p-1": 1, "p-2": 1})]
    with pytest.raises(CorpusError, match="'relevant' is not an object"):
        read_queries(write(tmp_path, {"id": "7", "question": "Q?", "relevant_passages": "p-1"}))


def test_a_record_of_another_split_may_be_of_any_form(tmp_path: Path) -> None:
    file = write(tmp_path, {"split": "train"}, {**QUERY, "split": "test"})
    assert [query.id for query in read_queries(file, "test")] == ["1"]


@pytest.mark.parametrize("read", [read_pairs, read_queries])
def test_a_missing_an_empty_and_a_foreign_file_are_refused(tmp_path: Path, read: Any) -> None:
    with pytest.raises(CorpusError, match=r"nowhere\.jsonl"):
        read(tmp_path / "nowhere.jsonl")
    (tmp_path / "empty").write_text("")
    with pytest.raises(CorpusError, match="empty"):
        read(tmp_path / "empty")
    (tmp_path / "poem").write_text("Not JSON\nat all\n")
    with pytest.raises(CorpusError, match="neither JSON nor JSON Lines"):
        read(tmp_path / "poem")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"premise": "P"', "not readable"),
        ([1], "not an object"),
        ({"premise": "P", "label": "neutral"}, "no field 'hypothesis'"),
        ({**PAIR, "premise": " "}, "empty premise"),
        ({**PAIR, "premise": [["P"]]}, "'premise' is not a text"),
        ({**PAIR, "hypothesis": "half \ud83d"}, "'hypothesis' is not Unicode text"),
        ({**PAIR, "label": "maybe"}, "unknown label 'maybe'"),
        ({**PAIR, "label": None}, "empty label"),
    ],
)
def test_a_bad_pair_is_an_error_that_names_its_line(tmp_path: Path, row: Any, said: str) -> None:
    with pytest.raises(CorpusError, match=said) as error:
        read_pairs(write(tmp_path, PAIR, row))
    assert "rows.jsonl, line 2" in str(error.value)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "not readable"),
        ({"text": "T", "relevant": {}}, "no field 'id'"),
        ({"id": "2", "relevant": {}}, "no field 'text'"),
        ({**QUERY, "id": "2", "text": ""}, "empty text"),
        ({"id": "2", "text": "T"}, "no such field"),
        ({**QUERY, "id": "2", "relevant": ["a"]}, "'relevant' is not an object"),
        ({**QUERY, "id": "2", "relevant": {"a": "high"}}, "grade of 'a' is not a number"),
        ({**QUERY, "id": "2", "relevant": {"a": True}}, "grade of 'a' is not a number"),
        ({**QUERY, "id": "2", "relevant": {"a": float("nan")}}, "grade of 'a' is nan"),
        ({**QUERY, "id": "2", "relevant": {"a": 5000}}, "grades go up to 100"),
        (QUERY, "the id '1' is that of line 1 already"),
    ],
)
def test_a_bad_query_is_an_error_that_names_its_line(tmp_path: Path, row: Any, said: str) -> None:
    with pytest.raises(CorpusError, match=said) as error:
        read_queries(write(tmp_path, QUERY, row))
    assert "rows.jsonl, line 2" in str(error.value)


def test_a_split_that_is_not_there_is_reported_with_those_that_are(tmp_path: Path) -> None:
    file = write(tmp_path, {**PAIR, "split": "dev"}, {**PAIR, "split": "train"})
    with pytest.raises(CorpusError, match="split 'test'; there are: dev, train"):
        read_pairs(file, "test")


def test_queries_without_any_relevant_document_are_refused(tmp_path: Path) -> None:
    rows = [{**QUERY, "relevant": {}}, {**QUERY, "id": "2", "relevant": {"a": 0}}]
    with pytest.raises(CorpusError, match="none of its 2 queries"):
        read_queries(write(tmp_path, *rows))


CHOICE = {"question": "Q?", "options": {"A": "one", "B": "two"}, "answer": "B"}


def test_questions_are_read_with_options_in_either_form(tmp_path: Path) -> None:
    file = write(tmp_path, CHOICE, {**CHOICE, "options": ["one", "Two"], "answer": "two", "id": 3})
    questions, excluded = read_questions(file)
    assert questions == [
        Question("Q?", {"A": "one", "B": "two"}, "B"),
        Question("Q?", {"A": "one", "B": "Two"}, "B"),
    ]
    assert excluded == 0


POLAR = {"yes": "yes", "no": "no"}


def test_the_questions_of_pubmedqa_are_read_as_they_are(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "Q?", "contexts": ["C."], "final_decision": word}
        for word in ("maybe", "no")
    ]
    options = {**POLAR, "maybe": "maybe"}
    questions, excluded = read_questions(write(tmp_path, *rows))
    assert questions == [Question("Q?", options, "maybe"), Question("Q?", options, "no")]
    assert excluded == 0
    with pytest.raises(CorpusError, match="line 1: the answer 'perhaps' is not one of the options"):
        read_questions(write(tmp_path, {**rows[0], "final_decision": "perhaps"}))
    with pytest.raises(CorpusError, match="line 1: empty answer"):
        read_questions(write(tmp_path, {**rows[0], "final_decision": None}))


def test_of_bioasq_the_yes_no_questions_are_read_and_the_others_counted(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "Q?", "type": "yesno", "exact_answer": "Yes"},
        {"id": "2", "question": "R?", "type": "factoid", "exact_answer": [["BDCA2"]]},
        {"id": "3", "question": "S?", "type": "summary", "exact_answer": None},
    ]
    assert read_questions(write(tmp_path, *rows)) == ([Question("Q?", POLAR, "yes")], 2)
    with pytest.raises(CorpusError, match="line 1: the answer 'both' is not one of the options"):
        read_questions(write(tmp_path, {**rows[0], "exact_answer": "both"}))


def test_a_key_counts_before_a_text(tmp_path: Path) -> None:
    file = write(tmp_path, {**CHOICE, "options": {"A": "B", "B": "A"}, "answer": "A"})
    assert read_questions(file)[0][0].answer == "A"


def test_the_questions_of_one_dataset_are_read(tmp_path: Path) -> None:
    file = write(tmp_path, {**CHOICE, "dataset": "a"}, {**CHOICE, "dataset": "b", "question": "R"})
    assert [question.text for question in read_questions(file, "b")[0]] == ["R"]
    with pytest.raises(CorpusError, match="no record of dataset 'c'; there are: a, b"):
        read_questions(file, "c")


def test_questions_with_equal_options_are_left_out_and_counted(tmp_path: Path) -> None:
    twice = {**CHOICE, "options": ["same", "Same"]}
    assert read_questions(write(tmp_path, CHOICE, twice))[1] == 1
    with pytest.raises(CorpusError, match="none of its 1 questions has options that differ"):
        read_questions(write(tmp_path, twice))


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"options": None}, "field 'options' is not a list or object of texts .found NoneType"),
        ({"options": "A"}, r"field .*found str"),
        ({"answer": "C"}, "the answer 'C' is not one of the options .A, B"),
        ({"answer": ""}, "empty answer"),
        ({"question": " "}, "empty question"),
    ],
)
def test_a_question_that_is_none_is_an_error(
    tmp_path: Path, change: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(CorpusError, match=f"line 2: {wrong}"):
        read_questions(write(tmp_path, CHOICE, {**CHOICE, **change}))
