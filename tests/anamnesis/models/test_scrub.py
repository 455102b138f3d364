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
    text = scrubbed(error, SENT)
    for secret in ("sk-abc", "wxyz", "ann:pass", "abc.def", "0123456789abcdef", "swordfish"):
        assert secret not in text
    assert "…" in text


@pytest.mark.parametrize(
    ("name", "removed"),
    [
        ("SEARCH_TOKEN", True),
        ("DB_PASSWD", True),
        ("HTTP_AUTH", True),
        ("GIT_AUTHOR_NAME", False),
        ("EDITOR", False),
    ],
)
def test_values_of_variables_with_the_name_of_a_secret_are_removed(
    name: str, removed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "swordfish")
    assert ("swordfish" not in scrubbed("the server refused swordfish", [])) == removed


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("Client(api_key=swordfish, model=x)", "Client(api_key=…, model=x)"),
        ("Client(api_key='sword fish', model='x')", "Client(api_key='…', model='x')"),
        ("Client(api_key=' swordfish', key=' ')", "Client(api_key='…', key='…')"),
        ('{"api-key": "swordfish", "n": 1}', '{"api-key": "…", "n": 1}'),
        ('{\\"x-api-key\\": \\"swordfish\\"}', '{\\"x-api-key\\": \\"…\\"}'),
        ("POST /v1/models/x:generateContent?key=swordfish&alt=sse",
         "POST /v1/models/x:generateContent?key=…&alt=sse"),
        ("Incorrect API key provided: swordfish.", "Incorrect API key provided: …."),
        ("headers={'Authorization': 'Basic swordfish'}", "headers={'Authorization': 'Basic …'}"),
        ("'Authorization': b'Bearer swordfish'", "'Authorization': b'Bearer …'"),
        ("HF_TOKEN=swordfish is not valid", "HF_TOKEN=… is not valid"),
        ("aws_secret_access_key: sword/fish+", "aws_secret_access_key: …"),
        ("?X-Amz-Credential=sword/fish&X-Amz-Signature=fish",
         "?X-Amz-Credential=…&X-Amz-Signature=…"),
        ("Ocp-Apim-Subscription-Key: swordfish", "Ocp-Apim-Subscription-Key: …"),
        ("password=swordfish", "password=…"),
        ('"token": "invalid: api_key=swordfish"', '"token": "invalid: api_key=…"'),
        ("API key AIzaSyAbcd****wxyz not valid", "API key … not valid"),
        ("API key AIzaSyAbcd…wxyz not valid", "API key … not valid"),
        ("key sk-proj-...wxyz. Retry", "key …. Retry"),
        ("key hf_abcd****wxyz", "key …"),
        ("key AKIAIOSF****MPLE", "key …"),
        ("key abcd****wxyz", "key …"),
        ("key 550e8400-e29b-41d4-a716-446655440000", "key …"),
    ],
)  # fmt: skip
def test_credentials_after_their_name_and_masked_keys_are_removed(
    error: str, expected: str
) -> None:
    assert scrubbed(error, []) == expected


@pytest.mark.parametrize(
    "error",
    [
        "Error code: 401 - {'error': {'message': 'You have insufficient permissions. Missing "
        "scopes: model.request.', 'param': None, 'code': 'invalid_api_key', 'type': 'x'}}",
        "You didn't provide an API key. You need to provide your API key in an Authorization "
        "header using Bearer auth, or as the password field (with blank username)",
        "The api_key client option must be set either by passing api_key to the client or by "
        "setting the OPENAI_API_KEY environment variable",
        "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens "
        "(8001 in the messages, max_tokens=1000).",
        "Error code: 401 - {'type': 'error', 'error': {'type': 'authentication_error', 'message': "
        "'invalid x-api-key'}}",
        "Error code: 404 - {'type': 'error', 'error': {'type': 'not_found_error', 'message': "
        "'model: claude-3-5-sonnet-20241022'}}",
        '400 API key not valid. Please pass a valid API key. [reason: "API_KEY_INVALID" domain: '
        '"googleapis.com" metadata { key: "service" value: "generativelanguage.googleapis.com" }]',
        "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide "
        "a valid key for an active subscription",
        "An error occurred (UnrecognizedClientException) when calling the Converse operation: The "
        "security token included in the request is invalid.",
        "An error occurred (ValidationException): Invocation of model ID "
        "anthropic.claude-3-5-sonnet-20241022-v2:0 with on-demand throughput isn't supported.",
        "The request signature we calculated does not match the signature you provided. Check your "
        "AWS Secret Access Key and signing method.",
        "If this is a private repository, pass a token having permission, by logging in with "
        "`hf auth login` or by passing `token=<your_token>`",
        "Asking to pad but the tokenizer has no padding token; set `tokenizer.pad_token = "
        "tokenizer.eos_token`",
        "Fast download using 'hf_transfer' is enabled; model hf-internal-testing/tiny is missing",
        'model "llama3.2:1b" not found, try pulling it first (status code: 404)',
        "llama runner process has terminated: model requires more system memory (5.6 GiB)",
        "API key: not valid; token: expired; secret: please check; Unexpected token: }",
        "KeyError: 'choices'; unknown key: temperature; unexpected keyword argument 'proxies'",
    ],
)
def test_ordinary_words_of_a_providers_message_are_left(error: str) -> None:
    assert scrubbed(error, []) == error


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
    text = scrubbed(error, SENT).lower()
    assert not {"zebulon", "quill", "qui", "elm", "road", "fever", "39"} & set(
        text.replace("'", " ").replace('"', " ").split()
    )


def test_what_went_wrong_is_left_in_a_short_line() -> None:
    error = "Error code: 429 - rate limit reached for model x, please try again\nin 20s"
    assert scrubbed(error, [*SENT, "the model and the limit"]) == " ".join(error.split())
    assert len(scrubbed("page " * 5000, [])) <= LONGEST


HOSTILE = [
    *("a-", "sk-", "://a", "bearer ", "…", "9a", "abcd-1-", "key=", "key='", "a*", "token:"),
    *("token: not ", "'token': 'not "),
]


def test_a_hostile_error_takes_no_longer_for_its_length() -> None:
    def spent(length: int) -> float:
        begun = time.thread_time()
        for piece in HOSTILE:
            scrubbed(piece * length, [piece * length])
        return time.thread_time() - begun

    spent(100)
    assert spent(100_000) < 200 * max(spent(1_000), 1e-3)
