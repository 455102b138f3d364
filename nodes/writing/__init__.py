"""The draft, the statements taken from it, the answer, and its text.

What belongs here produces what the reader sees: drafting, quoting, composing, rendering, and the
parts of an answer other than its statements. May be imported: everything below ``nodes``, what the
steps share, and every other room.
"""
