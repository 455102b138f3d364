"""The graph of the server asks the policy itself, whatever way a setting came."""

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis import SettingError
from app.cli.main import main
from app.server.recording import graph, served
from app.web.running import Conversation
from nodes.policy import apply_policy, open_settings, policy_file, served_index
from nodes.settings.context import Context
from tests.listening import listening

ASKED: Any = {"question": "What are the symptoms of asthma?"}


@pytest.mark.usefixtures("home")
def test_a_run_with_a_setting_that_is_not_open_fails_before_anything_is_called() -> None:
    with listening() as listener:
        asked: Any = {"generator.model": f"openai:x?base_url={listener.url}"}
        for context in (asked, Context(**asked)):
            with pytest.raises(
                SettingError,
                match=r"'generator\.model' may not be chosen by "
                "callers",
            ):
                served.invoke(ASKED, context=context)
    assert listener.received == []


@pytest.mark.usefixtures("home")
def test_every_run_has_the_operators_settings() -> None:
    policy_file().write_text(
        json.dumps({"settings": {"generator.max_statements": 1, "verification.critic": None}})
    )
    for context in (None, {}, {"generator.passages": 4}):
        answer = served.invoke(ASKED, context=context)["answer"]  # type: ignore[arg-type]
        assert (answer["critic"], len(answer["statements"])) == (None, 1)


@pytest.mark.usefixtures("home")
def test_a_damaged_policy_refuses_every_run_of_the_server_and_of_no_other() -> None:
    policy_file().write_text('{"callers": {"generator.model": true}}')
    with pytest.raises(SettingError, match="cannot read its policy"):
        served.invoke(ASKED)
    assert graph.invoke(ASKED)["answer"]["outcome"] == "answered"


@pytest.mark.usefixtures("home")
def test_the_servers_page_follows_the_policy_and_its_owners_page_is_free() -> None:
    policy_file().write_text(
        json.dumps({"settings": {"generator.max_statements": 1}, "callers": {}})
    )
    [*_, last] = Conversation("ann", policy=apply_policy).ask(ASKED, {"memory.consent": False})
    assert last.run
    assert len(last.run["answer"]["statements"]) == 1
    with pytest.raises(SettingError, match=r"'memory\.consent' may not be chosen by callers"):
        [*Conversation("ann", policy=apply_policy).ask(ASKED, {"memory.consent": True})]
    [*_, last] = Conversation("ann").ask(
        ASKED, {"generator.max_statements": 2, "verification.min_probability": 0}
    )
    assert last.run
    assert last.run["answer"]["outcome"] == "answered"


@pytest.mark.usefixtures("home")
def test_a_recorded_run_shows_its_user_no_settings_of_the_operator() -> None:
    policy_file().write_text(json.dumps({"settings": {"index": "/secret", "loop.max_rounds": 1}}))
    assert served_index() == Path("/secret")
    run = {"index": "/secret", "loop.max_rounds": 1, "generator.passages": 4, "user": "ann"}
    assert open_settings(run) == {"generator.passages": 4, "user": "ann"}


def test_the_policy_is_written_and_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "show"]) == 0
    assert "the default: there is no" in (default := capsys.readouterr().out)
    assert main(["policy", "init"]) == 0
    capsys.readouterr()
    assert main(["policy", "show"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(str(home / "policy.json"))
    assert shown.partition("\n")[2] == default.partition("\n")[2]
    assert main(["policy", "init"]) == 2
    assert "already exists" in capsys.readouterr().err
    policy_file().write_text("{")
    assert main(["policy", "show"]) == 2
    error = capsys.readouterr().err
    assert "Invalid JSON" in error
    assert len(error.splitlines()) == 1
