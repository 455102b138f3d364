import pytest

from anamnesis.language.variants import kinds, other_kinds


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How is type 2 diabetes treated?", {"type": {"2"}}),
        ("Type II is treated with tablets; types 1 and 3 are not.", {"type": {"2", "1", "3"}}),
        ("Hepatitis A, B, or C", {"hepatitis": {"a", "b", "c"}}),
        ("stage IV, vitamin B12, vitamin D", {"stage": {"4"}, "vitamin": {"b12", "d"}}),
        ("grade I through V", {}),
        ("A cold lasts ten days.", {}),
    ],
)
def test_what_follows_a_word_names_its_kind(text: str, found: dict[str, set[str]]) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize(
    ("question", "text", "others"),
    [
        ("how is type 2 diabetes treated", "Type 1 diabetes is treated with insulin.", ["Type 1"]),
        ("how is type II diabetes treated", "Metformin is used in type 2 diabetes.", []),
        ("how is type 2 diabetes treated", "Diabetes is treated with a healthy diet.", []),
        ("is hepatitis B curable", "Hepatitis C can be cured in most people.", ["Hepatitis C"]),
        ("is hepatitis B curable", "Hepatitis A and C, and hepatitis D", ["Hepatitis A and C"]),
        ("is hepatitis B curable", "Hepatitis B and C can last for years.", []),
        ("is hepatitis curable", "Hepatitis C can be cured in most people.", []),
        ("can hepatitis D last", "Hepatitis A through E are infections.", []),
    ],
)
def test_a_text_that_names_only_other_kinds_is_recognised(
    question: str, text: str, others: list[str]
) -> None:
    assert other_kinds(question, text) == others
