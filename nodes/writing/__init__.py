"""The draft, the statements taken from it, the answer, and its text.

What belongs here produces what the user sees: drafting, quoting, composing, rendering, and the
parts of an answer other than its statements. Modules here may import only: everything below
``nodes``, what the steps share at the top of ``nodes``, and the rooms ``nodes.fields``,
``nodes.settings``, ``nodes.question``, ``nodes.evidence``, ``nodes.checking`` and
``nodes.choosing``.
"""
