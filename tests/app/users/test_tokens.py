"""The file of tokens: what it holds, who changes it, and what it refuses."""

import json
import stat
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from hashlib import sha256
from pathlib import Path

import pytest

from anamnesis import AuditError, SettingError
from app.cli.main import main
from app.users.audit_check import entries
from app.users.tokens import (
    ExpiredError,
    add_token,
    read_tokens,
    revoke,
    rotate,
    tokens_file,
    user_label,
    user_of,
)

pytestmark = pytest.mark.usefixtures("new_home")


def test_a_token_names_its_user_and_is_kept_nowhere() -> None:
    ann, eve = add_token("ann"), add_token("eve", {"department": "lungs"})
    plain = {"permissions": ["asker"], "access_groups": []}
    assert user_of(ann) == {"identity": "ann", **plain}
    assert user_of(eve) == {"identity": "eve", "department": "lungs", **plain}
    assert user_of(ann[:-1]) is user_of("") is user_of("\ud800") is None
    kept = tokens_file().read_text()
    assert ann not in kept
    assert eve not in kept
    assert stat.S_IMODE(tokens_file().stat().st_mode) == 0o600


def test_tokens_are_revoked_by_user_or_by_id_and_the_file_stays() -> None:
    first, second, other = add_token("ann"), add_token("ann"), add_token("eve")
    assert revoke("ann", read_tokens()[0].id) == 1
    assert user_of(first) is None
    assert user_of(second)
    assert revoke("ann") == 1
    assert user_of(second) is None
    assert user_of(other)
    assert revoke("eve") == 1
    assert read_tokens() == []
    assert tokens_file().exists()
    with pytest.raises(SettingError, match="anamnesis token list"):
        revoke("eve")


@pytest.mark.parametrize("user", ["", " ", " ann", "a\nb", "a\x00b"])
def test_a_name_that_is_none_is_refused(user: str) -> None:
    with pytest.raises(SettingError, match="not a valid user name"):
        add_token(user)
    assert not tokens_file().exists()


@pytest.mark.parametrize("name", ["identity", "is_authenticated", "permissions", "_x", "a b", ""])
def test_an_attribute_cannot_take_the_place_of_the_identity(name: str) -> None:
    with pytest.raises(SettingError, match="attribute"):
        add_token("ann", {name: "eve"})


@pytest.mark.parametrize("damaged", ["", "{}", '[{"id": "1"}]', "[1]", "no json"])
def test_a_damaged_file_is_named_and_left_as_it_is(new_home: Path, damaged: str) -> None:
    new_home.mkdir()
    tokens_file().write_text(damaged)
    for act in (read_tokens, lambda: user_of("x"), lambda: add_token("ann")):
        with pytest.raises(SettingError, match=r"tokens\.json is not a file of tokens"):
            act()
    assert tokens_file().read_text() == damaged
    assert [path.name for path in new_home.iterdir()] == ["tokens.json"]


def test_a_change_that_was_cut_short_is_reported_with_the_remedy(new_home: Path) -> None:
    token = add_token("ann")
    (new_home / "tokens.partial").touch()
    with pytest.raises(SettingError, match=r"delete .*tokens\.partial"):
        add_token("eve")
    assert user_of(token)


def test_no_label_begins_another_one() -> None:
    labels = {user_label(user) for user in ("ann", "anna", "ann.a", "*", "a/b", "\ud800")}
    assert len(labels) == 6
    assert {len(label) for label in labels} == {37}
    assert all(label.replace("-", "").isalnum() for label in labels)


def test_the_command_adds_lists_and_revokes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "list"]) == 1
    assert "everybody" in capsys.readouterr().out
    assert main(["token", "add", "eve", "--attribute", "department=lungs"]) == 0
    user = user_of(capsys.readouterr().out.strip())
    plain = {"permissions": ["asker"], "access_groups": []}
    assert user == {"identity": "eve", "department": "lungs", **plain}
    assert main(["token", "list"]) == 0
    assert "asker  eve  department=lungs" in capsys.readouterr().out
    assert main(["token", "revoke", "eve"]) == 0
    assert main(["token", "list"]) == 1
    assert "nobody" in capsys.readouterr().out
    assert main(["token", "add", "eve", "--attribute", "department"]) == 2
    assert "NAME=VALUE" in capsys.readouterr().err


