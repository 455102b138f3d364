"""Which of the answer options of a question is right.

What belongs here serves only questions with options. Modules here may import only: everything below
``nodes``, what the steps share at the top of ``nodes``, and the rooms ``nodes.fields``,
``nodes.settings``, ``nodes.question``, ``nodes.evidence`` and ``nodes.checking``.
"""
