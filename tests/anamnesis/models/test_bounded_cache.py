from anamnesis.models.bounded_cache import BoundedCache, key_of


def test_a_value_is_made_once_while_it_is_kept() -> None:
    kept, made = BoundedCache[str](2), []

    def ask(*names: str) -> list[str]:
        def make(places: list[int]) -> list[str]:
            made.extend(names[place] for place in places)
            return [names[place].upper() for place in places]

        return kept.get_or_make([key_of(name) for name in names], make)

    assert ask() == []
    assert ask("a", "b", "a") == ["A", "B", "A"]
    ask("a")
    assert made == ["a", "b"]
    assert ask("c") == ["C"]  # b, unused the longest, goes
    ask("a", "b")
    assert made == ["a", "b", "c", "b"]
    assert ask("d", "e", "f") == ["D", "E", "F"]
    kept.clear()
    ask("f")
    assert made[-2:] == ["f", "f"]


def test_what_ends_where_makes_a_difference() -> None:
    assert len({key_of("ab", "c"), key_of("a", "bc"), key_of("", "abc"), key_of("abc", "")}) == 4
    assert key_of("\ud83d")
