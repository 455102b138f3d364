"""The groups of settings that ``nodes.context`` puts together, and what a setting chooses from.

What belongs here: a group of settings, the presets, and the help lines, by country. May be
imported: everything below ``nodes``; no file at its top, and no other room.
"""
