"""Tokens, roles and an identity provider's users on a real server, and what its audit log says."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client, get_sync_client
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from app.users.audit_check import entries, verify
from app.users.tokens import add_token, read_tokens, tokens_file
from tests.app.accounts import QUESTION, SECRET, client, ok
from tests.app.provider import ISSUER, Signer
from tests.app.server_process import Server

pytestmark = pytest.mark.server

RUN: dict[str, Any] = {"assistant_id": "anamnesis", "input": {"question": QUESTION}}


@pytest.fixture
def server(users_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The server, whose data folder is that of the tests as well."""
    monkeypatch.setenv("ANAMNESIS_HOME", str(users_server.home))
    return users_server


class Since:
    """What was added to the audit log since."""

    def __init__(self) -> None:
        self._first = len([*entries()])

    def entries(self) -> list[dict[str, Any]]:
        return [*entries()][self._first :]

    def deeds(self, actor: str | None = None) -> list[tuple[str, str, str]]:
        return [
            (entry["action"], entry["object"], entry["outcome"])
            for entry in self.entries()
            if actor in (None, entry["actor"])
        ]


def test_the_sdk_and_remote_graph_send_their_token_as_api_key(server: Server) -> None:
    token = add_token("kim")
    log = Since()
    with get_sync_client(url=server.address, api_key=token) as sdk:
        thread = sdk.threads.create()["thread_id"]
        result: Any = sdk.runs.wait(thread, "anamnesis", input={"question": QUESTION})
        assert result["answer"]["outcome"] == "answered"
        assert sdk.threads.get(thread)["metadata"]["owner"] == "kim"
        # The project's own routes ask the server's in the name of the user.
        given = {"thread_id": thread, "correct": True}
        assert sdk.http.post("/feedback", json=given)["user"] == "kim"
    remote = RemoteGraph("anamnesis", url=server.address, api_key=token)
    assert remote.invoke({"question": QUESTION})["answer"]["outcome"] == "answered"
    assert remote.sync_client
    remote.sync_client.http.client.close()

    async def gone() -> Any:
        async with get_client(url=server.address, api_key=token) as sdk:
            await sdk.http.delete("/memories")
            return await sdk.threads.search()

    assert asyncio.run(gone()) == []
    asked = [entry for entry in log.entries() if entry["action"] == "ask"]
    assert [(entry["actor"], entry["kind"]) for entry in asked] == [("kim", "user")] * 2
    assert asked[0]["thread"] == f"thread:{thread}"


def test_a_bearer_token_counts_before_an_api_key_and_a_wrong_one_lets_nobody_in(
    server: Server,
) -> None:
    kim, lea = add_token("kim"), add_token("lea")
    memories = f"{server.address}/memories"
    both = {"authorization": f"Bearer {kim}", "x-api-key": lea}
    log = Since()
    assert httpx.get(memories, headers=both).is_success
    assert [entry["actor"] for entry in log.entries()] == ["kim"]
    basic = {"authorization": "Basic eDp5", "x-api-key": lea}
    assert httpx.get(memories, headers=basic).is_success
    assert log.entries()[-1]["actor"] == "lea"
    for wrong in (
        {"x-api-key": "wrong"}, {"x-api-key": ""}, {"x-api-key": f"Bearer {kim}"},
        {"authorization": "Bearer wrong", "x-api-key": kim},
    ):  # fmt: skip
        assert httpx.get(memories, headers=wrong).status_code == 401


def test_the_holder_of_an_expired_token_learns_it(server: Server) -> None:
    token = add_token("old")
    kept = json.loads(tokens_file().read_text())
    kept[-1]["expires"] = "2026-01-31T00:00:00Z"
    tokens_file().write_text(json.dumps(kept))
    with client(server, token) as http:
        answered = http.get("/memories")
        assert answered.status_code == 401
        assert "expired on 31 January 2026" in answered.json()["detail"]
        assert f"anamnesis token rotate USER {kept[-1]['id']}" in answered.json()["detail"]
        form = http.post("/app/login", data={"token": token})
        assert form.status_code == 401
        assert "expired on 31 January 2026" in form.text
    with client(server, token[:-1]) as http:
        assert "expired" not in http.get("/memories").text


