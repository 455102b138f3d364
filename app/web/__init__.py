"""The web page: ask, compare, trace, memory. ``app.web.page`` mounts or serves it."""
