"""Whether a statement is supported by its passages: the critic's scores, and the checks.

The modules here judge statements; a check can only make a supported one unsupported. Modules here
may import only: everything below ``nodes``, what the steps share at the top of ``nodes``, and the
rooms ``nodes.fields``, ``nodes.settings``, ``nodes.question`` and ``nodes.evidence``.
"""
