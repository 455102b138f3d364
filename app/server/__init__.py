"""The LangGraph server: who may ask what, how often, in what form, and where it is stored.

The modules here serve requests; ``langgraph.json`` names ``app``, ``auth``, ``persistence`` and
``recording``. May be imported: everything below ``app``, and its other packages.
"""