def test_a_providers_user_has_their_own_things_and_the_role_of_the_claim(
    server: Server, signer: Signer
) -> None:
    bearer = signer.sign({"sub": "zoe", "roles": ["asker"]})
    log = Since()
    with client(server, bearer) as zoe, client(server, add_token("zoe")) as other:
        thread = ok(zoe.post("/threads", json={}))["thread_id"]
        ok(zoe.post(f"/threads/{thread}/runs/wait", json=RUN))
        name = f"oidc:{ISSUER}#zoe"
        assert ok(zoe.get(f"/threads/{thread}"))["metadata"]["owner"] == name
        # A token's user of the same name is somebody else.
        assert other.get(f"/threads/{thread}").status_code == 404
        assert thread not in other.post("/threads/search", json={}).text
        assert zoe.get("/audit").status_code == 403
        assert ("ask", name) in {(entry["action"], entry["actor"]) for entry in log.entries()}
        zoe.post("/app/login", data={"token": bearer})
        assert zoe.get("/app/config", headers={"authorization": ""}).is_success
    operator = signer.sign({"sub": "olga", "roles": ["nurse", "operator"]})
    with client(server, operator) as olga:
        assert ok(olga.get("/audit?limit=1"))
    for refused in (
        signer.sign({"roles": ["nurse"]}),
        signer.sign({"exp": 1}),
        f"{bearer[:-5]}AAAAA",
    ):
        with client(server, refused) as nobody:
            assert nobody.get("/memories").status_code == 401


def test_only_operators_see_the_audit_log_and_what_the_server_holds(server: Server) -> None:
    with (
        client(server, add_token("asker")) as asker,
        client(server, add_token("expert", role="expert")) as expert,
        client(server, add_token("operator", role="operator")) as operator,
    ):
        for http in (asker, expert):
            assert ok(http.get("/health")) == {"ok": True}
            answered = http.get("/audit")
            assert answered.status_code == 403
            assert "--role operator" in answered.text
        health = ok(operator.get("/health"))
        assert health["passages"] > 300
        assert health["tokens"] == sum(not token.expired for token in read_tokens())
        found = ok(operator.get("/audit?user=asker&action=read"))
        assert found[-1]["object"] == "audit"
        assert (found[-1]["actor"], found[-1]["outcome"]) == ("asker", "refused")
        assert len(ok(operator.get("/audit?limit=2"))) == 2
        for query in ("limit=0", "limit=x", "limit=1001", "since=yesterday"):
            assert operator.get(f"/audit?{query}").status_code == 422
        # An operator has no more of others' things than anybody.
        thread = ok(asker.post("/threads", json={}))["thread_id"]
        assert operator.get(f"/threads/{thread}").status_code == 404


