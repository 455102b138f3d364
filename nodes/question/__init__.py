"""What was asked, and what is searched for: follow-ups, options, several questions, urgency.

Most modules here read the user's words; none reads the passages that answer them. What may be
imported: everything below ``nodes``, what the steps share, and the room ``evidence``.
"""
