"""The web page: ask, compare, trace, memory. ``app.web.page`` mounts or serves it.

May be imported: everything below ``app``, ``app.cli``, ``app.experts``, ``app.server``,
``app.trace`` and ``app.users``.
"""
