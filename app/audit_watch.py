"""The operator's policy is a file that is edited by hand: that it changed is noticed here."""

from hashlib import sha256
from threading import Lock

from app.audit import entry_of, files, record
from nodes.policy import policy_file

_ACTION = "change policy"


class PolicyWatch:
    """Records a policy that is not the one that the log names last, by the SHA-256 of its file."""

    def __init__(self) -> None:
        self._known: str | None = None
        self._lock = Lock()

    def __call__(self) -> None:
        """Record the policy if it has changed. Raises AuditError if that cannot be."""
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
    """The SHA-256 of the policy that the log names last; ``none`` where it names none."""
    for path in reversed(files()):
        for line in reversed(path.read_bytes().splitlines()):
            if _ACTION.encode() not in line:
                continue
            try:
                told, _ = entry_of(line)
            except ValueError:
                continue
            if told.get("action") == _ACTION:
                return str(told.get("sha256"))
    return "none"
