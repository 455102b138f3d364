"""Recorded runs: the steps of a run while it runs, as a file, compared, replayed, and deleted.

Modules here may import only: everything below ``app``, and ``app.users``.
"""
