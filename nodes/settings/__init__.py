"""The groups of settings that ``nodes.context`` puts together, and what follows from them.

What belongs here: a group of settings, the presets, and defaults that depend on other settings. May
be imported: everything below ``nodes``, and what the steps share at the top of ``nodes``; no other
room.
"""
