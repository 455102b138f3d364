"""What requests, runs, commands and the page leave in the audit log, without a server."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from anamnesis import AuditError, SettingError
from anamnesis.memory.opening import open_memories
from anamnesis.memory.record import Memory
from app.cli.main import main
from app.server import auditing
from app.server.auditing import AuditedAction, Failures, RunBegins, action_of
from app.users import audit
from app.users.audit_check import entries
from app.web.handlers import Handlers
from graph import Context, build_graph
from tests.app.web.pages import Known, asking, doing, one, read

QUESTION = "What are the symptoms of asthma?"
THREAD = "0b7cbe0c-8a0e-4bde-a8bd-2b0c26ab2d3b"


pytestmark = pytest.mark.usefixtures("home")


def deeds() -> list[tuple[str, ...]]:
    return [
        (entry["action"], entry["object"], entry["outcome"], entry["kind"], entry["actor"])
        for entry in entries()
    ]


@pytest.mark.parametrize(
    ("method", "path", "deed"),
    [
        ("GET", f"/threads/{THREAD}", AuditedAction("read", f"thread:{THREAD}")),
        ("GET", f"/threads/{THREAD}/state", AuditedAction("read", f"thread:{THREAD}")),
        ("POST", f"/threads/{THREAD}/state", AuditedAction("change", f"thread:{THREAD}")),
        ("POST", f"/threads/{THREAD}/state/checkpoint", AuditedAction("read", f"thread:{THREAD}")),
        ("POST", f"/threads/{THREAD}/history", AuditedAction("read", f"thread:{THREAD}")),
        ("GET", f"/threads/{THREAD}/runs/{THREAD}/join", AuditedAction("read", f"thread:{THREAD}")),
        ("DELETE", f"/threads/{THREAD}/runs/{THREAD}", AuditedAction("delete", f"run:{THREAD}")),
        ("POST", "/threads/prune", AuditedAction("delete", "threads")),
        ("GET", "/memories/export", AuditedAction("export", "memories")),
        ("DELETE", "/memories", AuditedAction("delete", "everything")),
        ("GET", "/traces/", AuditedAction("read", "traces")),
        ("GET", "/audit", AuditedAction("read", "audit")),
        ("GET", "/ok", None),
        ("POST", f"/threads/{THREAD}/runs/wait", None),  # recorded where the run begins
        ("POST", "/threads", None),
    ],
)
def test_a_request_is_known_by_its_path(method: str, path: str, deed: AuditedAction | None) -> None:
    assert action_of(method, path) == deed


def test_every_route_that_reads_changes_or_deletes_what_is_a_users_is_known() -> None:
    # The routes of this project; those of the server are tried on a server.
    from app.server.routes import ROUTES

    unknown = [way for way in ROUTES if action_of(way[0], way[1].replace("{id:path}", "x")) is None]
    assert unknown == [("GET", "/health")]


def test_a_run_is_recorded_before_its_first_step_and_once() -> None:
    graph = build_graph(before_step=RunBegins()).copy({"checkpointer": InMemorySaver()})
    first, second = uuid4(), uuid4()
    thread: Any = {"configurable": {"thread_id": THREAD}}
    ann = Context(user="ann")
    graph.invoke({"question": QUESTION}, {**thread, "run_id": first}, context=ann)
    graph.invoke({"question": QUESTION}, {**thread, "run_id": second})
    assert deeds() == [
        ("ask", f"run:{first}", "begun", "typed", "ann"),
        ("ask", f"run:{second}", "begun", "nobody", ""),
    ]
    assert {entry["thread"] for entry in entries()} == {f"thread:{THREAD}"}
    # One that is taken up again in its middle is a run as well.
    past = next(
        snapshot for snapshot in graph.get_state_history(thread) if snapshot.next == ("generate",)
    )
    third = uuid4()
    graph.invoke(None, {**past.config, "run_id": third})
    assert deeds()[2:] == [("ask", f"run:{third}", "begun", "nobody", "")]


def test_a_run_that_cannot_be_recorded_does_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "audit").write_text("no folder")
    done: list[bool] = []
    graph = build_graph(
        before_step=RunBegins(),
        observe=lambda node, state, update, _: done.append("error" in update),
    )
    with pytest.raises(AuditError, match="so this request is refused") as error:
        graph.invoke({"question": QUESTION}, {"run_id": uuid4()})
    assert str(home) not in str(error.value)
    assert done == [True]


def test_nothing_leaves_a_run_before_its_entry_is_on_the_disk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def full(path: Path) -> None:
        seen.append(path.name)
        raise OSError("the disk is full")

    monkeypatch.setattr(audit, "force", full)
    graph = build_graph(before_step=RunBegins(), observe=lambda node, *_: seen.append(node))
    left: list[object] = []
    with pytest.raises(AuditError, match="so this request is refused"):
        left.extend(graph.stream({"question": QUESTION}, {"run_id": uuid4()}))
    assert seen == ["000000000001.jsonl", "screen"]  # of the step only that it failed is observed
    assert left == []


def test_failures_of_an_address_are_counted_not_written_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(auditing, "monotonic", lambda: now)
    failures = Failures()
    for _ in range(500):
        failures.add("10.0.0.7", "wrong")
    failures.add("10.0.0.8", "expired")
    now = 11.0
    failures.add("10.0.0.7", "wrong")
    refusals = [(entry["address"], entry["reason"], entry["count"]) for entry in entries()]
    assert refusals == [
        ("10.0.0.7", "wrong", 1),
        ("10.0.0.8", "expired", 1),
        ("10.0.0.7", "wrong", 500),
    ]
    for number in range(3000):
        failures.add(f"10.1.{number // 256}.{number % 256}", "wrong")
    assert len([*entries()]) < 1100


def test_a_policy_that_changed_is_recorded_once_before_the_next_run(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def noted(begin: RunBegins) -> list[str]:
        with pytest.raises(SettingError):
            build_graph(before_step=begin).invoke({"question": " "}, {"run_id": uuid4()})
        return [entry["action"] for entry in entries()]

    begin = RunBegins()
    assert noted(begin) == ["ask"]
    (home / "policy.json").write_text('{"callers": {}}')
    assert noted(begin) == ["ask", "change policy", "ask"]
    assert noted(begin)[3:] == ["ask"]
    # A server that is started anew finds in the log which one it was.
    assert noted(RunBegins())[4:] == ["ask"]
    monkeypatch.setenv("ANAMNESIS_POLICY", str(home / "none.json"))
    assert noted(RunBegins())[5:] == ["change policy", "ask"]
    assert [entry["sha256"] for entry in entries() if "sha256" in entry] == [
        sha256(b'{"callers": {}}').hexdigest(),
        "none",
    ]


PAGE = Handlers({})


def test_what_is_done_on_the_page_is_recorded(home: Path) -> None:
    memories = open_memories()
    memories.add("ann", [Memory.make(owner="ann", kind="question", text="Gout.", id="a" * 32)])
    known = asking(Known("ann"))
    list(PAGE.ask(QUESTION, None, "bob", False, None, known))
    *_, (_, talk, _, _) = PAGE.ask(QUESTION, None, "bob", False, None, asking())
    PAGE.memories(None, None, known)
    PAGE.act("ann", None, asking(), doing("edit", "a" * 32, "No gout."))
    PAGE.act(None, None, known, doing("delete-all"))
    main(["ask", QUESTION, "--trace"])
    [recorded] = [*(home / "traces").glob("*.jsonl")]
    [choice] = [text for text in PAGE._recorded("bob", asking()) if recorded.stem in text]
    PAGE.trace(choice, "bob", None, asking())
    asked, rest = deeds()[:2], deeds()[2:]
    assert [entry[0] for entry in asked] == ["ask", "ask"]
    assert [entry[3:] for entry in asked] == [("user", "ann"), ("typed", "bob")]
    assert rest == [
        ("read", "memories", "done", "user", "ann"),
        ("change", f"memory:{'a' * 32}", "begun", "typed", "ann"),
        ("change", f"memory:{'a' * 32}", "done", "typed", "ann"),
        ("delete", "memories", "begun", "user", "ann"),
        ("delete", "memories", "done", "user", "ann"),
        ("read", f"trace:{recorded.stem}", "done", "typed", "bob"),
    ]
    assert talk.runs
    kept = b"".join(path.read_bytes() for path in (home / "audit").iterdir())
    assert b"gout" not in kept.lower()
    assert b"asthma" not in kept.lower()


def test_the_page_shows_and_deletes_nothing_that_cannot_be_recorded(home: Path) -> None:
    memories = open_memories()
    memories.add("ann", [Memory.make(owner="ann", kind="question", text="Gout.", id="a" * 32)])
    (home / "audit").write_text("no folder")
    *_, (asked, _, _, _) = PAGE.ask(QUESTION, None, "ann", False, None, asking())
    for shown in (
        asked,
        PAGE.memories("ann", None, asking()),
        PAGE.act("ann", None, asking(), doing("delete-all")),
    ):
        text = one(read(shown), "[role=alert]").get_text()
        assert "audit log" in text
        assert "Gout" not in shown
        assert str(home) not in shown
    assert len(memories.all("ann")) == 1


def test_commands_are_recorded_as_the_accounts(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "root")
    open_memories().add(
        "ann", [Memory.make(owner="ann", kind="question", text="Gout.", id="a" * 32)]
    )
    ann = ["--user", "ann"]
    main(["memory", "show", *ann, "a"])
    main(["memory", "export", *ann])
    main(["memory", "edit", *ann, "a", "No gout."])
    assert main(["memory", "delete", *ann, "--all"]) == 2  # nobody can be asked
    main(["memory", "delete", *ann, "--all", "--yes"])
    main(["ask", QUESTION, "--trace"])
    main(["trace", "show"])
    actions = [entry[:3] for entry in deeds()]
    assert actions[:-1] == [
        ("read", "memories", "done"),
        ("export", "memories", "done"),
        ("change", "memories", "begun"),
        ("change", "memories", "done"),
        ("delete", "memories", "begun"),
        ("delete", "memories", "done"),
    ]
    assert actions[-1][0] == "read"
    assert {entry[3:] for entry in deeds()} == {("account", "root")}
    assert [entry.get("owner") for entry in entries()] == ["ann"] * 6 + [None]
    (home / "index").unlink()
    table = tmp_path / "zebrafish.csv"
    table.write_text("question,answer\nWhat is asthma?,Asthma is a disease of the airways.\n")
    assert main(["index", "csv", str(table)]) == 0
    assert main(["index", "remove", "zebrafish"]) in (0, 2)
    changed = [entry for entry in entries() if entry["action"] == "change index"]
    assert [entry["outcome"] for entry in changed][:2] == ["begun", "done"]
    assert "zebrafish" not in json.dumps(changed)
    assert audit.object_name("collection", "zebrafish") == changed[0]["object"]
