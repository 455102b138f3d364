"""Ways to use the graph (command line, server, web page), to evaluate it, and to record its runs.

cli       the command ``anamnesis``, one file per command
evaluate  the command ``anamnesis evaluate``, one file per protocol
experts   decisions of experts on waiting questions
server    the LangGraph server: authentication, routes, limits, storage
serving   the project's models for other machines, over HTTP
trace     recorded runs: written, read, compared, replayed
users     authentication, the audit log, and deletion of users' data
web       the web page

Each folder's docstring says what it may import. May be imported: the files at the top of
``anamnesis``.
"""

from anamnesis.packages import require_own

require_own("evaluation", "graph", "nodes", "prompts", "retrievers")
