"""How relevant passages are to a question, and which text of them may be shown or prompted.

What belongs here looks at passages and the reader's scores; no statement is made or judged. Modules
here may import only: everything below ``nodes``, what the steps share at the top of ``nodes``, and
the rooms ``nodes.fields`` and ``nodes.settings``.
"""
