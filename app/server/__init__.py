"""The LangGraph server: access, limits, forms of requests, and storage.

The modules here serve requests; ``langgraph.json`` names ``app``, ``auth``, ``persistence`` and
``recording``. May be imported: everything below ``app``, ``app.cli``, ``app.experts``,
``app.trace``, ``app.users`` and ``app.web``.
"""
