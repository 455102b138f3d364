"""What was asked: follow-ups, offers, options, assumptions, several questions, urgency, a person.

The modules here read the user's words, not the passages that answer them. What may be imported:
everything below ``nodes``, what the steps share, and the package ``evidence``.
"""