def test_what_users_do_is_in_the_log_without_a_word_of_theirs(server: Server) -> None:
    log = Since()
    with client(server, add_token("pia")) as pia, client(server, add_token("quin")) as quin:
        thread = ok(pia.post("/threads", json={}))["thread_id"]
        run = {**RUN, "context": {"memory.consent": True}}
        run["input"] = {"question": f"I have asthma and a {SECRET}, what are its symptoms?"}
        ok(pia.post(f"/threads/{thread}/runs/wait", json=run))
        memory = ok(pia.get("/memories"))[0]["id"]
        ok(pia.get("/memories/export"))
        ok(pia.get(f"/threads/{thread}/state"))
        trace = ok(pia.get("/traces"))[-1]
        ok(pia.get(f"/traces/{trace}"))
        item = {"namespace": [SECRET], "key": SECRET, "value": {"text": SECRET}}
        ok(pia.put("/store/items", json=item))
        assert pia.get(f"/memories/{SECRET}").status_code == 404
        assert pia.get(f"/evidence/{SECRET}").status_code == 404
        assert pia.get(f"/threads/{SECRET}/state").status_code >= 400
        assert quin.get(f"/threads/{thread}/history").status_code == 404
        assert quin.delete(f"/threads/{thread}").status_code == 404
        ok(pia.delete(f"/traces/{trace}"))
        ok(pia.delete("/memories"))
    run_id = next(entry["object"] for entry in log.entries() if entry["action"] == "ask")
    assert len(run_id) == len("run:") + 36
    found = log.deeds("pia")
    for deed in (
        ("ask", run_id, "begun"),
        ("read", "memories", "done"),
        ("export", "memories", "done"),
        ("read", f"thread:{thread}", "done"),
        ("read", "traces", "done"),
        ("read", f"trace:{trace}", "done"),
        ("change", "items", "done"),
        ("delete", f"trace:{trace}", "begun"),
        ("delete", f"trace:{trace}", "done"),
        ("delete", "everything", "begun"),
        ("delete", f"thread:{thread}", "begun"),
        ("delete", f"thread:{thread}", "done"),
        ("delete", "everything", "done"),
    ):
        assert deed in found, "\n".join(map(str, found))
    assert log.deeds("quin") == [
        ("read", f"thread:{thread}", "refused"),
        ("delete", f"thread:{thread}", "begun"),
        ("delete", f"thread:{thread}", "refused"),
    ]
    assert [entry["address"] for entry in log.entries() if entry["actor"] == "quin"] == [
        "127.0.0.1"
    ] * 3
    assert memory not in {"", None}
    kept = b"".join(path.read_bytes() for path in (server.home / "audit").iterdir())
    for words in (SECRET, "asthma", "symptom"):
        assert words.encode() not in kept.lower()
    assert verify().problem is None


def test_a_login_and_one_that_fails_are_in_the_log_without_the_token(server: Server) -> None:
    token, log = add_token("ria"), Since()
    with client(server, None) as browser:
        assert browser.post("/app/login", data={"token": token}).status_code == 303
        assert ("login", "page", "done") in log.deeds("ria")
        # From here others were refused just before: those are counted, and recorded after a while.
        for _ in range(30):
            browser.post("/app/login", data={"token": f"{SECRET}-wrong"})
    refused = [
        entry for entry in entries() if (entry["action"], entry["outcome"]) == ("login", "refused")
    ]
    assert refused
    assert {entry["address"] for entry in refused} == {"127.0.0.1"}
    assert len([entry for entry in log.deeds() if entry[2] == "refused"]) < 5
    kept = (server.home / "audit" / "000000000001.jsonl").read_text()
    assert token not in kept
    assert SECRET not in kept


@contextmanager
def unwritable(home: Path) -> Iterator[None]:
    """A data folder whose audit log cannot be written, be it by root."""
    (home / "audit").rename(home / "kept")
    (home / "audit").write_text("no folder")
    try:
        yield
    finally:
        (home / "audit").unlink()
        (home / "kept").rename(home / "audit")


def test_what_cannot_be_recorded_is_refused(server: Server) -> None:
    token = add_token("sam")
    with client(server, token) as sam:
        thread = ok(sam.post("/threads", json={}))["thread_id"]
        ok(sam.post(f"/threads/{thread}/runs/wait", json=RUN))
        [first] = ok(sam.get("/traces"))
        with unwritable(server.home):
            for method, path in (
                ("GET", f"/threads/{thread}/state"), ("GET", f"/traces/{first}"),
                ("GET", "/memories/export"), ("DELETE", f"/threads/{thread}"),
                ("DELETE", f"/traces/{first}"), ("DELETE", "/memories"),
            ):  # fmt: skip
                answered = sam.request(method, path)
                assert answered.status_code == 503, (method, path, answered.text)
                assert "audit log" in answered.text
                assert "sthma" not in answered.text
                assert str(server.home) not in answered.text
            socket = f"{server.address}/threads/{thread}/stream/events".replace("http", "ws")
            header = {"authorization": f"Bearer {token}"}
            with pytest.raises(InvalidStatus), connect(socket, additional_headers=header):
                pass
            refused = sam.post("/runs/wait", json=RUN)
            assert "audit log" in refused.text
            assert "answer" not in refused.json()
            assert sam.post("/app/login", data={"token": token}).status_code == 503
        # Nothing was deleted.
        assert ok(sam.get(f"/threads/{thread}/state"))["values"]["answer"]
        assert first in ok(sam.get("/traces"))
    assert verify().problem is None
