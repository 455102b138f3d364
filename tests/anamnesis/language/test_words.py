from anamnesis.language.words import content_terms


def test_function_words_and_adverbs_carry_no_meaning() -> None:
    asked = "What are the symptoms of a rapidly growing family of anomalies?"
    assert content_terms(asked) == ["symptoms", "growing", "family", "anomalies"]


def test_order_and_repeats_stay() -> None:
    assert content_terms("Gout, and gout; drug9!") == ["gout", "gout", "drug9"]
    assert content_terms("What is it?") == []
