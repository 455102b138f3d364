"""The graph behind a real LangGraph server process, asked with langgraph_sdk."""

import io
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.app.refused import closed_settings, refused
from tests.app.server_process import ROOT, serving
from tests.listening import listening

QUESTION = "What are the symptoms of asthma?"

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def client(
    starter_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SyncLangGraphClient]:
    folder = tmp_path_factory.mktemp("server")
    # A package of the same name in the working folder must not be taken for ours.
    (folder / "graph").mkdir()
    (folder / "graph" / "__init__.py").write_text("raise RuntimeError('the wrong graph')\n")
    (folder / "graph" / "build.py").write_text("raise RuntimeError('the wrong graph')\n")
    given = {"OPENAI_API_KEY": "none", "ANAMNESIS_LIMIT_MODEL_WAIT": "0.2"}
    with serving(starter_home, folder, **given) as server:
        client = get_sync_client(url=server.address)
        yield client
        client.http.client.close()


def checked(answer: dict[str, Any]) -> dict[str, Any]:
    sources = {source["id"]: source for source in answer["sources"]}
    assert answer["outcome"] == "answered"
    assert answer["statements"]
    for statement in answer["statements"]:
        assert statement["verdict"] == "supported"
        assert set(statement["citations"]) <= set(sources)
        evidence = statement["evidence"]
        assert sources[evidence["document"]]["text"][evidence["start"] : evidence["end"]]
    return answer


def test_a_question_on_a_thread_is_answered_with_cited_statements(
    client: SyncLangGraphClient,
) -> None:
    thread = client.threads.create()
    result: Any = client.runs.wait(thread["thread_id"], "anamnesis", input={"question": QUESTION})
    answer = checked(result["answer"])
    assert "sthma" in answer["text"]
    assert [message["type"] for message in result["messages"]] == ["human", "ai"]


def test_messages_in_messages_out_and_a_follow_up_stands_alone(
    client: SyncLangGraphClient,
) -> None:
    thread = client.threads.create()["thread_id"]
    human = {"role": "user", "content": QUESTION}
    client.runs.wait(thread, "anamnesis", input={"messages": [human]})
    follow_up = {"role": "user", "content": [{"type": "text", "text": "How is it treated?"}]}
    result: Any = client.runs.wait(thread, "anamnesis", input={"messages": [follow_up]})
    assert result["answer"]["question"] == "How is it treated?"
    assert "sthma" in result["answer"]["query"]
    assert [message["type"] for message in result["messages"]] == ["human", "ai", "human", "ai"]
    assert result["messages"][-1]["content"] == result["answer"]["text"]


def test_what_no_route_can_take_is_refused_with_the_reason(client: SyncLangGraphClient) -> None:
    http = client.http.client
    for path in ("/threads", "/runs/wait", "/memories/x/rating", "/app/login", "/nowhere"):
        for content, status in (
            (iter([b"a" * 1_000_000] * 2), 413),
            (b'{"a":' * 2000, 400),
            (b'{"a": "\\ud800"}', 400),
        ):
            answered = http.post(path, content=content)
            assert (path, answered.status_code) == (path, status)
            assert answered.json()["detail"]


def test_a_state_without_a_route_is_no_fault_of_the_server(client: SyncLangGraphClient) -> None:
    thread = client.threads.create(graph_id="anamnesis")["thread_id"]
    body = {"values": {"topic": "x"}, "as_node": "screen"}
    answered = client.http.client.post(f"/threads/{thread}/state", json=body)
    assert answered.status_code == 400
    assert "has no route" in answered.json()["detail"]


def test_updates_are_streamed_step_by_step(client: SyncLangGraphClient) -> None:
    events = list(
        client.runs.stream(None, "anamnesis", input={"question": QUESTION}, stream_mode="updates")
    )
    nodes = [node for event in events if event.event == "updates" for node in event.data]
    assert nodes[0] == "screen"
    assert set(nodes[1:3]) == {"recall", "retrieve"}
    assert nodes[3:] == ["rerank", "generate", "verify", "remember"]