def test_a_token_expires_and_its_holder_alone_learns_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ann, eve = add_token("ann"), add_token("eve", days=1)
    expires = [token.expires for token in read_tokens()]
    assert all(expires)
    apart = expires[0] - expires[1]  # type: ignore[operator]
    assert abs(apart - timedelta(days=89)) < timedelta(minutes=5)  # made one after the other
    [_, token] = read_tokens()
    at(timedelta(days=1, seconds=1), monkeypatch)
    assert user_of(ann)
    with pytest.raises(ExpiredError, match=rf"expired on .*anamnesis token rotate USER {token.id}"):
        user_of(eve)
    assert user_of(eve[:-1]) is None
    for days in (0, -1, 40_000):
        with pytest.raises(SettingError, match="valid for 1 to"):
            add_token("ann", days=days)


def at(later: timedelta, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some time later."""

    class Later(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + later

    monkeypatch.setattr("app.users.tokens.datetime", Later)


def test_a_rotated_token_is_valid_for_the_hours_of_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    old = add_token("ann", {"department": "lungs"}, role="expert", days=1)
    [token] = read_tokens()
    new = rotate("ann", token.id, grace_hours=2)
    assert user_of(old) == user_of(new)
    assert user_of(new) == {
        "identity": "ann", "department": "lungs", "permissions": ["expert"], "access_groups": []
    }  # fmt: skip
    at(timedelta(hours=2, seconds=1), monkeypatch)
    assert user_of(new)
    with pytest.raises(ExpiredError):
        user_of(old)
    # Rotating makes no token live longer, nor one of another user's.
    rotate("ann", token.id, grace_hours=99)
    with pytest.raises(ExpiredError):
        user_of(old)
    for user, text in (("eve", token.id), ("ann", "none")):
        with pytest.raises(SettingError, match="no such token"):
            rotate(user, text)
    with pytest.raises(SettingError, match="hours of grace"):
        rotate("ann", token.id, grace_hours=-1)


def test_tokens_of_a_file_from_before_they_expired_stay_valid(
    new_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "old"
    kept = {
        "id": "1a2b3c4d", "user": "ann", "created": "2026-01-01T00:00:00+00:00",
        "sha256": sha256(secret.encode()).hexdigest(), "attributes": {"department": "lungs"},
    }  # fmt: skip
    new_home.mkdir()
    tokens_file().write_text(json.dumps([kept]))
    assert user_of(secret) == {
        "identity": "ann", "department": "lungs", "permissions": ["asker"], "access_groups": []
    }  # fmt: skip
    assert main(["token", "list"]) == 0
    assert "without expiry: rotate it" in capsys.readouterr().out
    assert main(["token", "rotate", "ann", "1a2b3c4d", "--grace-hours", "0"]) == 0
    assert user_of(capsys.readouterr().out.strip())
    with pytest.raises(ExpiredError):
        user_of(secret)


def test_the_command_gives_roles_and_days(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "add", "olga", "--role", "operator", "--days", "3"]) == 0
    user = user_of(capsys.readouterr().out.strip())
    assert user == {"identity": "olga", "permissions": ["operator"], "access_groups": []}
    [token] = read_tokens()
    assert token.expires
    assert token.expires - datetime.fromisoformat(token.created) == timedelta(days=3)


def test_what_is_done_to_tokens_is_in_the_audit_log_and_refused_where_it_cannot_be(
    new_home: Path,
) -> None:
    secret = add_token("ann")
    [token] = read_tokens()
    new = rotate("ann", token.id)
    revoke("ann", token.id)
    deletions = [(entry["action"], entry["object"], entry["owner"]) for entry in entries()]
    assert deletions == [
        (action, f"token:{token.id}", "ann")
        for action in ("make token", "rotate token", "revoke token")
    ]
    written = (new_home / "audit" / "000000000001.jsonl").read_text()
    assert not any(text in written for text in (secret, new, token.sha256))
    (new_home / "audit").rename(new_home / "elsewhere")
    (new_home / "audit").write_text("no folder")
    before = tokens_file().read_bytes()
    acts: list[Callable[[], object]] = [
        lambda: add_token("eve"), lambda: revoke("ann"), lambda: rotate("ann", read_tokens()[0].id),
    ]  # fmt: skip
    for act in acts:
        with pytest.raises(AuditError, match="cannot be written"):
            act()
    assert tokens_file().read_bytes() == before
    assert sorted(path.name for path in new_home.iterdir()) == ["audit", "elsewhere", "tokens.json"]


def test_tokens_that_cannot_be_written_are_an_error_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shut(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    monkeypatch.setattr("app.users.tokens.os.open", shut)
    with pytest.raises(SettingError, match=r"cannot be changed .*let this account write there"):
        add_token("ann")
