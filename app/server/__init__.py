"""The LangGraph server: who may ask what, how often, in what form, and where it is stored.

What belongs here serves requests; ``langgraph.json`` names ``app``, ``auth``, ``persistence`` and
``recording``. May be imported: everything below ``app``, and its other rooms.
"""