def test_the_history_of_a_thread_shows_every_step(client: SyncLangGraphClient) -> None:
    thread = client.threads.create()["thread_id"]
    client.runs.wait(thread, "anamnesis", input={"question": QUESTION})
    history = client.threads.get_history(thread, limit=20)
    following = [list(state["next"]) for state in reversed(history)]
    assert ["generate"] in following
    assert ["rerank"] in following
    assert following[-1] == []
    state = client.threads.get_state(thread)
    assert state["values"]["answer"]["outcome"] == "answered"


def test_no_caller_chooses_what_is_the_operators(
    client: SyncLangGraphClient, tmp_path: Path
) -> None:
    with listening() as listener, httpx.Client(base_url=address(client), timeout=60) as http:
        closed = closed_settings(listener.url, tmp_path)
        tried = {name: closed[name] for name in ("generator.model", "index")}
        tried["verification"] = {"min_probability": 0}
        assert len([*refused(http, tried)]) > 60
    assert listener.received == []


def test_a_wrong_setting_and_a_missing_question_are_said_to_the_caller(
    client: SyncLangGraphClient,
) -> None:
    with pytest.raises(Exception, match=r"generator\.passages"):
        client.runs.wait(
            None, "anamnesis", input={"question": QUESTION}, context={"generator.passages": 0}
        )
    with pytest.raises(Exception, match="there is no question"):
        client.runs.wait(None, "anamnesis", input={"question": "  "})


def test_the_assistant_says_which_settings_there_are(client: SyncLangGraphClient) -> None:
    assistant = client.assistants.search()[0]
    schemas = client.assistants.get_schemas(assistant["assistant_id"])
    context: Any = schemas["context_schema"]
    assert "preset" in context["properties"]
    assert all("description" in field for field in context["properties"].values())
    loop = context["$defs"][context["properties"]["loop"]["$ref"].rpartition("/")[2]]
    assert loop["properties"]["max_rounds"]["maximum"] == 10


def test_groups_of_settings_are_given_nested_and_by_name(client: SyncLangGraphClient) -> None:
    assistant = client.assistants.create("anamnesis", context={"generator": {"max_statements": 1}})
    for context, number in (
        (None, 1),
        ({"generator": {"max_statements": 2}}, 2),
        ({"generator.max_statements": 2}, 2),
    ):
        result: Any = client.runs.wait(
            None, assistant["assistant_id"], input={"question": QUESTION}, context=context
        )
        assert len(result["answer"]["statements"]) == number
    for wrong in (
        {"generator": {"max_statement": 1}},
        {"generator": "extractive"},
        {"generator.max_statement": 1},
        {"generater": {"max_statements": 1}},
        {"generater.max_statements": 1},
        dict(max_statements=1),  # noqa: C408
    ):
        with pytest.raises(Exception, match="did you mean 'generator"):
            client.runs.wait(None, "anamnesis", input={"question": QUESTION}, context=wrong)


def test_a_question_that_is_no_text_is_the_callers_mistake(client: SyncLangGraphClient) -> None:
    with pytest.raises(Exception, match="the question is a int; give a text"):
        client.runs.wait(None, "anamnesis", input={"question": 3})


