"""The socket on which the server of a command listens."""

import socket

from anamnesis import SettingError


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; 0 is any free port. Raises SettingError if the address cannot be used."""
    if not 0 <= port <= 65535:
        raise SettingError(f"--port takes a number from 0 (any that is free) to 65535, not {port}")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise SettingError(
            f"cannot listen on {host}, port {port}: {error}. Choose another --host or --port"
        ) from error
