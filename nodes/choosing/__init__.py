"""Which of the answer options of a question is right.

What belongs here serves only questions with options. May be imported: everything below ``nodes``,
what the steps share, the rooms ``question``, ``evidence`` and ``checking``, and of ``writing``
only ``draft`` and ``extract``.
"""
