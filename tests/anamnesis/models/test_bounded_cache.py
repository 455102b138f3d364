from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

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
    for _ in range(2):
        kept.drop(key_of("f"))
    ask("e", "f")
    assert made[-2:] == ["f", "f"]


def test_threads_that_make_the_same_value_get_one_object() -> None:
    kept, begin = BoundedCache[object](1), Barrier(4)

    def make(_: list[int]) -> list[object]:
        begin.wait()
        return [object()]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: kept.get_or_make(["key"], make)[0], range(4)))
    assert len(set(found)) == 1


def test_what_ends_where_makes_a_difference() -> None:
    assert len({key_of("ab", "c"), key_of("a", "bc"), key_of("", "abc"), key_of("abc", "")}) == 4
    assert key_of("\ud83d")
