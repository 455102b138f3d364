"""What is remembered of a turn, and what of it may be recalled; a conversation as messages.

What belongs here chooses what is stored, with a model or a critic if the settings ask for it, and
writes it to the stores of ``anamnesis.memory``. It reads stored text again: the profile, the user's
words, and exchanges whose sources have changed. Modules here may import only: everything below
``nodes``, what the steps share at the top of ``nodes``, and the rooms ``nodes.fields``,
``nodes.settings``, ``nodes.checking`` and ``nodes.evidence``.
"""
