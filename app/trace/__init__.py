"""Recorded runs: the steps of a run while it runs, as a file, compared, replayed, and deleted.

May be imported: everything below ``app``, and ``app.users``.
"""
