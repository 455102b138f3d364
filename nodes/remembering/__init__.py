"""Which parts of a turn are remembered, and since when; the turns of a conversation as messages.

What belongs here decides; ``anamnesis.memory`` stores. Modules here may import only: everything
below ``nodes``, what the steps share at the top of ``nodes``, and the rooms ``nodes.fields``,
``nodes.settings``, ``nodes.checking`` and ``nodes.evidence``.
"""
