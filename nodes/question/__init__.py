"""What was asked: follow-ups, offers, options, assumptions, several questions, urgency, a person.

What belongs here reads the user's words, without the passages that answer them. May be imported:
everything below ``nodes``, what the steps share, and the room ``evidence``.
"""
