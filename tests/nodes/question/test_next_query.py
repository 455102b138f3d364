from nodes.question.next_query import extend_query


def test_the_next_query_is_the_last_with_what_was_unsupported() -> None:
    assert extend_query("asthma signs", ["Fever is a sign."]) == "asthma signs Fever is a sign."
    assert extend_query("asthma signs", ["Asthma signs."]) == "asthma signs"
    assert extend_query("asthma", []) == "asthma"
