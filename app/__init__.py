"""Ways to use the graph: command line, server, web page; its evaluation; its traces.

cli       the command ``anamnesis``, one file a command
evaluate  the command ``anamnesis evaluate``, one file a protocol
server    the LangGraph server: authentication, routes, limits, storage
trace     recorded runs: written, read, compared, replayed
users     authentication, the audit log, and deletion of users' data
web       the web page
"""

from anamnesis.packages import require_own

require_own("evaluation", "graph", "nodes", "prompts", "retrievers")
