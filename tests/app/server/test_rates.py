"""What too many requests are answered, of an address, of a token, and of wrong tokens."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from anamnesis.limits import Limits, use
from app.server import auditing, auth
from app.server.login import Login
from app.server.rates import Rates, address_of, internal_requests
from app.users import identity
from app.users.audit_check import entries
from app.users.tokens import add_token
from tests.fakes import Clock


class Known:
    is_authenticated = True


async def server(scope: Scope, receive: Receive, send: Send) -> None:
    """Knows the tokens good and better."""
    token = identity.presented(Request(scope).headers)
    status = 401
    if token in ("good", "better"):
        scope["user"], status = Known(), 200
    if scope["path"] == "/app/login":
        status = 303 if b"good" in await Request(scope, receive).body() else 401
    await JSONResponse({}, status)(scope, receive, send)


@pytest.fixture
def limited() -> Iterator[Callable[..., tuple[TestClient, Clock]]]:
    def make(**given: Any) -> tuple[TestClient, Clock]:
        use(Limits(**given))
        clock = Clock()
        return TestClient(Rates(server, clock)), clock

    yield make
    use(None)


def get(http: TestClient, token: str | None) -> int:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    return http.get("/memories", headers=headers).status_code


def test_wrong_tokens_are_slowed_down_and_right_ones_are_not(limited: Any) -> None:
    http, clock = limited(wrong_tokens=5)
    assert get(http, "good") == 200
    assert [get(http, f"wrong {n}") for n in range(7)] == [401] * 5 + [429] * 2
    answered = http.get("/memories", headers={"authorization": "Bearer wrong"})
    assert answered.headers["retry-after"] == "1"
    assert answered.json()["detail"].startswith("too many wrong tokens came from this address")
    assert get(http, "better") == 429  # or who guesses would learn it at once
    assert get(http, "good") == 200
    assert get(http, None) == 401
    clock.now += 1
    assert get(http, "better") == 200
    assert get(http, "wrong") == 401
    clock.now += 1
    assert get(http, "another") == 429  # it is two seconds now
    clock.now += 1
    assert get(http, "another") == 401


def test_one_wrong_token_sent_again_and_again_shuts_nobody_out(limited: Any) -> None:
    http, _ = limited(wrong_tokens=5)
    assert [get(http, "expired") for _ in range(20)] == [401] * 20
    assert get(http, "good") == 200


def test_logins_are_slowed_down(limited: Any) -> None:
    http, _ = limited(wrong_tokens=3)
    tried = [http.post("/app/login", data={"token": str(n)}).status_code for n in range(5)]
    assert tried == [401, 401, 401, 429, 429]
    assert http.get("/app/login").status_code == 401  # the form itself


def test_right_logins_do_not_count(limited: Any) -> None:
    http, _ = limited(wrong_tokens=3)
    for _ in range(6):
        answered = http.post("/app/login", data={"token": "good"}, follow_redirects=False)
        assert answered.status_code == 303


def test_a_user_and_an_address_have_so_many_requests_a_minute(limited: Any) -> None:
    http, clock = limited(requests_a_minute=4, address_requests_a_minute=8)
    assert [get(http, "good") for _ in range(6)] == [200] * 5 + [429]  # known from the first on
    assert get(http, "better") == 200
    assert [get(http, None) for _ in range(2)] == [401, 429]
    clock.now += 60
    assert [get(http, "good") for _ in range(5)] == [200] * 4 + [429]


def test_what_the_server_asks_of_itself_is_not_counted(limited: Any) -> None:
    limited(address_requests_a_minute=1)
    http = TestClient(internal_requests(Rates(server)))
    assert [get(http, "good") for _ in range(5)] == [200] * 5


def test_so_many_streams_are_open_at_once_and_a_reader_that_takes_nothing_is_cut_off() -> None:
    use(Limits(requests_at_once=2, address_requests_at_once=3, send_timeout=0.8))
    ended: list[int] = []

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        scope["user"] = Known()

        async def words() -> Any:
            try:
                while True:
                    yield b"data: word\n\n"
            finally:
                ended.append(1)

        await StreamingResponse(words(), headers={"x": "y"})(scope, receive, send)

    async def never() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    statuses: list[int] = []

    async def ask(rates: Rates, stuck: bool, token: bytes) -> None:
        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            elif stuck and statuses[-1] == 200:
                await anyio.sleep_forever()

        headers = [(b"authorization", token)]
        scope = {"type": "http", "path": "/", "method": "GET", "headers": headers}
        await rates({**scope, "client": ("192.0.2.1", 1)}, never, send)

    async def main() -> None:
        first = Rates(server)
        await ask(first, False, b"Bearer good")  # it is known from now on
        rates = Rates(endless)
        rates._right = first._right
        async with anyio.create_task_group() as group:
            for token in (b"Bearer good",) * 3 + (b"Bearer eve",) * 2:
                group.start_soon(ask, rates, True, token)
                await anyio.sleep(0.01)
        # Two of one token, three of one address: the rest was refused.
        assert statuses[1:] == [200, 200, 429, 200, 429]
        statuses.clear()
        async with anyio.create_task_group() as group:
            group.start_soon(ask, rates, True, b"Bearer good")
        assert statuses == [200]  # those that were cut off count no more

    try:
        anyio.run(main)
    finally:
        use(None)
    assert len(ended) == 4


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
    ],
)
def test_an_address_of_ipv6_is_its_network(host: str, address: str) -> None:
    assert address_of({"client": (host, 1)}) == address


@pytest.fixture
def page(limited: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """The page behind its form, which five wrong tokens may be sent to at once."""
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    monkeypatch.setattr(auth, "_closed", False)
    # What other tests failed to log in is counted, and would be recorded with these.
    monkeypatch.setattr(auditing, "_failures", auditing.Failures())
    add_token("bea")
    limited(wrong_tokens=5)
    return TestClient(Rates(Login(server), Clock()), follow_redirects=False)


def test_however_a_token_is_sent_it_is_the_one_that_is_counted(limited: Any) -> None:
    def status(**headers: str) -> int:
        return int(http.get("/memories", headers=headers).status_code)

    http, _ = limited(wrong_tokens=5, requests_a_minute=6)
    key = [status(**{"authorization": "Basic x", "x-api-key": f"wrong {n}"}) for n in range(7)]
    assert key == [401] * 5 + [429] * 2
    http, _ = limited(wrong_tokens=5, requests_a_minute=6)
    # One token has one count, however it is written.
    ways = ("Bearer good", "bearer good", "BEARER good", "Bearer  good")
    sent = [status(authorization=way) for way in ways * 3]
    assert sent == [200] * 7 + [429] * 5
    for header in ("anamnesis_token=guess {}", 'a"b=c; anamnesis_token=guess {}'):
        http, _ = limited(wrong_tokens=5)
        tried = [status(cookie=header.format(n)) for n in range(7)]
        assert tried == [401] * 5 + [429] * 2, header


def test_guesses_in_the_pages_cookie_are_slowed_down_and_recorded(page: TestClient) -> None:
    tried = [page.get("/app/", headers={"cookie": f"anamnesis_token=guess-{n}"}) for n in range(8)]
    assert [response.status_code for response in tried] == [401] * 5 + [429] * 3
    assert 'name="token"' in tried[0].text
    assert [entry["action"] for entry in entries() if entry["outcome"] == "refused"] == ["login"]
    assert page.get("/app/").status_code == 303
