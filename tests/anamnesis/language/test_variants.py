import pytest

from anamnesis.language.variants import kinds, names_another_kind


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How is type 2 diabetes treated?", {"type": {"2"}}),
        ("Type II is treated with tablets; types 1 and 3 are not.", {"type": {"2", "1", "3"}}),
        ("Hepatitis A, B, or C", {"hepatiti": {"a", "b", "c"}}),
        ("stage IV, vitamin B12, vitamin D", {"stage": {"4"}, "vitamin": {"b12", "d"}}),
        ("grade I through V", {}),
        ("A cold lasts ten days.", {}),
    ],
)
def test_what_follows_a_word_names_its_kind(text: str, found: dict[str, set[str]]) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize(
    ("question", "text", "another"),
    [
        ("how is type 2 diabetes treated", "Type 1 diabetes is treated with insulin.", True),
        ("how is type II diabetes treated", "Metformin is used in type 2 diabetes.", False),
        ("how is type 2 diabetes treated", "Diabetes is treated with a healthy diet.", False),
        ("is hepatitis B curable", "Hepatitis C can be cured in most people.", True),
        ("is hepatitis B curable", "Hepatitis B and C can last for years.", False),
        ("is hepatitis curable", "Hepatitis C can be cured in most people.", False),
        ("can hepatitis D last", "Hepatitis A through E are infections.", False),
    ],
)
def test_a_text_on_another_kind_is_recognised(question: str, text: str, another: bool) -> None:
    assert names_another_kind(question, text) is another
