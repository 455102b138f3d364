"""Whether a statement is supported by its passages: the critic's scores, and checks beside it.

What belongs here judges statements; a check can only turn a supported one down. May be imported:
everything below ``nodes``, what the steps share, the rooms ``question`` and ``evidence``, and of
``writing`` only ``draft`` and ``reading_list``.
"""
