"""Authentication, the audit log, and deletion of a user's data.

May be imported: everything below ``app``, and ``app.trace``, whose files are deleted.
"""
