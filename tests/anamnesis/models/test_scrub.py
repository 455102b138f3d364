import time

import pytest

from anamnesis.models.scrub import LONGEST, scrubbed

SENT = ["Answer from the documents.", "Does Zebulon Quill, 4 Elm Road, have a fever of 39.2?"]


@pytest.mark.parametrize(
    "error",
    [
        "Incorrect API key provided: sk-abc*****wxyz. Find yours at https://example.org",
        "401 for url https://ann:pass@example.org",
        "header 'Authorization: Bearer abc.def' refused",
        "project 0123456789abcdef0123456789abcdef is unknown",
        "the environment has swordfish1",
    ],
)
def test_no_key_is_left(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE_API_KEY", "swordfish1")
    told = scrubbed(error, SENT)
    for secret in ("sk-abc", "wxyz", "ann:pass", "abc.def", "0123456789abcdef", "swordfish"):
        assert secret not in told
    assert "…" in told


@pytest.mark.parametrize(
    "error",
    [
        '{"received": "Does Zebulon Quill, 4 Elm Road, have a fever of 39.2?"}',
        "flagged: ZEBULON",
        "bad text: 'Does Zebulon Qui",
        "Does\\nZebulon\\nQuill",
    ],
)
def test_no_word_that_was_sent_is_left(error: str) -> None:
    told = scrubbed(error, SENT).lower()
    assert not {"zebulon", "quill", "qui", "elm", "road", "fever", "39"} & set(
        told.replace("'", " ").replace('"', " ").split()
    )


def test_what_went_wrong_is_left_in_a_short_line() -> None:
    error = "Error code: 429 - rate limit reached for model x, please try again\nin 20s"
    assert scrubbed(error, [*SENT, "the model and the limit"]) == " ".join(error.split())
    assert len(scrubbed("page " * 5000, [])) <= LONGEST


def test_a_hostile_error_takes_no_longer_for_its_length() -> None:
    def spent(length: int) -> float:
        begun = time.thread_time()
        for piece in ("a-", "sk-", "://a", "earer ", "…", "9a"):
            scrubbed(piece * length, [piece * length])
        return time.thread_time() - begun

    spent(100)
    assert spent(100_000) < 200 * max(spent(1_000), 1e-3)
