"""The LangGraph server: access, limits, forms of requests, and storage.

The modules here serve requests; ``langgraph.json`` names ``auth``, ``persistence`` and
``recording``, and through ``app.web`` also ``app``. Modules here may import only: everything below
``app``, ``app.experts``, ``app.trace`` and ``app.users``.
"""
