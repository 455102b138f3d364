import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.passage import SPECIAL_TOKENS, Passage, split, split_all
from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError, SettingError
from tests.fakes import count_words


def pieces_of_four(texts: Sequence[str]) -> list[int]:
    """Like word pieces: a word has a token for every four characters."""
    return [sum(-(-len(word) // 4) for word in text.split()) for text in texts]


def record(text: str, question: str = "Why?", title: str = "Title") -> Record:
    return Record("r", title, text, question, source="S", url="u", focus="F", kind="document")


SENTENCE = st.lists(
    st.sampled_from(["heart", "it", "beats", "x" * 30]), min_size=1, max_size=30
).map(lambda chosen: " ".join(chosen).capitalize() + ". ")
TEXT = (
    st.lists(SENTENCE | st.sampled_from(["\n\n", "\n- item", "Heading\n\n"]), min_size=1)
    .map("".join)
    .filter(str.strip)
)


@given(TEXT, st.integers(min_value=16, max_value=60))
def test_passages_hold_the_whole_text_in_order_and_fit_the_window(text: str, window: int) -> None:
    source = record(text)
    passages = split(source, pieces_of_four, window)
    end = 0
    for number, passage in enumerate(passages):
        assert passage.id == f"r#{number}"
        assert passage.text == text[passage.start : passage.end] == passage.text.strip()
        assert not text[end : passage.start].strip()
        [tokens] = pieces_of_four([passage.text])
        [heading] = pieces_of_four([passage.heading])
        assert tokens + heading + SPECIAL_TOKENS <= window
        end = passage.end
    assert not text[end:].strip()


@given(st.lists(TEXT, max_size=5))
def test_batches_give_the_same_as_one_by_one(texts: list[str]) -> None:
    records = [Record(str(n), "T", text) for n, text in enumerate(texts)]
    together = list(split_all(records, count_words, 20))
    assert together == [p for r in records for p in split(r, count_words, 20)]


def test_a_short_text_is_one_passage_with_the_fields_of_its_record() -> None:
    assert split(record(" It beats.\n"), count_words) == [
        Passage(
            id="r#0", record_id="r", start=1, end=10, text="It beats.", title="Title",
            question="Why?", source="S", url="u", focus="F", kind="document",
        )
    ]  # fmt: skip


def test_pieces_are_of_like_size() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in range(30))
    sizes = count_words([p.text for p in split(record(text), count_words, 64)])
    assert sum(sizes) == 150
    assert len(sizes) == 3
    assert max(sizes) - min(sizes) <= 5


def test_a_heading_stays_with_what_it_heads_and_a_lead_in_with_its_list() -> None:
    before = "It hurts a lot today. " * 6
    text = (
        f"{before}Symptoms include\n- pain\n- fever\n\n{before}Treatment\n\nRest and wait for it."
    )
    starts = [p.text.split("\n")[0][:20] for p in split(record(text), count_words, 40)]
    ends = [p.text.split("\n")[-1] for p in split(record(text), count_words, 40)]
    assert len(starts) > 1
    assert not any(end.endswith(("include", "Treatment")) for end in ends)


def test_a_sentence_longer_than_the_window_is_cut_between_words() -> None:
    text = " ".join(f"word{n}" for n in range(100)) + "."
    passages = split(record(text), count_words, 30)
    assert " ".join(p.text for p in passages) == text
    assert max(count_words([p.text for p in passages])) <= 26


def test_a_word_longer_than_the_window_is_cut_inside() -> None:
    text = "A sequence: " + "ACGT" * 100
    passages = split(record(text), pieces_of_four, 24)
    assert "".join(re.sub(r"\s", "", p.text) for p in passages) == re.sub(r"\s", "", text)


def test_a_long_heading_is_shortened_for_embedding_only() -> None:
    question = " ".join(f"q{n}" for n in range(50))
    [first, *_] = split(record("It beats. " * 20, question), count_words, 32)
    shortened = " ".join(f"q{n}" for n in range(16))
    assert first.heading == question
    assert first.embedded.startswith(f"{shortened} [SEP] It beats.")
    assert first.indexed == f"Title {question} {first.text}"


@pytest.mark.parametrize(
    ("title", "question", "heading", "indexed"),
    [
        ("Anemia", "What is (are) Anemia?", "What is (are) Anemia?", "What is (are) Anemia? T."),
        ("Anemia", "Who is at risk?", "Who is at risk?", "Anemia Who is at risk? T."),
        ("Anemia", "", "Anemia", "Anemia T."),
        ("", "", "", "T."),
    ],
)
def test_heading_is_the_question_else_the_title(
    title: str, question: str, heading: str, indexed: str
) -> None:
    [passage] = split(record("T.", question, title), count_words)
    assert passage.heading == heading
    assert passage.indexed == indexed
    assert passage.embedded == (f"{heading} [SEP] T." if heading else "T.")


def test_equal_texts_of_different_records_have_one_digest() -> None:
    one, other = split_all(
        [Record("1", "a", "Same  text."), Record("2", "b", "same text.")], count_words
    )
    assert one.digest == other.digest


def test_json_gives_the_passage_back() -> None:
    [passage] = split(record("It beats."), count_words)
    assert Passage.from_json(passage.to_json()) == passage
    with pytest.raises(CorpusError, match="not a passage"):
        Passage.from_json({"id": "1"})


def test_a_window_too_small_is_refused() -> None:
    with pytest.raises(SettingError, match="at least 16"):
        split(record("It beats."), count_words, 8)


def test_records_are_taken_in_batches() -> None:
    taken = 0

    def stream() -> object:
        nonlocal taken
        for n in range(2000):
            taken += 1
            yield Record(str(n), "t", "It beats.")

    next(split_all(stream(), count_words))  # type: ignore[arg-type]
    assert taken < 1000


def listing(aliases: object, focus: str = "Ibuprofen") -> Passage:
    record = Record("r", "Ibuprofen", "It eases pain.", focus=focus, metadata={"aliases": aliases})  # type: ignore[dict-item]
    return split(record, count_words)[0]


def test_aliases_are_searched_for_and_not_embedded() -> None:
    plain = split(Record("r", "Ibuprofen", "It eases pain.", focus="Ibuprofen"), count_words)[0]
    passage = listing(["Nurofen", "Advil"])
    assert passage.aliases == ("Nurofen", "Advil")
    assert passage.indexed == f"{plain.indexed} Nurofen Advil"
    assert (passage.embedded, passage.text) == (plain.embedded, plain.text)
    # An index that was made without aliases says what it said.
    assert plain.indexed == "Ibuprofen It eases pain."
    assert "metadata" not in plain.to_json()
    assert Passage.from_json(plain.to_json()) == plain
    assert Passage.from_json(passage.to_json()).aliases == passage.aliases


@pytest.mark.parametrize("aliases", [None, [], "Nurofen", 7, {"a": "b"}, [1, None]])
def test_what_is_no_list_of_names_are_no_aliases(aliases: object) -> None:
    assert listing(aliases).aliases == ()
    assert listing(aliases).indexed == "Ibuprofen It eases pain."


def test_without_a_focus_there_is_nothing_to_be_named_otherwise() -> None:
    assert listing(["Nurofen"], focus="").aliases == ()


def test_questions_in_other_words_are_searched_for_and_embedded() -> None:
    asked = ["are nurofens ok for a headache", "x" * 600, "sore head what to take"]
    record = Record("r", "Ibuprofen", "It eases pain.", metadata={"asked_as": asked})
    [passage] = split(record, count_words)
    assert passage.asked_as == tuple(asked)
    assert passage.indexed == f"Ibuprofen It eases pain. {' '.join(asked)}"
    # Only as many as have room are embedded, in their order.
    assert passage.embedded == f"Ibuprofen [SEP] It eases pain. {asked[0]}"
    assert (passage.text, passage.heading) == ("It eases pain.", "Ibuprofen")
    assert Passage.from_json(passage.to_json()) == passage


def test_other_values_are_no_questions_in_other_words() -> None:
    for value in ("one text", 7, None, [7, None]):
        record = Record("r", "Ibuprofen", "It eases pain.", metadata={"asked_as": value})  # type: ignore[dict-item]
        [passage] = split(record, count_words)
        assert passage.asked_as == ()
        assert passage.embedded == "Ibuprofen [SEP] It eases pain."
