"""Which answer option is right, of those that a question offers.

What belongs here serves only questions with options. May be imported: everything below ``nodes``,
what the steps share, the rooms ``question``, ``evidence`` and ``checking``, and of ``writing``
only ``draft`` and ``extract``.
"""
