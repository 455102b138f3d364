"""The clauses of a message that state something."""

from hypothesis import given
from hypothesis import strategies as st

from anamnesis.memory.clauses import clauses
from tests.anamnesis.memory.test_memory_extract import PIECES


@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_clauses_are_pieces_of_the_text(parts: list[str]) -> None:
    said = " ".join(parts)
    found = list(clauses(said))
    assert all(clause in said and clause.strip() == clause != "" for clause in found)
