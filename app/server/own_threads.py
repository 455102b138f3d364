"""The server's threads and store, accessed with the rights of the requesting user."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx
from anyio import from_thread
from starlette.types import ASGIApp

from app.server.rates import internal_requests

_AT_ONCE = 100
_FEEDBACK = "feedback"


class OwnThreads:
    """The routes of the server as its users see them, called within the process.

    The token of the request is passed on, so that only the user's own data can be reached; it is ''
    if none is in use. The methods are for threads that Starlette has started.
    """

    def __init__(self, server: ASGIApp, token: str) -> None:
        self._server = server
        self._headers = {"authorization": f"Bearer {token}"} if token else {}

    def state(self, thread: str) -> dict[str, Any] | None:
        """The last state of a thread; None if there is none that the user may see."""
        answered = self._send("GET", f"/threads/{quote(thread, safe='')}/state")
        if answered.status_code in (404, 422):  # 422: not an id
            return None
        return dict(answered.raise_for_status().json())

    def delete_all(self) -> dict[str, int]:
        """Stop the user's runs and delete all their data. Returns the number of each kind.

        Only for a user with a token; otherwise the owner of data is unknown.
        """
        return {
            "crons": self._delete_found("/runs/crons/search", "/runs/crons", "cron_id"),
            "threads": self._delete_found("/threads/search", "/threads", "thread_id"),
            "assistants": self._delete_found("/assistants/search", "/assistants", "assistant_id"),
            "items": self._delete_items(),
        }

    def keep(self, key: str, feedback: Mapping[str, Any]) -> None:
        """Write feedback to the store."""
        item = {"namespace": [_FEEDBACK], "key": key, "value": feedback}
        self._send("PUT", "/store/items", item).raise_for_status()

    def stored_feedback(self) -> list[dict[str, Any]]:
        """The feedback in the store."""
        return [item["value"] for item in self._items([_FEEDBACK])]

    def _delete_found(self, search: str, path: str, key: str) -> int:
        deleted = 0
        while found := [item for item in self._all(search) if not _of_the_server(item)]:
            for item in found:
                if key == "thread_id":
                    self._stop(f"{path}/{item[key]}/runs")
                self._send("DELETE", f"{path}/{item[key]}").raise_for_status()
            deleted += len(found)
        return deleted

    def _stop(self, runs: str) -> None:
        for run in self._json("GET", f"{runs}?limit={_AT_ONCE}"):
            if run["status"] in ("pending", "running"):
                # It may already have ended, which is fine.
                self._send("POST", f"{runs}/{run['run_id']}/cancel?wait=true")

    def _delete_items(self) -> int:
        found = self._items([])
        for item in found:
            key = {"namespace": item["namespace"], "key": item["key"]}
            self._send("DELETE", "/store/items", key).raise_for_status()
        return len(found)

    def _items(self, namespace: list[str]) -> list[dict[str, Any]]:
        return self._all("/store/items/search", namespace_prefix=namespace)

    def _all(self, search: str, **options: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            part = {**options, "limit": _AT_ONCE, "offset": len(found)}
            answered = self._json("POST", search, part)
            more = answered["items"] if isinstance(answered, dict) else answered
            found += more
            if len(more) < _AT_ONCE:
                return found

    def _json(self, method: str, path: str, body: Any = None) -> Any:
        return self._send(method, path, body).raise_for_status().json()

    def _send(self, method: str, path: str, body: Any = None) -> httpx.Response:
        async def sent() -> httpx.Response:
            # No root path is set: a separate one would bypass authentication.
            transport = httpx.ASGITransport(internal_requests(self._server))
            async with httpx.AsyncClient(
                transport=transport, base_url="http://localhost", headers=self._headers
            ) as client:
                return await client.request(method, path, json=body, timeout=60)

        return from_thread.run(sent)


def _of_the_server(found: Mapping[str, Any]) -> bool:
    """Whether it is an assistant that every user sees."""
    return (found.get("metadata") or {}).get("created_by") == "system"
