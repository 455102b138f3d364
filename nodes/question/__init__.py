"""What was asked, and what is searched for: follow-ups, options, several questions, urgency.

Most modules here read the user's words. ``siblings`` reads the passages found, to see whether the
question names its topic; ``person`` reads the sources shown. Modules here may import only:
everything below ``nodes``, what the steps share at the top of ``nodes``, and the rooms
``nodes.fields``, ``nodes.settings`` and ``nodes.evidence``.
"""
