"""What a provider says when it fails reaches no reader: tried with a real listener in its place."""

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anamnesis.models import chat as chats
from anamnesis.models.once import LoadedObjects
from app.cli.main import main
from app.server.recording import graph, served
from app.web.answering import answer_html
from nodes.policy import policy_file
from nodes.settings.context import Context
from nodes.writing.render import SILENT
from tests.listening import Listener, listening

KEY = "sk-operators-own-0123456789"
ASKED: Any = {"question": "What are the symptoms of asthma?"}
PATIENT = ("symptoms", "asthma")


@pytest.fixture
def provider(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    """A provider that refuses the key, naming it, and repeats what it was sent."""
    monkeypatch.setattr(chats, "_loaded", loaded := LoadedObjects())
    with listening() as listener:
        monkeypatch.setenv("ANAMNESIS_KEY_MINE", f"{listener.url} {KEY}")
        message = f"Incorrect API key provided: {KEY[:-4]}****. Received: {ASKED['question']}"
        listener.status, listener.body = 401, json.dumps({"error": {"message": message}})
        yield listener
        for model in loaded.values():
            model.root_client.close()


def model(provider: Listener) -> str:
    return f"openai:x?base_url={provider.url}"


def offer(**settings: str) -> None:
    """The operator's policy, with models that may see what patients write."""
    words = [reference.removeprefix("llm:") for reference in settings.values()]
    policy_file().write_text(json.dumps({"settings": settings, "patient_words": words}))


def harmless(*texts: str) -> None:
    for text in texts:
        for secret in (KEY[:-4], "Incorrect", "ChatOpenAI", "127.0.0.1", "Traceback"):
            assert secret not in text


def test_a_reader_learns_that_the_model_did_not_answer_and_no_more(
    provider: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    offer(**{"generator.model": model(provider)})
    answer = served.invoke(ASKED)["answer"]
    assert provider.received
    assert answer["notes"] == [SILENT]
    assert answer["text"].startswith(SILENT)
    assert (answer["outcome"], answer["generator"]) == ("answered", "extractive")
    assert {item["verdict"] for item in answer["statements"]} == {"supported"}
    harmless(json.dumps(answer))
    # The page does not call it all well.
    page = str(answer_html(answer))
    assert 'class="outcome quoted"' in page
    assert "Every statement is supported" not in page
    harmless(page)
    # The log has what went wrong, and neither the key nor the patient.
    [logged] = [
        record.getMessage() for record in caplog.records if record.name == "anamnesis.models.chat"
    ]
    assert "AuthenticationError: Error code: 401" in logged
    assert not [text for text in (KEY[:-4], *PATIENT) if text in caplog.text]
    assert "Traceback" not in caplog.text


def test_the_steps_of_a_run_hold_nothing_of_the_error_either(provider: Listener) -> None:
    offer(**{"generator.model": model(provider)})
    modes: Any = ["updates", "values", "debug", "custom"]
    events = list(served.stream(ASKED, stream_mode=modes))
    assert SILENT in repr(events)
    assert "Incorrect" not in repr(events)
    assert KEY[:-4] not in repr(events)


def test_the_command_line_prints_the_answer_and_a_line(
    provider: Listener, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert main(["ask", ASKED["question"], "--model", model(provider)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(SILENT)
    harmless(out, err)
    assert not [record for record in caplog.records if record.exc_info]


def test_a_critic_that_does_not_answer_supports_nothing(
    provider: Listener, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    critic = f"llm:{model(provider)}"
    offer(**{"verification.critic": critic})
    # What is quoted word for word needs no critic; what the question takes for granted does.
    asked: Any = {"question": "Since honey cures asthma, what are the symptoms of asthma?"}
    answer = served.invoke(asked)["answer"]
    assert (answer["outcome"], answer["statements"]) == ("abstained", [])
    harmless(json.dumps(answer))
    # The same holds in Python and for the command line; its owner hears of it in the log.
    failed = graph.invoke(asked, context=Context(verification={"critic": critic}))["answer"]
    assert (failed["outcome"], failed["reason"]) == (answer["outcome"], answer["reason"])
    main(["ask", asked["question"], "--critic", critic])
    harmless(*capsys.readouterr())
    assert re.search(r"did not answer \(\w*AuthenticationError\)", caplog.text)


@pytest.mark.usefixtures("provider")
def test_a_model_that_cannot_be_set_up_costs_others_no_answer(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    offer(**{"generator.model": "perplexity:sonar"})
    assert served.invoke(ASKED)["answer"]["notes"] == [SILENT]
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert "pip install langchain-perplexity" in errors[0]
    # Its owner learns it at once.
    assert main(["ask", ASKED["question"], "--model", "perplexity:sonar"]) == 2
    assert "pip install langchain-perplexity" in capsys.readouterr().err


def test_the_name_of_the_generator_is_its_reference_without_its_address(
    provider: Listener,
) -> None:
    provider.says("Asthma causes wheezing, coughing and breathlessness. [1]")
    context = Context(
        generator={"model": model(provider), "structured": False}, verification={"critic": None}
    )
    assert graph.invoke(ASKED, context=context)["answer"]["generator"] == "openai:x"


def test_with_redact_no_name_leaves_and_the_answer_has_it(provider: Listener) -> None:
    provider.says("Maria Gonzalez, asthma causes wheezing, coughing and breathlessness. [1]")
    asked: Any = {"question": "My name is Maria Gonzalez. What are the symptoms of asthma?"}
    settings: Any = {
        "generator.model": model(provider),
        "retrieval.min_relevance": 0,
        "generator.structured": False,
    }
    for redact in (True, False):
        answer = graph.invoke(
            asked, context=Context.model_validate({**settings, "generator.redact": redact})
        )["answer"]
        assert "Maria Gonzalez" in answer["query"]
        assert ("Gonzalez" in provider.received[-1].body) is not redact
        assert "sthma" in provider.received[-1].body
