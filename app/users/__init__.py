"""Authentication, the audit log, and deletion of a user's threads and cached replies.

May be imported: everything below ``app``.
"""