def test_the_examples_of_the_docs_run(
    client: SyncLangGraphClient, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "server.md").read_text("utf-8")
    examples = re.findall(r"^```python server\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    for example in examples:
        exec(example.replace("http://127.0.0.1:2024", address(client)), names)
    names["client"].http.client.close()
    assert "Sources" in capsys.readouterr().out
    assert len(names["again"]["answer"]["statements"]) == 1
    assert names["again"]["answer"]["query"] == "How is asthma treated?"
    assert "stroke" in names["other"]["answer"]["text"]
    assert client.http.get("/memories", params={"user": "ann"}) == []


def address(client: SyncLangGraphClient) -> str:
    return str(client.http.client.base_url).rstrip("/")


@pytest.mark.parametrize(
    ("name", "typed", "expected"),
    [
        ("ask_server", "", "Sources"),
        ("chat", f"{QUESTION}\nHow is it treated?\n", "How is asthma treated?"),
    ],
)
def test_a_program_of_the_examples_asks_the_server(
    client: SyncLangGraphClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    typed: str,
    expected: str,
) -> None:
    monkeypatch.setenv("ANAMNESIS_URL", address(client))
    monkeypatch.setattr("sys.argv", [name])
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    names = runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
    names["client"].http.client.close()
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "expected"),
    [
        ("GET", "/memories", None, 422, "?user=NAME"),
        ("GET", "/memories/0?user=ann", None, 404, "anamnesis memory list"),
        ("PATCH", "/memories/0?user=ann", {"text": " "}, 422, "not empty"),
        ("PATCH", "/memories/0?user=ann", {"text": "x"}, 404, "no memory"),
        ("DELETE", "/memories/0?user=ann", None, 404, "no memory"),
        ("POST", "/memories/0/rating?user=ann", {"correct": "yes"}, 422, '"correct": true'),
        ("POST", "/feedback", {"thread_id": "0", "correct": True}, 404, "/threads/search"),
        ("POST", "/feedback", {"correct": 1}, 422, '"thread_id"'),
        ("POST", "/feedback", [], 422, "not a JSON object"),
        ("GET", "/evidence/nothing", None, 404, "an answer's sources"),
        ("GET", "/traces/..%2F..%2Fx", None, 404, ""),
        ("GET", "/traces/x", None, 404, "GET /traces"),
        ("DELETE", "/traces/*", None, 404, "GET /traces"),
    ],
)
def test_what_a_route_cannot_do_it_says_with_the_remedy(
    client: SyncLangGraphClient, method: str, path: str, body: Any, status: int, expected: str
) -> None:
    answered = client.http.client.request(method, path, json=body)
    assert answered.status_code == status
    assert expected in answered.json()["detail"]


def test_the_server_reports_its_health_and_gives_evidence_by_id(
    client: SyncLangGraphClient,
) -> None:
    health: Any = client.http.get("/health")
    assert health["ok"]
    assert health["passages"] > 300
    found: Any = client.http.get("/evidence/starter-gerd-symptoms")
    assert found == client.http.get("/evidence/starter-gerd-symptoms%230")
    [whole] = found
    assert whole["record"] == "starter-gerd-symptoms"
    assert whole["text"]


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("host", "evil.example:2024", 403),
        ("host", "127.0.0.1.evil.example", 403),
        ("host", "[", 403),
        ("origin", "http://localhost:7860", 200),
        ("host", "[::1]:2024", 200),
    ],
)
def test_without_tokens_no_page_of_another_site_gets_in(
    client: SyncLangGraphClient, header: str, value: str, status: int
) -> None:
    for path in ("/health", "/assistants/search"):
        method = "GET" if path == "/health" else "POST"
        body = None if path == "/health" else {}
        answered = client.http.client.request(method, path, json=body, headers={header: value})
        assert answered.status_code == status
        if status == 403:
            assert "anamnesis token add" in answered.json()["detail"]
            assert "access-control-allow-origin" not in answered.headers
    socket = address(client).replace("http", "ws") + f"/threads/{uuid4()}/stream/events"
    with (
        pytest.raises(InvalidStatus),
        connect(socket, additional_headers={"origin": "https://x.org"}),
    ):
        pass


def test_nothing_is_recorded_unless_it_is_asked_for(client: SyncLangGraphClient) -> None:
    client.runs.wait(None, "anamnesis", input={"question": QUESTION}, context={"user": "ann"})
    assert client.http.get("/traces", params={"user": "ann"}) == []
