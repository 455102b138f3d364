"""Record changes of the operator's policy file, which is edited by hand."""

from hashlib import sha256
from threading import Lock

from app.users.audit import entry_of, files, record
from nodes.policy import policy_file

_ACTION = "change policy"


class PolicyWatch:
    """Records a policy file whose SHA-256 differs from the last one in the log."""

    def __init__(self) -> None:
        self._known: str | None = None
        self._lock = Lock()

    def __call__(self) -> None:
        """Record the policy if it has changed. Raises AuditError if that fails."""
        try:
            now = sha256(policy_file().read_bytes()).hexdigest()
        except OSError:
            now = "none"
        with self._lock:
            if now == self._known:
                return
            if now != _last():
                record(_ACTION, "policy", sha256=now)
            self._known = now


def _last() -> str:
    """The last SHA-256 of the policy in the log; ``none`` if there is none."""
    for path in reversed(files()):
        for line in reversed(path.read_bytes().splitlines()):
            if _ACTION.encode() not in line:
                continue
            try:
                entry, _ = entry_of(line)
            except ValueError:
                continue
            if entry.get("action") == _ACTION:
                return str(entry.get("sha256"))
    return "none"
