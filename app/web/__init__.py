"""The web page: ask, compare, trace, memory.

``app.web.page`` serves it alone or mounts it; ``app.web.on_server`` adds it to the server's routes.
Modules here may import only: everything below ``app``, the files at the top of ``app``,
``app.experts``, ``app.server``, ``app.trace`` and ``app.users``.
"""
