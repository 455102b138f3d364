"""The command line as its user meets it: output, exit status, messages."""

import pytest

from tests.app.commands import assert_refused

pytestmark = pytest.mark.usefixtures("at_starter")
QUESTION = "What are the symptoms of asthma?"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", QUESTION, "--set", "colour=blue"], "colour"),
        (["ask", QUESTION, "--set", "colour"], "KEY=VALUE"),
        (["ask", QUESTION, "--set", "generator.passages=0"], "generator.passages: "),
        (["ask", "  "], "there is no question"),
        (["ask", QUESTION, "--model", "nonsense"], "nonsense"),
        (["ask", QUESTION, "--index", "nowhere"], "anamnesis index"),
        (["retrieve", QUESTION, "--k", "0"], "--k"),
        (["trace", "show", "nothing"], "nothing"),
        (["index", "nonsense", "x"], "nonsense"),
        (["index", "csv", "nowhere.csv"], "nowhere.csv"),
        (["index", "csv"], "at least one file or folder"),
        (["index", "csv", "x.csv", "--column", "question"], "FIELD=COLUMN"),
    ],
)
def test_errors_name_what_was_wrong_and_end_with_status_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(arguments, said, capsys)
