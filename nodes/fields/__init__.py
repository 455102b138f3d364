"""The types of the fields of the state, and the functions that make their values or add them up.

``nodes.state`` puts them together, as ``nodes.settings.context`` does with the groups of settings.
Codes that are shown as text are here too. What belongs here has no rule of its own: the rooms
decide. Modules here may import only: everything below ``nodes``; no file at its top, and no other
room.
"""
