"""The settings of a run, and what follows from them.

``context`` puts the groups of settings together; ``derived`` has the defaults that depend on other
settings. What else belongs here: a group of settings, the presets, and the help lines, by
country. Modules here may import only: everything below ``nodes``, and the room ``nodes.fields``.
"""
