"""Whether a statement is supported by its passages: the critic's scores, and the checks.

The modules here judge statements; a check can only make a supported one unsupported. What may be
imported: everything below ``nodes``, what the steps share, the rooms ``question`` and
``evidence``, and from ``writing`` only ``draft`` and ``reading_list``.
"""
