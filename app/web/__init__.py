"""The web page: ask, compare, trace, memory. ``app.web.page`` mounts or serves it.

May be imported: everything below ``app``, and the other packages of ``app``.
"""
