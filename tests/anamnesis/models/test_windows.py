from hypothesis import given
from hypothesis import strategies as st

from anamnesis.language.text import sentences
from anamnesis.models.windows import windows


def letters(texts: object) -> list[int]:
    return [len("".join(str(t).split())) for t in texts]  # type: ignore[attr-defined]


TEXTS = st.lists(
    st.text("abc defgh", min_size=1, max_size=60).map(lambda t: f"A{t}b."), max_size=12
).map(" ".join)


@given(text=TEXTS, room=st.integers(4, 80))
def test_nothing_is_cut_and_no_window_is_too_long(text: str, room: int) -> None:
    made = windows(text, room, letters)
    covered = {i for w in made for i in range(w.start, w.end)}
    assert all(i in covered for i, character in enumerate(text) if not character.isspace())
    assert all(letters([text[w.start : w.end]])[0] <= room for w in made)
    assert all((w.sentences[0][0], w.sentences[-1][1]) == (w.start, w.end) for w in made)


@given(text=TEXTS, room=st.integers(61, 200))
def test_sentences_that_fit_are_never_split(text: str, room: int) -> None:
    whole = {(s.start, s.end) for s in sentences(text)}
    found = {span for w in windows(text, room, letters) for span in w.sentences}
    if all(n <= room for n in letters([text[a:b] for a, b in whole])):
        assert found == whole


def test_neighbouring_windows_share_a_sentence() -> None:
    made = windows("Aaaa one. Bbbb two. Cccc three.", 20, letters)
    assert [len(w.sentences) for w in made] == [2, 2]
    assert made[0].sentences[1] == made[1].sentences[0]


def test_a_word_longer_than_the_room_is_split_inside() -> None:
    made = windows("a" * 50, 8, letters)
    assert "".join(("a" * 50)[w.start : w.end] for w in made) == "a" * 50


def test_an_empty_text_has_no_window() -> None:
    assert windows("", 10, letters) == windows(" \n", 10, letters) == []
