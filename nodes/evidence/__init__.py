"""How relevant passages are to a question, and which text of them may be shown or prompted.

What belongs here looks at passages and the reader's scores. Of statements, ``safety`` says only
which ones fail the checks that need no source; no statement is made here. ``by_method`` lists what
a single method of retrieval finds, outside of the graph. Modules here may import only: everything
below ``nodes``, what the steps share at the top of ``nodes``, and the rooms ``nodes.fields`` and
``nodes.settings``.
"""
