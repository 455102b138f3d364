"""Which parts of a turn are remembered, and since when.

What belongs here decides; ``anamnesis.memory`` stores. May be imported: everything below ``nodes``,
what the steps share at the top of ``nodes``, the rooms ``nodes.checking``, ``nodes.evidence`` and
``nodes.settings``, and of other rooms only ``nodes.question.circumstances``,
``nodes.question.person``, ``nodes.writing.draft`` and ``nodes.writing.replies``.
"""
