"""The command ``anamnesis``: ``main``, and one file a command.

What belongs here reads options, calls what does the work, and prints. May be imported: everything.
"""
