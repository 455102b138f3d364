import pytest

from anamnesis import LimitError, SettingError
from anamnesis.limits import Limits, check, limits, use


def test_the_operator_sets_limits_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits() == Limits()
    monkeypatch.setenv("ANAMNESIS_LIMIT_QUESTION", "8000")
    monkeypatch.setenv("ANAMNESIS_LIMIT_RUN_TIMEOUT", "2.5")
    assert limits() == Limits(question=8000, run_timeout=2.5)
    use(Limits(question=5))
    assert limits().question == 5
    use(None)
    assert limits().question == 8000


@pytest.mark.parametrize(("name", "value"), [("QUESTION", "many"), ("BODY", "-1"), ("FOO", "1")])
def test_what_is_no_limit_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"ANAMNESIS_LIMIT_{name}", value)
    with pytest.raises(
        SettingError, match=f"ANAMNESIS_LIMIT_{name} is not a valid limit .*: QUESTION,"
    ):
        limits()


def test_more_than_is_allowed_is_reported_with_the_limit() -> None:
    check("it", 4000, "characters", 4000, "say less")
    with pytest.raises(LimitError, match=r"^it has 4,001 characters; at most 4,000 are accepted;"):
        check("it", 4001, "characters", 4000, "say less")
