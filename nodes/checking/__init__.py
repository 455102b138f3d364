"""Whether a statement is supported by its passages: the critic's scores, and the checks.

What belongs here judges statements; a check can only make a supported one unsupported. May be
imported: everything below ``nodes``, what the steps share, the rooms ``question`` and ``evidence``,
and of ``writing`` only ``draft`` and ``reading_list``.
"""
