"""Recorded runs: the steps of a run while it runs, as a file, compared, and replayed.

May be imported: everything below ``app``, and ``app.users``.
"""
