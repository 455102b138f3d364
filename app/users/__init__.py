"""Authentication, the audit log, and deletion of a user's threads and cached replies.

Modules here may import only: everything below ``app``.
"""
