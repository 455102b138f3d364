"""Which parts of a turn are remembered, and since when.

What belongs here decides; ``anamnesis.memory`` stores. May be imported: everything below
``nodes``, what the steps share, the rooms ``checking``, ``evidence`` and ``settings``, of
``question`` only ``circumstances`` and ``person``, and of ``writing`` only ``draft`` and
``replies``.
"""
