"""A key goes to the address that it was set for, and to no other: received by a real listener."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.chat import ask, load_chat
from anamnesis.models.keys import key_settings
from tests.listening import Listener, listening

SECRET = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def usual_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key that the environment may hold."""
    for name in (
        *("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
        *("XAI_API_KEY", "OLLAMA_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"),
    ):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")


@pytest.fixture
def listener() -> Iterator[Listener]:
    with listening() as address:
        address.says("Well.")
        yield address


def sent(reference: str) -> None:
    try:
        ask(load_chat(reference, max_tokens=5), [HumanMessage("well?")], reference)
    finally:
        # The client keeps connections, which Python warns of when they are left open.
        from anamnesis.models import chat

        model: Any = chat._loaded.popitem()[1]
        model.root_client.close()


@pytest.mark.parametrize(
    "reference",
    [
        "openai:x?base_url={url}",
        "openai:x?openai_api_base={url}",
        "azure_openai:x?azure_endpoint={url}",
    ],
)
def test_an_address_in_a_reference_gets_no_key_that_was_not_set_for_it(
    reference: str, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_KEY_OTHER", f"http://10.0.0.5/v1 {SECRET}")
    # One letter more is another address.
    monkeypatch.setenv("ANAMNESIS_KEY_NEAR", f"{listener.url}x {SECRET}")
    sent(reference.format(url=listener.url))
    assert len(listener.received) == 1
    assert SECRET not in str(listener.received)


def test_a_key_that_is_bound_to_an_address_goes_there(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_KEY_WARD", f"{listener.url}/ bound-key")
    sent(f"openai:x?base_url={listener.url}")
    assert listener.received[0].headers["authorization"] == "Bearer bound-key"


def test_a_proxy_is_an_address_too(listener: Listener) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        target = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    proxy = listener.url.removesuffix("/v1")
    listener.status, listener.body = 404, "{}"
    with pytest.raises(ModelError):
        sent(f"openai:x?base_url={target}&openai_proxy={proxy}")
    assert listener.received
    assert SECRET not in str(listener.received)


def test_a_provider_at_its_own_address_reads_its_own_key() -> None:
    assert key_settings("openai", {"timeout": "5"}) == {}


def test_ollama_gets_a_header_in_the_place_of_its_usual_key() -> None:
    settings = key_settings("ollama", {"base_url": "http://10.0.0.5:11434"})
    assert settings == {"client_kwargs": {"headers": {"Authorization": "Bearer none"}}}


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "google_genai"])
def test_a_provider_that_would_send_its_key_all_the_same_is_refused(provider: str) -> None:
    with pytest.raises(SettingError, match=r"its key would be sent there\. Name an OpenAI-compat"):
        key_settings(provider, {"endpoint_url": "http://10.0.0.5"})


def test_what_is_out_of_form_is_named_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_KEY_WARD", SECRET)
    with pytest.raises(SettingError, match="ANAMNESIS_KEY_WARD has the wrong form") as caught:
        key_settings("openai", {"base_url": "http://10.0.0.5"})
    assert SECRET not in str(caught.value)


def test_two_addresses_with_different_keys_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_KEY_WARD", f"http://10.0.0.5 {SECRET}")
    with pytest.raises(SettingError, match="base_url and openai_proxy, for which different"):
        key_settings("openai", {"base_url": "http://10.0.0.5", "openai_proxy": "http://10.0.0.6"})
