import pytest

from anamnesis.limits import Limits, use
from app.server.quotas import Quotas, TooManyError
from tests.fakes import Clock


def test_a_user_has_so_many_runs_at_once_a_minute_and_a_day() -> None:
    clock = Clock()
    use(Limits(runs_at_once=2, runs_a_minute=4, runs_a_day=6))
    try:
        quotas = Quotas(clock)
        with pytest.raises(TooManyError, match="2 of your runs are in progress; try again in 1 s"):
            quotas.start("ann", under_way=2)
        quotas.start("ann", 0)
        quotas.start("ann", 0)
        # The server's list does not have them yet.
        with pytest.raises(TooManyError, match="in progress"):
            quotas.start("ann", 0)
        clock.now += 1
        quotas.start("ann", 0)
        quotas.start("ann", 1)
        clock.now += 1
        with pytest.raises(TooManyError, match="started 4 runs within a minute"):
            quotas.start("ann", 0)
        quotas.start("eve", 0)
        clock.now += 60
        quotas.start("ann", 0)
        quotas.start("ann", 0)
        clock.now += 60
        with pytest.raises(TooManyError, match="started 6 runs within a day"):
            quotas.start("ann", 0)
        with quotas.running("bea"), quotas.running("bea"), pytest.raises(TooManyError):
            quotas.running("bea").__enter__()
        with quotas.running("bea"):
            pass
    finally:
        use(None)
