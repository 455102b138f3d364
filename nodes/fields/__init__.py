"""The types of the fields of the state, and the functions that make their values or add them up.

``nodes.state`` puts them together, as ``nodes.settings.context`` does with the groups of settings.
Codes that are shown as text are here too. A rule here concerns only the values of one field, such
as the keys of options; how an answer comes about is decided in the other rooms. Modules here may
import only: everything below ``nodes``; no file at its top, and no other room.
"""
