"""Recorded runs: the steps of a run as it goes, as a file, compared, and taken up again.

May be imported: everything below ``app``, and ``app.users``.
"""
