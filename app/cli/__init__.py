"""The command ``anamnesis``: ``main``, and one file per command.

The modules here read options, call other packages, and print. May be imported: everything.
"""
