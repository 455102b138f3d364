"""The file of tokens: what it holds, who changes it, and what it refuses."""

import stat
from pathlib import Path

import pytest

from anamnesis import SettingError
from app.cli import main
from app.tokens import add_token, read_tokens, revoke, tokens_file, user_label, user_of


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_token_names_its_user_and_is_kept_nowhere() -> None:
    ann, eve = add_token("ann"), add_token("eve", {"department": "lungs"})
    assert user_of(ann) == {"identity": "ann"}
    assert user_of(eve) == {"identity": "eve", "department": "lungs"}
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
    with pytest.raises(SettingError, match="no user's name"):
        add_token(user)
    assert not tokens_file().exists()


@pytest.mark.parametrize("name", ["identity", "is_authenticated", "permissions", "_x", "a b", ""])
def test_an_attribute_cannot_take_the_place_of_the_identity(name: str) -> None:
    with pytest.raises(SettingError, match="attribute"):
        add_token("ann", {name: "eve"})


@pytest.mark.parametrize("damaged", ["", "{}", '[{"id": "1"}]', "[1]", "no json"])
def test_a_damaged_file_is_named_and_left_as_it_is(home: Path, damaged: str) -> None:
    home.mkdir()
    tokens_file().write_text(damaged)
    for act in (read_tokens, lambda: user_of("x"), lambda: add_token("ann")):
        with pytest.raises(SettingError, match=r"tokens\.json is no file of tokens"):
            act()
    assert tokens_file().read_text() == damaged
    assert [path.name for path in home.iterdir()] == ["tokens.json"]


def test_a_change_that_was_cut_short_is_told_with_the_remedy(home: Path) -> None:
    token = add_token("ann")
    (home / "tokens.partial").touch()
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
    told = user_of(capsys.readouterr().out.strip())
    assert told == {"identity": "eve", "department": "lungs"}
    assert main(["token", "list"]) == 0
    assert "eve  department=lungs" in capsys.readouterr().out
    assert main(["token", "revoke", "eve"]) == 0
    assert main(["token", "list"]) == 1
    assert "nobody" in capsys.readouterr().out
    assert main(["token", "add", "eve", "--attribute", "department"]) == 2
    assert "NAME=VALUE" in capsys.readouterr().err
