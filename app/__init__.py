"""Ways to use the graph (command line, server, web page), to evaluate it, and to record its runs.

experts   decisions of experts on waiting questions
serving   the project's models for other machines, over HTTP
users     authentication, the audit log, and deletion of users' data
trace     recorded runs: written, read, compared, replayed, deleted
evaluate  the command ``anamnesis evaluate``, one file per protocol
server    the LangGraph server: authentication, routes, limits, storage
web       the web page, alone or on the server
cli       the command ``anamnesis``, one file per command

Each folder imports only folders that precede it; its docstring says which. The files here are for
all of them: ``run_options``, ``progress``, ``best_passages``, ``listening``. Modules here may
import only: everything below ``app``.
"""

from anamnesis.packages import require_our_packages

require_our_packages("evaluation", "graph", "nodes", "prompts", "retrievers")
