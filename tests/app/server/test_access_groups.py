"""Who reads the documents of an access group: on a real server, its routes, and its page."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.authentication import BaseUser

from anamnesis.corpus.record import Record
from anamnesis.models.embedding import load_embedder
from app.cli.main import main
from app.users import identity
from app.users.tokens import add_token, read_tokens, rotate, user_of
from app.web.handlers import Handlers
from retrievers.build import build
from retrievers.filter import Filter, filtered
from retrievers.index import Index
from tests.app.accounts import client, ok
from tests.app.provider import AUDIENCE, ISSUER, Signer
from tests.app.server_process import Server, serving
from tests.app.web.pages import Known, asking

PROVIDER = {"ISSUER": ISSUER, "AUDIENCE": AUDIENCE}
SECRET = "zoltraxane"
ASKED = {"question": "What is the treatment of brindle fever?"}
RECORDS = [
    Record("open", "Brindle fever", "Brindle fever is treated with rest and fluids."),
    Record(
        "ward", "Brindle fever", f"Brindle fever is treated with {SECRET} on the ward.",
        question=f"Who treats brindle fever with {SECRET}?", metadata={"access": ["ward 7"]},
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, starter_home: Path) -> Path:
    """A data folder whose index has a document for everybody and one for a group."""
    folder = tmp_path_factory.mktemp("groups")
    (folder / "models").symlink_to(starter_home / "models")
    build(RECORDS, folder / "index", load_embedder(), "own")
    return folder


@pytest.fixture(scope="module")
def server(
    home: Path, tmp_path_factory: pytest.TempPathFactory, signer: Signer
) -> Iterator[Server]:
    jwks = tmp_path_factory.mktemp("provider") / "jwks.json"
    jwks.write_text(json.dumps({"keys": [signer.public]}))
    given = {**PROVIDER, "JWKS": str(jwks), "GROUP_CLAIM": "realm.groups"}
    environment = {f"ANAMNESIS_OIDC_{name}": value for name, value in given.items()}
    environment |= {f"ANAMNESIS_LIMIT_RUNS_{name}": "600" for name in ("AT_ONCE", "A_MINUTE")}
    with serving(home, tmp_path_factory.mktemp("work"), **environment) as server:
        yield server


def ward(signer: Signer, name: str, groups: Any) -> str:
    return signer.sign({"sub": name, "realm": {"groups": groups}})


def run(http: httpx.Client, **more: Any) -> httpx.Response:
    return http.post("/runs/wait", json={"assistant_id": "anamnesis", "input": ASKED, **more})


@pytest.mark.server
def test_two_users_of_a_provider_are_answered_from_what_each_may_read(
    server: Server, signer: Signer
) -> None:
    with (
        client(server, ward(signer, "ann", ["nurses", "ward 7"])) as ann,
        client(server, ward(signer, "eve", ["ward"])) as eve,
        client(server, signer.sign({"sub": "bea"})) as bea,
    ):
        assert SECRET in ok(run(ann))["answer"]["text"]
        assert ok(ann.get("/evidence/ward"))[0]["text"] == RECORDS[1].text
        assert ok(ann.get("/evidence/ward%230"))
        for http in (eve, bea):
            answer = ok(run(http))["answer"]
            assert answer["outcome"] == "answered"
            assert SECRET not in json.dumps(answer)
            for wanted in ("ward", "ward%230"):
                found = http.get(f"/evidence/{wanted}")
                assert (found.status_code, SECRET in found.text) == (404, False)
            assert ok(http.get("/evidence/open"))


@pytest.mark.server
def test_no_configuration_of_a_run_gives_more(server: Server, signer: Signer) -> None:
    whole = {"identity": "ann", "is_authenticated": True, "access_groups": ["ward 7"]}
    wider: list[dict[str, Any]] = [
        {name: value}
        for name in ("access_groups", "readable", "filter", "access", "langgraph_auth_user", "user")
        for value in (["ward 7"], {"access": None}, whole)
    ]
    with client(server, ward(signer, "eve", [])) as eve:
        thread = ok(eve.post("/threads", json={}))["thread_id"]
        ways = [
            sent
            for given in wider
            for sent in (
                {"context": given}, {"config": {"configurable": given}}, {"config": given},
                {"metadata": given}, {"input": {**ASKED, **given}},
            )
        ]  # fmt: skip
        with ThreadPoolExecutor(4) as several:  # a run waits most of its time
            replies = list(several.map(lambda sent: run(eve, **sent), ways))
        for sent, reply in zip(ways, replies, strict=True):
            assert SECRET not in reply.text, sent
        # Each was answered or refused for what it asked, none because the server was busy.
        assert {reply.status_code for reply in replies} <= {200, 400, 403, 422}
        assert any(reply.is_success for reply in replies)
        for given in wider:
            body = {"assistant_id": "anamnesis", "input": ASKED, "context": given}
            assert SECRET not in eve.post(f"/threads/{thread}/runs/wait", json=body).text
        assert SECRET not in eve.get(f"/threads/{thread}/history").text
        made = {"graph_id": "anamnesis", "context": wider[0], "config": {"configurable": wider[2]}}
        if (response := eve.post("/assistants", json=made)).is_success:
            assert SECRET not in run(eve, assistant_id=response.json()["assistant_id"]).text


@pytest.mark.server
def test_a_token_has_groups_as_well_and_an_operator_no_more_than_others(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(server.home))
    assert main(["token", "add", "kim", "--group", "ward 7", "--group", "staff"]) == 0
    token = capsys.readouterr().out.strip()
    assert main(["token", "list"]) == 0
    assert "kim  group=ward 7  group=staff" in capsys.readouterr().out
    new = rotate("kim", read_tokens()[-1].id)
    olga = add_token("olga", {"groups": "ward 7"}, role="operator")
    for secret, reads in ((token, True), (new, True), (olga, False)):
        with client(server, secret) as http:
            assert (SECRET in ok(run(http))["answer"]["text"]) is reads
            assert http.get("/evidence/ward").is_success is reads


class Member(Known):
    """An authenticated user of the page, with the entries that the server gives."""

    def __init__(self, token: str) -> None:
        self._known = user_of(token) or {}
        super().__init__(self._known["identity"])

    def __getitem__(self, name: str) -> Any:
        return self._known[name]


def all_shown(page: Handlers, user: BaseUser | None) -> str:
    """All that the page shows a visitor of an answer, of other documents, and of each search."""
    request = asking(user)
    *_, (shown, *_) = page.ask(ASKED["question"], None, None, False, None, request)
    assert "rest and fluids" in shown
    return shown + page.compare(SECRET, request) + page.compare(ASKED["question"], request)


def test_the_page_shows_each_visitor_what_that_visitor_may_read(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for shared in ("index", "models"):
        (tmp_path / shared).symlink_to(home / shared)
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    page, strangers = Handlers({}), Handlers({}, typed_names=False)
    # Without tokens one person uses one machine; on another address all are strangers.
    assert SECRET in all_shown(page, None)
    # The examples are the same for everybody.
    assert SECRET not in all_shown(strangers, None) + str(page.examples())
    ann, eve = add_token("ann", groups=["ward 7"]), add_token("eve", groups=["ward"])
    assert SECRET in all_shown(page, Member(ann))
    for user in (Member(eve), Known("bea"), None):
        assert SECRET not in all_shown(page, user)


def test_without_groups_in_an_index_nothing_is_filtered(home: Path, starter_home: Path) -> None:
    whole, open_to_all = (Index.open(path / "index") for path in (home, starter_home))
    assert filtered(open_to_all, Filter(access=("ward",))) is open_to_all
    assert filtered(whole, Filter(access=None)) is whole
    assert [*filtered(whole, Filter()).find(["ward#0", "open#0"])] == ["open#0"]
    sources = filtered(whole, Filter(access=None, sources=("none",)))
    assert sources.find(["ward#0", "open#0"]) == {}


@pytest.mark.parametrize(
    ("claim", "value", "groups"),
    [
        ("groups", ["ward 7", "staff"], ["ward 7", "staff"]),
        ("groups", "ward 7", ["ward 7"]),
        ("realm.groups", ["staff", 3, "", None], ["staff"]),
        ("groups", {"staff": True}, []),
        ("groups", None, []),
        (None, ["staff"], []),
    ],
)
def test_a_claim_gives_the_access_groups_and_nothing_else_does(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    signer: Signer,
    claim: str | None,
    value: Any,
    groups: list[str],
) -> None:
    (tmp_path / "jwks.json").write_text(json.dumps({"keys": [signer.public]}))
    for name, text in {**PROVIDER, "JWKS": str(tmp_path / "jwks.json")}.items():
        monkeypatch.setenv(f"ANAMNESIS_OIDC_{name}", text)
    if claim:
        monkeypatch.setenv("ANAMNESIS_OIDC_GROUP_CLAIM", claim)
    claims = {"realm": {"groups": value}} if claim == "realm.groups" else {"groups": value}
    known = identity.user_of(signer.sign({**claims, "access_groups": ["all"]}))
    assert known
    assert known["access_groups"] == groups
