"""An address never shows its password, however it is written."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.address import Address, is_address, parse_location
from anamnesis.errors import SettingError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://localhost/name", "postgresql://localhost/name"),
        ("postgresql://ann:sesame@db:5432/name", "postgresql://db:5432/name"),
        ("postgresql://ann@db/name?password=sesame", "postgresql://db/name"),
        ("postgresql://ann:se/sa#me@db/name", "postgresql://db/name"),
        ("postgresql://ann:p@sesame?p@db/name", "postgresql://…"),
        ("postgresql://ann:sesame@one:1,two:2/name", "postgresql://one:1,two:2/name"),
        ("milvus://token@db:19530", "milvus://db:19530"),
        ("postgresql:///name?host=/run", "postgresql:///name"),
    ],
)
def test_it_is_shown_without_user_password_and_options(text: str, shown: str) -> None:
    address = Address(text)
    assert str(address) == f"{address}" == shown
    assert shown in repr(address)
    assert address.reveal() == text
    assert address == Address(text)


@given(
    st.text("ab:/?#@%&=.sesame", max_size=12), st.sampled_from(["", "?sslmode=require", "?a=b@c"])
)
def test_no_password_is_shown(password: str, options: str) -> None:
    address = Address(f"postgresql://ann:XY{password}Z@db/name{options}")
    assert "XY" not in str(address)
    assert "XY" not in repr(address)
    assert "ann" not in str(address)


def test_a_folder_is_no_address() -> None:
    for folder in ("index", "/data/index", "C:\\index", "C:/index", "postgresql:/x"):
        assert not is_address(folder)
        assert parse_location(folder) == Path(folder)
    with pytest.raises(SettingError, match="begins with its scheme") as raised:
        Address("ann:sesame@db")
    assert "sesame" not in str(raised.value)
    assert parse_location(Path("postgresql")) == Path("postgresql")


def test_equal_addresses_are_one_key() -> None:
    one = parse_location("postgresql://db/name")
    assert {one: 1}[Address("postgresql://db/name")] == 1
    assert pickle.loads(pickle.dumps(one)) == one
