"""One model server: its address, its dialect, and calls with a time limit.

    http://10.0.0.5:8080?api=tei
    https://models.example.org/v1?api=openai&model=BAAI/bge-base-en-v1.5
    https://api.example.org?api=cohere&model=rerank-v3.5

``api`` is the dialect: ``openai`` (embeddings), ``tei`` (Text Embeddings Inference: embeddings,
rerankers and classifiers) or ``cohere`` (embeddings and rerankers). The key for an address is set
in the environment (``anamnesis.models.keys``), never in a reference. After a temporary error a call
is repeated, and a path that fails repeatedly is not called for a while, as for chat models
(``anamnesis.models.calling``). Each path of an address has its own count of failures, because a
server may have several models, of which one does not answer.
"""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Literal, TypeVar
from weakref import finalize

import httpx

from anamnesis.errors import ModelError, SettingError, UnansweredError
from anamnesis.limits import limits
from anamnesis.models.calling import call_with_retries, is_temporary
from anamnesis.models.keys import key_for
from anamnesis.models.once import LoadedObjects
from anamnesis.models.reference import Reference, positive_int_option

DIALECTS = ("openai", "tei", "cohere")
OPTIONS = ("api", "model", "batch", "window", "query_prefix", "document_prefix", "supported")
_BATCH = 32
"""Maximum texts per request: the default of servers."""

LEAST_WINDOW = 32
"""Tokens of a pair or a passage; a smaller window is not believed."""

T = TypeVar("T")


class TooLargeError(ModelError):
    """A server refuses a request as too large, or a text in it as too long (status 413)."""


class _Path:
    """One path of a server; ``guard_of`` has one guard for each."""


class Client:
    """Calls of one server.

    Raises SettingError for a reference without a dialect, or with an unknown option.
    """

    def __init__(self, reference: Reference) -> None:
        reference.refuse_options_beyond(OPTIONS)
        options = reference.options
        self.name = str(reference)
        self.dialect = options.get("api", "")
        if self.dialect not in DIALECTS:
            raise SettingError(
                f"model reference {self.name!r}: add the server's dialect, ?api= and one of "
                f"{', '.join(DIALECTS)}"
            )
        self.model = options.get("model", "")
        self.batch = positive_int_option(reference, "batch") or _BATCH
        self.window = positive_int_option(reference, "window")
        """The model's window in tokens according to the reference; None if the reference does not
        give it.
        """
        self._paths: dict[str, _Path] = {}
        address = f"{reference.scheme}:{reference.name}".rstrip("/")
        allowed = limits()
        key = key_for(address)
        self._http = httpx.Client(
            base_url=address,
            headers={"authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(
                allowed.model_read_timeout, connect=allowed.model_connect_timeout
            ),
        )
        finalize(self, self._http.close)  # also at the end of the program

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The server's parsed reply to a body.

        Raises ModelError if the server cannot be reached, refuses the request (TooLargeError if it
        is too large), or does not reply with JSON. The server's message is only in the error's
        cause, for the log: users must not see it.
        """
        return self._request(path, lambda: self._http.post(path, json=body))

    def get(self, path: str) -> Any:
        """The server's parsed reply at a path; None if the path does not exist."""
        return self._request(path, lambda: self._http.get(path), missing=True)

    def batches(self, items: Sequence[T], spare: int = 0) -> Iterator[Sequence[T]]:
        """The items in groups of one request each; ``spare`` is the number of other items in each
        request."""
        size = max(self.batch - spare, 1)
        for start in range(0, len(items), size):
            yield items[start : start + size]

    def protocol_error(self, what: str) -> ModelError:
        """An error for a reply that does not follow the dialect."""
        return UnansweredError(
            f"{self.name!r} replied with {what}; check that the address, the dialect (api=) and "
            f"the model are those of one server"
        )

    def _request(self, path: str, ask: Any, *, missing: bool = False) -> Any:
        def call() -> httpx.Response:
            response: httpx.Response = ask()
            if missing and response.status_code in (404, 405):
                return response
            return response.raise_for_status()

        try:
            response = call_with_retries(self._paths.setdefault(path, _Path()), self.name, call)
        except httpx.HTTPStatusError as error:
            status = error.response.status_code
            refused = TooLargeError if status == 413 else ModelError
            kind = UnansweredError if is_temporary(error) else refused
            raise kind(f"{self.name!r} {_refused(status)}") from error
        except (httpx.HTTPError, TimeoutError, OSError) as error:
            raise UnansweredError(
                f"{self.name!r} did not answer ({type(error).__name__}); make sure that the "
                f"server runs and can be reached"
            ) from error
        if response.status_code in (404, 405):
            return None
        try:
            return response.json()
        except (ValueError, RecursionError) as error:  # brackets in brackets, too many
            raise self.protocol_error("something other than JSON") from error


def _refused(status: int) -> str:
    if status in (401, 403):
        return (
            f"refused the key (status {status}); set it in the environment as "
            'ANAMNESIS_KEY_NAME="ADDRESS KEY"'
        )
    if status == 404:
        return "has no such route (status 404); check that the address and api= belong together"
    if status == 413:
        return (
            "takes no request of this size (status 413); name a smaller batch, ?batch=8, or, for a "
            "critic, a smaller window, ?window=128"
        )
    if 300 <= status < 400:
        # It is not followed: the texts, and the key, are only for the address that was named.
        return f"sends on to another address (status {status}); name that one, such as https://…"
    if status == 429:
        return "is busy (status 429); ask again later"
    return f"answered with status {status}; the server's log says why"


def window_of(info: Any, part: Literal["embedder", "critic"]) -> int | None:
    """The window in tokens that a server reports for one of its models; None if it reports none.

    A server of ``anamnesis models serve`` has several models, any other server has one.
    """
    info = info if isinstance(info, dict) else {}
    windows = info.get("windows")
    length = windows.get(part) if isinstance(windows, dict) else info.get("max_input_length")
    return length if isinstance(length, int) and length > LEAST_WINDOW else None


def number(value: Any) -> float:
    """A finite number in a reply. Raises ValueError or TypeError for anything else."""
    try:
        found = float(value)
    except OverflowError as error:  # a whole number of many digits
        raise ValueError("too large") from error
    if not isfinite(found):
        raise ValueError("not finite")
    return found


_clients = LoadedObjects[str, Client]()


def client_of(reference: Reference) -> Client:
    """The client of a reference, one per process: all callers of a server share its limits."""
    return _clients.get_or_load(str(reference), lambda: Client(reference))
