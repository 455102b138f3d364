"""Calls of chat models: counted by step, priced, and answered from a cache.

Modules here may import only: everything below ``nodes``, what the steps share at the top of
``nodes``, and the rooms ``nodes.fields`` and ``nodes.settings``.
"""
