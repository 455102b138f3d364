"""Who is asking, what they did, and deletion of what is theirs.

What belongs here: tokens, identity providers, the audit log, deletion. May be imported: everything
below ``app``, and ``app.trace``, whose files are deleted.
"""
