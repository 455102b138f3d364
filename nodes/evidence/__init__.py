"""What passages are worth to a question, and what of them may be shown or put into a prompt.

What belongs here looks at passages and the reader's scores; no statement is made or judged.
May be imported: everything below ``nodes``, and what the steps share; no other room.
"""
